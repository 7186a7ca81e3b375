//! Events as records of a log.

use policy::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
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
        let Body { at, fence, event } = record.body.to().map_err(|bad| {
            let because = newer(record).unwrap_or_else(|| bad.to_string());
            ConversationFault::Unreadable { sequence, because }
        })?;
        Ok(Self { sequence, at, fence, event })
    }
}

#[derive(Deserialize)]
struct Named {
    event: String,
}

/// What to say about an event that this program does not know: a later version wrote it.
fn newer(record: &store::Record) -> Option<String> {
    let Named { event } = record.body.to().ok()?;
    let known = serde_json::from_value::<ConversationEvent>(json!({ "event": &event }));
    let is_unknown = known.is_err_and(|bad| bad.to_string().starts_with("unknown variant"));
    let name: String = event.chars().take(NAME_CHARS_MAX).collect();
    is_unknown.then(|| {
        format!("`{name}` is an event of a later version; open the conversation with that version")
    })
}

/// How much of an unknown name is shown.
const NAME_CHARS_MAX: usize = 40;

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use store::{Json, Record, Sequence};

    use super::EventRecord;

    #[test]
    fn an_event_of_a_later_version_is_refused_with_what_to_do() {
        let check = |body: Value, expected: &str| {
            let record =
                Record { sequence: Sequence(7), key: None, body: Json::of(&body).unwrap() };
            let fault = EventRecord::decode(&record).unwrap_err().to_string();
            assert!(fault.starts_with("event 7 of the conversation cannot be read"), "{fault}");
            assert!(fault.contains(expected), "{fault}");
        };
        let later = "`painted` is an event of a later version; open the conversation with that";
        check(json!({ "at": 1, "event": "painted", "turn": 1 }), later);
        check(json!({ "at": 1, "event": "said", "turn": "one" }), "invalid type");
        check(json!({ "at": 1 }), "missing field");
    }
}
