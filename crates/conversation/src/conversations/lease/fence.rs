//! Which records of a log count: those of the newest holder of the lease.
//!
//! A record carries the number of the lease under which it was written. Numbers only grow, so
//! a record with a lower number than one before it comes from a process that had lost its lease.
//! Must hold: such a record keeps its place, but nothing that it says counts. A holder that goes
//! on with a turn of another one first writes [`ConversationEvent::TakenOver`] and reads the log
//! after that: it sees everything that counts, and nothing that it has not seen will count. An event
//! that two holders wrote, such as the output of a call that was repeated, counts once.

use std::collections::BTreeSet;

use crate::event::ConversationEvent;
use crate::record::EventRecord;

/// What counts so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Admission {
    /// The newest number.
    newest: u64,
    /// The names of the events of the last turn.
    names: BTreeSet<String>,
}

impl Admission {
    /// After these records, which were admitted.
    pub(crate) fn after(records: &[EventRecord]) -> Self {
        let newest = records.iter().filter_map(|record| record.fence).max().unwrap_or_default();
        let said = |record: &EventRecord| matches!(record.event, ConversationEvent::Said { .. });
        let last = records.iter().rposition(said).unwrap_or_default();
        let events = records.iter().skip(last).map(|record| &record.event);
        let names = events.filter(|event| is_once(event)).map(ConversationEvent::name).collect();
        Self { newest, names }
    }

    /// Whether the newest record was written under this lease.
    pub(crate) fn is_newest(&self, fence: u64) -> bool {
        self.newest == fence
    }

    /// The next record of the log, as it counts.
    pub(crate) fn admit(&mut self, record: EventRecord) -> EventRecord {
        // Without a lease comes what needs none, such as a notice of a tool.
        let is_late = record.fence.is_some_and(|fence| fence < self.newest);
        if !is_late && matches!(record.event, ConversationEvent::Said { .. }) {
            self.names.clear();
        }
        self.newest = self.newest.max(record.fence.unwrap_or_default());
        let is_repeated =
            is_once(&record.event) && !is_late && !self.names.insert(record.event.name());
        match is_late || is_repeated {
            true => EventRecord { event: ConversationEvent::Superseded, ..record },
            false => record,
        }
    }
}

/// Whether an event of this name counts once in a turn.
fn is_once(event: &ConversationEvent) -> bool {
    event.turn().is_some() && !matches!(event, ConversationEvent::Said { .. })
}
