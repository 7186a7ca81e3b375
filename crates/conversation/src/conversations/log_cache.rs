//! The logs that were read last, in memory: a reader asks the store only for what is new.
//!
//! Must hold: a reader gets what the store has at that moment, whichever process wrote it. A log
//! only grows, so the records in memory are its beginning for as long as the store still has the
//! newest of them, unchanged; every read begins with that record. A log that was erased, or that
//! another copy of the store replaced, is read from its beginning.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{Log, LogName, Record, Sequence, StoreFault};

use super::lease::fence::Admission;
use crate::fault::ConversationFault;
use crate::record::EventRecord;
use crate::state::Conversation;

/// How much of all logs is kept, measured as it is stored; in memory it is a few times as much.
const BYTES_MAX: usize = 16 << 20;

const LOGS_MAX: usize = 64;

/// How many records are read at once.
const PAGE: usize = 1_000;

/// A whole log, and what follows from it.
#[derive(Debug, Clone, Default)]
pub struct ConversationLog {
    /// The events, in order.
    pub records: Arc<Vec<EventRecord>>,
    pub conversation: Arc<Conversation>,
}

/// The logs in memory, the one that was read last at the end. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct LogCache(Arc<Mutex<Vec<Slot>>>);

struct Slot {
    name: LogName,
    /// What it takes, when it was last read.
    bytes: usize,
    log: Arc<tokio::sync::Mutex<CachedLog>>,
}

#[derive(Default)]
struct CachedLog {
    log: ConversationLog,
    admission: Admission,
    /// As the store has it.
    newest: Option<Record>,
    bytes: usize,
}

impl LogCache {
    /// The log as it is now; empty if it does not exist.
    pub(crate) async fn read(
        &self,
        store: &dyn Log,
        name: &LogName,
    ) -> Result<ConversationLog, ConversationFault> {
        let slot = self.slot(name);
        let mut cached = slot.lock().await;
        cached.read_on(store, name).await?;
        let (log, bytes) = (cached.log.clone(), cached.bytes);
        drop(cached);
        self.make_room(name, bytes);
        Ok(log)
    }

    /// Drops a log that was erased.
    pub(crate) fn forget(&self, name: &LogName) {
        self.lock().retain(|slot| slot.name != *name);
    }

    fn slot(&self, name: &LogName) -> Arc<tokio::sync::Mutex<CachedLog>> {
        let mut slots = self.lock();
        let slot = match slots.iter().position(|slot| slot.name == *name) {
            Some(at) => slots.remove(at),
            None => Slot { name: name.clone(), bytes: 0, log: Arc::default() },
        };
        let log = Arc::clone(&slot.log);
        slots.push(slot);
        log
    }

    /// Drops what was not read for the longest time.
    fn make_room(&self, name: &LogName, bytes: usize) {
        let mut slots = self.lock();
        if let Some(slot) = slots.iter_mut().find(|slot| slot.name == *name) {
            slot.bytes = bytes;
        }
        slots.retain(|slot| slot.bytes > 0 || slot.name != *name);
        let mut bytes: usize = slots.iter().map(|slot| slot.bytes).sum();
        let mut count = slots.len();
        slots.retain(|slot| {
            let is_kept = bytes <= BYTES_MAX && count <= LOGS_MAX;
            if !is_kept {
                bytes -= slot.bytes;
                count -= 1;
            }
            is_kept
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().iter().map(|slot| slot.name.to_string()).collect()
    }
}

impl CachedLog {
    /// Adds what the log has got since then. Cancel safe.
    async fn read_on(&mut self, store: &dyn Log, name: &LogName) -> Result<(), ConversationFault> {
        if !self.is_current(store, name).await? {
            drop(mem::take(self));
        }
        loop {
            let from =
                self.newest.as_ref().map_or(Sequence::FIRST, |newest| newest.sequence.next());
            let page = store.read(name, from, PAGE).await?;
            if page.is_empty() {
                return Ok(());
            }
            for record in page {
                self.add(record)?;
            }
        }
    }

    /// Whether the store still has what is in memory, and perhaps more.
    async fn is_current(&self, store: &dyn Log, name: &LogName) -> Result<bool, StoreFault> {
        let Some(newest) = &self.newest else { return Ok(true) };
        match store.read(name, newest.sequence, 1).await {
            Ok(page) => Ok(page.first() == Some(newest)),
            Err(StoreFault::Erased { .. }) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    fn add(&mut self, record: Record) -> Result<(), ConversationFault> {
        let read = self.admission.admit(EventRecord::decode(&record)?);
        let ConversationLog { records, conversation } = &mut self.log;
        Arc::make_mut(conversation).add(read.event.clone());
        Arc::make_mut(records).push(read);
        self.bytes += record.body.as_str().len();
        self.newest = Some(record);
        Ok(())
    }
}
