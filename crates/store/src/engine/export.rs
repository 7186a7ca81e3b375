//! Writes the lines of an export and counts them.

use std::io::{self, Write};

use super::lines::{End, ExportLine};
use crate::fault::StoreFault;

/// How much was exported or imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub keys: u64,
    pub logs: u64,
    pub records: u64,
    pub messages: u64,
}

impl Counts {
    /// Counts a line.
    pub(super) fn add(&mut self, line: &ExportLine) {
        match line {
            ExportLine::Kv(_) => self.keys += 1,
            ExportLine::Log(_) => self.logs += 1,
            ExportLine::Record(_) => self.records += 1,
            ExportLine::Message(_) => self.messages += 1,
            ExportLine::Store(_) | ExportLine::End(_) => {}
        }
    }
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportFault {
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the export cannot be written: {0}")]
    Sink(#[from] io::Error),
}

/// Writes lines to a sink, in the order that `lines.rs` describes.
pub struct ExportWriter<W> {
    sink: W,
    lines: u64,
    counts: Counts,
}

impl<W: Write> ExportWriter<W> {
    pub fn new(sink: W) -> Self {
        Self { sink, lines: 0, counts: Counts::default() }
    }

    pub fn put(&mut self, line: &ExportLine) -> Result<(), ExportFault> {
        let mut text = serde_json::to_vec(line)
            .map_err(|error| StoreFault::Damaged { because: error.to_string() })?;
        text.push(b'\n');
        self.sink.write_all(&text)?;
        self.lines += 1;
        self.counts.add(line);
        Ok(())
    }

    /// Writes the last line and gives the sink back.
    pub fn end(mut self) -> Result<(W, Counts), ExportFault> {
        let lines = self.lines.saturating_sub(1);
        self.put(&ExportLine::End(End { lines }))?;
        self.sink.flush()?;
        Ok((self.sink, self.counts))
    }
}
