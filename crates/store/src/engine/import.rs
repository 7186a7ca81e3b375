//! Reads the lines of an export and checks them: their order, their numbers, their sizes.
//!
//! Must hold: an engine that stores every line that [`ImportReader::next`] gives has the exported
//! store, or a fault that names the line. Only duplicates are left to the engine's tables.

use std::io::{self, BufRead, Read};

use super::export::Counts;
use super::lines::{ExportLine, FORMAT, Head, LogLine, RecordLine};
use crate::fault::StoreFault;
use crate::limits::Limits;
use crate::log::Sequence;

/// The maximum size of a line besides its JSON: names, numbers, an escaped reason.
const ENVELOPE_BYTES_MAX: usize = 100_000;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the store is not new; import into one that was never used")]
    NotEmpty,
    #[error("line {line}: {because}")]
    Line { line: u64, because: String },
    #[error("the export cannot be read: {0}")]
    Source(io::Error),
}

/// The lines of an export, one after the other.
pub struct ImportReader<R> {
    source: R,
    limits: Limits,
    head: Option<Head>,
    log: Option<OpenLog>,
    counts: Counts,
    /// Lines read so far.
    line: u64,
    text: Vec<u8>,
}

/// The log whose records come now.
struct OpenLog {
    next: Sequence,
    last: Sequence,
}

impl<R: BufRead> ImportReader<R> {
    pub fn new(source: R, limits: Limits) -> Self {
        let (head, log, counts) = (None, None, Counts::default());
        Self { source, limits, head, log, counts, line: 0, text: Vec::new() }
    }

    /// The next line, except for the last one, which gives `None`. The first is always
    /// [`ExportLine::Store`].
    #[expect(clippy::should_implement_trait, reason = "it fails, and it ends only once")]
    pub fn next(&mut self) -> Result<Option<ExportLine>, ImportFault> {
        self.line += 1;
        let line = self.read_line()?;
        if let ExportLine::End(end) = &line {
            if end.lines + 2 != self.line || self.head.is_none() {
                return Err(self.bad("lines are missing before this one"));
            }
            self.close_log()?;
            return match self.source.fill_buf().map_err(ImportFault::Source)? {
                [] => Ok(None),
                _ => Err(self.bad("there is more after the end")),
            };
        }
        self.check(&line)?;
        self.counts.add(&line);
        Ok(Some(line))
    }

    /// How many of which lines were read.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of the line that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// A fault of the line that was read last.
    pub fn bad(&self, because: &str) -> ImportFault {
        ImportFault::Line { line: self.line, because: because.to_owned() }
    }

    fn read_line(&mut self) -> Result<ExportLine, ImportFault> {
        let Limits { value_bytes_max, log_record_bytes_max, message_bytes_max, .. } = self.limits;
        let body = value_bytes_max.max(log_record_bytes_max).max(message_bytes_max);
        let max = body + ENVELOPE_BYTES_MAX;
        self.text.clear();
        let room = u64::try_from(max).unwrap_or(u64::MAX);
        let mut source = (&mut self.source).take(room);
        source.read_until(b'\n', &mut self.text).map_err(ImportFault::Source)?;
        match self.text.pop() {
            Some(b'\n') => {}
            Some(_) if self.text.len() + 1 >= max => return Err(self.bad("the line is too long")),
            Some(_) | None => return Err(self.bad("the export is cut off here")),
        }
        serde_json::from_slice(&self.text).map_err(|error| self.bad(&error.to_string()))
    }

    fn check(&mut self, line: &ExportLine) -> Result<(), ImportFault> {
        match (line, &self.head) {
            (ExportLine::Store(head), None) if head.format == FORMAT => {
                self.head = Some(head.clone());
                Ok(())
            }
            (ExportLine::Store(head), None) => {
                Err(self.bad(&format!("format {}; this version reads {FORMAT}", head.format)))
            }
            (ExportLine::Store(_), Some(_)) => Err(self.bad("a second `store` line")),
            (_, None) => Err(self.bad("not an export: it does not begin with `store`")),
            (ExportLine::Kv(line), Some(head)) => {
                match line.revision <= head.revision && line.revision.0 > 0 {
                    true => self.fits(self.limits.check_value(&line.value)),
                    false => Err(self.bad("the revision is newer than the store's")),
                }
            }
            (ExportLine::Message(line), Some(head)) => {
                match line.id.0 <= head.message && line.id.0 > 0 {
                    true => self.fits(self.limits.check_message(&line.body)),
                    false => Err(self.bad("the message id is newer than the store's")),
                }
            }
            (ExportLine::Log(line), Some(_)) => self.check_log(line),
            (ExportLine::Record(line), Some(_)) => self.check_record(line),
            (ExportLine::End(_), Some(_)) => Err(self.bad("an `end` in the middle")),
        }
    }

    fn check_log(&mut self, line: &LogLine) -> Result<(), ImportFault> {
        self.close_log()?;
        let LogLine { name: _, first, last } = line;
        if first.0 == 0 || *first > last.next() {
            return Err(self.bad("the first record must not come after the last"));
        }
        self.log = Some(OpenLog { next: *first, last: *last });
        Ok(())
    }

    fn check_record(&mut self, line: &RecordLine) -> Result<(), ImportFault> {
        let Some(log) = self.log.as_mut().filter(|log| log.next == line.sequence) else {
            return Err(self.bad("this is not the next record"));
        };
        log.next = line.sequence.next();
        self.fits(self.limits.check_record(&line.body))
    }

    fn close_log(&self) -> Result<(), ImportFault> {
        match &self.log {
            Some(log) if log.next <= log.last => {
                Err(self.bad(&format!("record {} is missing before this line", log.next)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn fits(&self, checked: Result<(), StoreFault>) -> Result<(), ImportFault> {
        checked.map_err(|fault| self.bad(&fault.to_string()))
    }
}
