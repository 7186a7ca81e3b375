//! Decodes server-sent events incrementally.
//!
//! In: bytes, split anywhere. Out: [`Frame`]s. Must hold: it does not matter where the bytes
//! are split; `\n`, `\r\n` and `\r` end a line; comments, a byte-order mark and unknown
//! fields are skipped; the size of a frame is limited.

use contract::ModelFault;
use serde_json::Value;

use crate::fault;

/// One event of a stream. Its name is ignored: every protocol here has it in the data.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    Json(Value),
    /// `[DONE]`
    Done,
}

/// Splits a stream of bytes into frames.
pub struct FrameReader {
    line: Vec<u8>,
    /// The data lines of the event that is being read; none if it has no data yet.
    data: Option<String>,
    after_return: bool,
    at_start: bool,
    frame_bytes_max: usize,
}

impl FrameReader {
    pub fn new(frame_bytes_max: usize) -> Self {
        Self { line: Vec::new(), data: None, after_return: false, at_start: true, frame_bytes_max }
    }

    /// Adds bytes and returns the frames that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, ModelFault> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, ending) = rest.split_at(end);
            let return_ends = ending.first() == Some(&b'\r');
            rest = ending.get(1..).unwrap_or_default();
            let line_feed_of_return = self.after_return && end == 0 && !return_ends;
            self.after_return = return_ends;
            if line_feed_of_return {
                continue;
            }
            self.keep(line)?;
            frames.extend(self.end_line()?);
        }
        if !rest.is_empty() {
            self.after_return = false;
        }
        self.keep(rest)?;
        Ok(frames)
    }

    /// The last frame, if it is complete except for its end.
    pub fn finish(mut self) -> Result<Option<Frame>, ModelFault> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        match self.data.take().map(|data| parse(&data)) {
            Some(Ok(frame)) => Ok(Some(frame)),
            Some(Err(_)) => Err(fault::truncated("the last event is incomplete")),
            None => Ok(None),
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), ModelFault> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > self.frame_bytes_max {
            return Err(fault::frame_too_large(self.frame_bytes_max));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Frame>, ModelFault> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.data.take().map(|data| parse(&data)).transpose();
        }
        if let Some(value) = field(line, b"data") {
            let text = String::from_utf8_lossy(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&text);
                }
                None => self.data = Some(text.into_owned()),
            }
        }
        Ok(None)
    }
}

/// The value of a line `name: value`.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(name)?;
    match rest.split_first() {
        None => Some(rest),
        Some((b':', value)) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        Some(_) => None,
    }
}

fn parse(data: &str) -> Result<Frame, ModelFault> {
    if data.trim() == "[DONE]" {
        return Ok(Frame::Done);
    }
    match serde_json::from_str(data) {
        Ok(value) => Ok(Frame::Json(value)),
        Err(error) => Err(fault::garbled(&format!("an event is not JSON ({error})"))),
    }
}

#[cfg(test)]
mod tests;
