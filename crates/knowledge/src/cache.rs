//! Values in memory, by key; the ones that were not used for longest go first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Cache<K, V> {
    bytes_max: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V> {
    entries: BTreeMap<K, Entry<V>>,
    bytes: usize,
    time: u64,
}

struct Entry<V> {
    last_used: u64,
    bytes: usize,
    value: Arc<V>,
}

impl<K: Ord + Clone, V> Cache<K, V> {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let inner = Inner { entries: BTreeMap::new(), bytes: 0, time: 0 };
        Self { bytes_max, inner: Mutex::new(inner) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.time += 1;
        let now = inner.time;
        let entry = inner.entries.get_mut(key)?;
        entry.last_used = now;
        Some(Arc::clone(&entry.value))
    }

    pub(crate) fn put(&self, key: K, value: &Arc<V>, bytes: usize) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.time += 1;
        let entry = Entry { last_used: inner.time, bytes, value: Arc::clone(value) };
        inner.bytes += bytes;
        if let Some(old) = inner.entries.insert(key, entry) {
            inner.bytes -= old.bytes;
        }
        while inner.bytes > self.bytes_max {
            let oldest = inner.entries.iter().min_by_key(|(_, entry)| entry.last_used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            inner.drop_entry(&oldest);
        }
    }

    pub(crate) fn forget(&self, key: &K) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).drop_entry(key);
    }
}

impl<K: Ord, V> Inner<K, V> {
    fn drop_entry(&mut self, key: &K) {
        if let Some(gone) = self.entries.remove(key) {
            self.bytes -= gone.bytes;
        }
    }
}
