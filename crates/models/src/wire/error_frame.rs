//! An error inside a stream, after a success status.

use contract::{FaultKind, ModelFault};
use serde_json::Value;

use super::json::text;
use crate::fault;

/// The meaning of the providers' codes and statuses, first match first; anything else is
/// a temporary problem.
const KINDS: [(FaultKind, u64, &[&str]); 7] = [
    (FaultKind::SpendCap, 402, &["insufficient_quota", "billing"]),
    (FaultKind::RateLimited, 429, &["rate_limit", "RESOURCE_EXHAUSTED"]),
    (FaultKind::WrongKey, 401, &["authentication", "permission", "UNAUTHENTICATED"]),
    (FaultKind::UnknownModel, 404, &["not_found", "NOT_FOUND"]),
    (FaultKind::ContextExceeded, 0, &["context_length"]),
    (FaultKind::TooLarge, 413, &["too_large"]),
    (FaultKind::BadRequest, 400, &["invalid", "INVALID_ARGUMENT", "policy"]),
];

/// The fault for an error object of any provider.
pub(super) fn fault_of(error: &Value) -> ModelFault {
    let message = error.as_str().unwrap_or_else(|| text(error, "message"));
    let words = [text(error, "type"), text(error, "code"), text(error, "status")];
    let number = error.get("code").and_then(Value::as_u64);
    let means = |(_, status, known): &&(FaultKind, u64, &[&str])| {
        let is_named = |word: &&str| words.iter().any(|found| found.contains(*word));
        number == Some(*status) || known.iter().any(is_named)
    };
    let kind = match KINDS.iter().find(means) {
        _ if fault::says_too_long(message) => FaultKind::ContextExceeded,
        Some((kind, ..)) => *kind,
        None => FaultKind::Overloaded,
    };
    fault::in_stream(kind, message)
}
