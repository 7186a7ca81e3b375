//! An error that comes inside a stream, after the status was already good.

use contract::{FaultKind, ModelFault};
use serde_json::Value;

use super::json::text;
use crate::fault;

/// The fault that an error object of any provider means.
pub(super) fn fault_of(error: &Value) -> ModelFault {
    let message = error.as_str().unwrap_or_else(|| text(error, "message"));
    let words = [text(error, "type"), text(error, "code"), text(error, "status")];
    let has = |word: &str| words.iter().any(|found| found.contains(word));
    let number = error.get("code").and_then(Value::as_u64).unwrap_or_default();
    let kind = if has("insufficient_quota") || has("billing") || number == 402 {
        FaultKind::SpendCap
    } else if has("rate_limit") || has("RESOURCE_EXHAUSTED") || number == 429 {
        FaultKind::RateLimited
    } else if has("context_length") || fault::says_too_long(message) {
        FaultKind::ContextExceeded
    } else if has("invalid") || has("INVALID_ARGUMENT") || has("policy") || number == 400 {
        FaultKind::BadRequest
    } else {
        FaultKind::Overloaded
    };
    fault::in_stream(kind, message)
}
