//! Serialises `Arc`s like the values inside them.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serializer};

use super::MemoryEntry;

pub(super) fn serialize<S: Serializer>(
    calls: &VecDeque<Arc<MemoryEntry>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(calls.iter().map(AsRef::as_ref))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<VecDeque<Arc<MemoryEntry>>, D::Error> {
    let calls = Vec::<MemoryEntry>::deserialize(deserializer)?;
    Ok(calls.into_iter().map(Arc::new).collect())
}
