//! Events as records of a log.

use policy::Timestamp;
use serde::{Deserialize, Serialize};
use store::{DedupKey, Json, StoreFault};

use crate::event::ConversationEvent;
use crate::fault::ConversationFault;

/// An event with its position in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    pub sequence: u64,
    pub at: Timestamp,
    /// The number of the lease under which it was written; none for what needs no lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    #[serde(flatten)]
    pub event: ConversationEvent,
}

/// The body of a record.
#[derive(Deserialize)]
struct Body {
    at: Timestamp,
    #[serde(default)]
    fence: Option<u64>,
    #[serde(flatten)]
    event: ConversationEvent,
}

#[derive(Serialize)]
struct BodyRef<'a> {
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<u64>,
    #[serde(flatten)]
    event: &'a ConversationEvent,
}

impl EventRecord {
    pub(crate) fn decode(record: &store::Record) -> Result<Self, ConversationFault> {
        let sequence = record.sequence.0;
        let Body { at, fence, event } = record
            .body
            .to()
            .map_err(|bad| ConversationFault::Unreadable { sequence, because: bad.to_string() })?;
        Ok(Self { sequence, at, fence, event })
    }
}

/// The body of an event's record, and the key with which the log stores it only once. What is
/// written under a lease carries its number, and each lease has keys of its own: a record that does
/// not count must not prevent one that does.
pub(crate) fn encode(
    at: Timestamp,
    fence: Option<u64>,
    event: &ConversationEvent,
) -> Result<(Json, DedupKey), StoreFault> {
    let name = match fence {
        Some(fence) => format!("{}@{fence}", event.name()),
        None => event.name(),
    };
    Ok((Json::of(&BodyRef { at, fence, event })?, name.parse()?))
}
