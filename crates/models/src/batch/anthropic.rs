//! Anthropic Message Batches.

use contract::ModelFault;
use serde_json::{Value, json};

use super::jsonl;
use super::{BatchId, BatchState, Batches, id_of};
use crate::fault;
use crate::http::Content;

const REQUESTS_MAX: usize = 100_000;

pub(super) async fn submit(
    batches: &Batches<'_>,
    bodies: &[(&str, Value)],
) -> Result<BatchId, ModelFault> {
    if bodies.len() > REQUESTS_MAX {
        return Err(fault::bad_batch(&format!("it has more than {REQUESTS_MAX} requests")));
    }
    let entry = |(name, body): &(&str, Value)| json!({ "custom_id": name, "params": body });
    let requests: Vec<_> = bodies.iter().map(entry).collect();
    let content = Content::Json(json!({ "requests": requests }).to_string().into());
    let made = batches.post("/v1/messages/batches", content).await?;
    id_of(&made).map(BatchId)
}

pub(super) fn state(batch: &Value) -> BatchState {
    let count = |name: &str| {
        batch.pointer(&format!("/request_counts/{name}")).and_then(Value::as_u64).unwrap_or(0)
    };
    match batch.get("processing_status").and_then(Value::as_str) {
        Some("ended") => BatchState::Ended,
        Some("canceling") => BatchState::Cancelling,
        Some(_) | None => {
            let done = ["succeeded", "errored", "canceled", "expired"].into_iter().map(count).sum();
            BatchState::AtWork { done, total: done + count("processing") }
        }
    }
}

/// Reads from our own address: `results_url` could send the key elsewhere.
pub(super) async fn results(
    batches: &Batches<'_>,
    id: &BatchId,
    take: &mut (dyn FnMut(&Value) + Send),
) -> Result<(), ModelFault> {
    jsonl::read(batches, &batches.path(id, "/results")?, take).await
}

/// The message in one line.
pub(super) fn answer(line: &Value) -> Result<Value, ModelFault> {
    let result = line.get("result").unwrap_or(&Value::Null);
    match result.get("type").and_then(Value::as_str) {
        Some("succeeded") => Ok(result.get("message").cloned().unwrap_or_default()),
        // An error object, which the decoder reads like the end of a stream.
        Some("errored") => Ok(result.get("error").cloned().unwrap_or_default()),
        other => Err(fault::batch_item(&format!("it is {}", other.unwrap_or("lost")))),
    }
}
