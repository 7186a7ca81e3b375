//! Frames: a little-endian length of four bytes, then that many bytes of JSON.
//!
//! No I/O here: [`encode`] appends to a buffer and [`Decoder`] accepts input in any pieces, so
//! the same bytes always yield the same frames.

use serde::Serialize;

const HEAD: usize = 4;

/// Why a peer's bytes are not frames.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameFault {
    #[error("a frame of {bytes} bytes; the limit is {max}")]
    TooLong { bytes: usize, max: usize },
    #[error("it does not fit into JSON: {because}")]
    Unfit { because: String },
}

/// Appends one frame. On a fault the buffer is unchanged.
pub(crate) fn encode<T: Serialize>(
    message: &T,
    out: &mut Vec<u8>,
    bytes_max: usize,
) -> Result<(), FrameFault> {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD]);
    let written = serde_json::to_writer(&mut *out, message);
    let bytes = out.len() - start - HEAD;
    let fault = match (written, u32::try_from(bytes)) {
        (Err(fault), _) => FrameFault::Unfit { because: fault.to_string() },
        (Ok(()), Ok(length)) if bytes <= bytes_max => {
            out[start..start + HEAD].copy_from_slice(&length.to_le_bytes());
            return Ok(());
        }
        (Ok(()), _) => FrameFault::TooLong { bytes, max: bytes_max },
    };
    out.truncate(start);
    Err(fault)
}

/// Splits a byte stream into frames.
pub(crate) struct Decoder {
    /// What was received, then what is free. It only grows, so that nothing is zeroed twice.
    bytes: Vec<u8>,
    /// Where the next frame begins.
    start: usize,
    /// Where what was received ends.
    end: usize,
    /// How much of the free part is being read into.
    room: usize,
    bytes_max: usize,
}

impl Decoder {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, end: 0, room: 0, bytes_max }
    }

    /// A buffer to read into; report the unused part to `filled`.
    pub(crate) fn room(&mut self, at_least: usize) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        self.room = at_least;
        let until = self.end + at_least;
        if self.bytes.len() < until {
            self.bytes.resize(until, 0);
        }
        &mut self.bytes[self.end..until]
    }

    pub(crate) fn filled(&mut self, unused: usize) {
        self.end += self.room.saturating_sub(unused);
        self.room = 0;
    }

    /// The next complete frame, if any.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, FrameFault> {
        let rest = &self.bytes[self.start..self.end];
        let Some((head, body)) = rest.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > self.bytes_max {
            return Err(FrameFault::TooLong { bytes: length, max: self.bytes_max });
        }
        if body.len() < length {
            return Ok(None);
        }
        let from = self.start + HEAD;
        self.start = from + length;
        Ok(Some(&self.bytes[from..from + length]))
    }
}

#[cfg(test)]
mod tests;
