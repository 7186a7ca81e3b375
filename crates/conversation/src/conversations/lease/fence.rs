//! Which records of a log count: those of the newest holder of the lease.
//!
//! A record carries the number of the lease under which it was written. Numbers only grow, so
//! a record with a lower number than one before it comes from a process that had lost its lease.
//! Must hold: such a record keeps its place, but nothing that it says counts. A holder that goes
//! on with a turn of another one first writes [`ConversationEvent::TakenOver`] and reads the log
//! after that: it sees everything that counts, and nothing that it has not seen will count.

use crate::event::ConversationEvent;
use crate::record::EventRecord;

/// The newest number so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NewestFence(u64);

impl NewestFence {
    /// After these records.
    pub(crate) fn after(records: &[EventRecord]) -> Self {
        Self(records.iter().filter_map(|record| record.fence).max().unwrap_or_default())
    }

    pub(crate) fn is(self, fence: u64) -> bool {
        self.0 == fence
    }

    /// The next record of the log, as it counts.
    pub(crate) fn admit(&mut self, record: EventRecord) -> EventRecord {
        match record.fence {
            Some(fence) if fence < self.0 => {
                EventRecord { event: ConversationEvent::Superseded, ..record }
            }
            Some(fence) => {
                self.0 = fence;
                record
            }
            // Written without a lease, such as a notice of a tool.
            None => record,
        }
    }
}
