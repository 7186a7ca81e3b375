//! Indexes in memory, by digest; the ones that were not used for longest go first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Digest;

use crate::index::Index;

pub(crate) struct Cache {
    bytes_max: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// With the time of its last use.
    indexes: BTreeMap<Digest, (u64, Arc<Index>)>,
    bytes: usize,
    time: u64,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, inner: Mutex::default() }
    }

    pub(crate) fn get(&self, digest: &Digest) -> Option<Arc<Index>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.time += 1;
        let now = inner.time;
        let (used, index) = inner.indexes.get_mut(digest)?;
        *used = now;
        Some(Arc::clone(index))
    }

    pub(crate) fn put(&self, digest: Digest, index: &Arc<Index>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.time += 1;
        let entry = (inner.time, Arc::clone(index));
        inner.bytes += index.text.len();
        if let Some((_, old)) = inner.indexes.insert(digest, entry) {
            inner.bytes -= old.text.len();
        }
        while inner.bytes > self.bytes_max {
            let oldest = inner.indexes.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else { break };
            if let Some((_, gone)) = inner.indexes.remove(&oldest) {
                inner.bytes -= gone.text.len();
            }
        }
    }
}
