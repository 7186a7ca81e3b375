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
    #[serde(flatten)]
    pub event: ConversationEvent,
}

/// The body of a record.
#[derive(Deserialize)]
struct Body {
    at: Timestamp,
    #[serde(flatten)]
    event: ConversationEvent,
}

#[derive(Serialize)]
struct BodyRef<'a> {
    at: Timestamp,
    #[serde(flatten)]
    event: &'a ConversationEvent,
}

impl EventRecord {
    pub(crate) fn decode(record: &store::Record) -> Result<Self, ConversationFault> {
        let sequence = record.sequence.0;
        let Body { at, event } = record
            .body
            .to()
            .map_err(|bad| ConversationFault::Unreadable { sequence, because: bad.to_string() })?;
        Ok(Self { sequence, at, event })
    }
}

/// The body of an event's record, and the key with which the log stores it only once.
pub(crate) fn encode(
    at: Timestamp,
    event: &ConversationEvent,
) -> Result<(Json, DedupKey), StoreFault> {
    Ok((Json::of(&BodyRef { at, event })?, event.name().parse()?))
}
