//! The lines of an export: what every engine writes and reads.
//!
//! One JSON object per line, its one field naming its kind. In order: one `store` line,
//! the `kv` lines by key, each `log` line by name followed by its `record` lines by
//! number, the `message` lines by id, and one `end` line that counts the lines between.
//! The same content always gives the same bytes.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::json::Json;
use crate::kv::Revision;
use crate::log::Sequence;
use crate::name::{DedupKey, Key, LogName, QueueName};
use crate::queue::MessageId;

/// The version of the lines.
pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ExportLine {
    Store(Head),
    Kv(KvLine),
    Log(LogLine),
    Record(RecordLine),
    Message(MessageLine),
    End(End),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub format: u32,
    /// Both counters continue after an import, so that no number is reused.
    pub revision: Revision,
    pub message: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KvLine {
    pub key: Key,
    pub revision: Revision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    pub value: Json,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogLine {
    pub name: LogName,
    pub first: Sequence,
    pub last: Sequence,
}

/// A record of the log named last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordLine {
    pub sequence: Sequence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<DedupKey>,
    pub body: Json,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageLine {
    pub id: MessageId,
    pub queue: QueueName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup: Option<DedupKey>,
    pub ready_at: Timestamp,
    pub attempts: u32,
    pub attempts_max: u32,
    pub claims: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died_at: Option<Timestamp>,
    pub body: Json,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    pub lines: u64,
}
