//! The OpenAI Batch API: a file of requests in, a file of answers out.

use contract::{Digest, ModelFault, Wire};
use serde_json::{Value, json};

use super::jsonl;
use super::{BatchId, BatchState, Batches, id_of, plain_id};
use crate::fault::{self, ErrorResponse};
use crate::http::Content;
use crate::provider::Provider;

const REQUESTS_MAX: usize = 50_000;

pub(super) async fn submit(
    batches: &Batches<'_>,
    bodies: &[(&str, Value)],
) -> Result<BatchId, ModelFault> {
    if bodies.len() > REQUESTS_MAX {
        return Err(fault::bad_batch(&format!("it has more than {REQUESTS_MAX} requests")));
    }
    let url = match batches.provider().wire {
        Wire::Responses => "/v1/responses",
        Wire::Chat | Wire::Anthropic | Wire::Gemini => "/v1/chat/completions",
    };
    let line = |(name, body): &(&str, Value)| {
        json!({ "custom_id": name, "method": "POST", "url": url, "body": body }).to_string() + "\n"
    };
    let file: String = bodies.iter().map(line).collect();
    let file = batches.post("/files", form(&file)).await?;
    let batch = json!({
        "input_file_id": id_of(&file)?, "endpoint": url, "completion_window": "24h",
    });
    let made = batches.post("/batches", Content::Json(batch.to_string().into())).await?;
    id_of(&made).map(BatchId)
}

/// A form with a file. The boundary is a digest of the content, so the content does not contain it.
fn form(file: &str) -> Content {
    let border = Digest::of(file.as_bytes()).hex(64);
    let body = format!(
        "--{border}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{border}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"batch.jsonl\"\r\n\
         Content-Type: application/jsonl\r\n\r\n{file}\r\n--{border}--\r\n"
    );
    Content::Other(format!("multipart/form-data; boundary={border}"), body.into())
}

pub(super) fn state(batch: &Value) -> BatchState {
    let count = |pointer| batch.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    match batch.get("status").and_then(Value::as_str) {
        Some("completed" | "expired" | "cancelled") => BatchState::Ended,
        Some("cancelling") => BatchState::Cancelling,
        Some("failed") => {
            let why = batch.pointer("/errors/data/0/message").and_then(Value::as_str);
            BatchState::Refused { why: fault::clip(why.unwrap_or("the provider gives no reason")) }
        }
        Some(_) | None => BatchState::AtWork {
            done: count("/request_counts/completed") + count("/request_counts/failed"),
            total: count("/request_counts/total"),
        },
    }
}

/// Successful answers are in one file and errors in another; either may be missing.
pub(super) async fn results(
    batches: &Batches<'_>,
    id: &BatchId,
    take: &mut (dyn FnMut(&Value) + Send),
) -> Result<(), ModelFault> {
    let batch = batches.get(&batches.path(id, "")?).await?;
    for key in ["output_file_id", "error_file_id"] {
        if let Some(file) = batch.get(key).and_then(Value::as_str) {
            jsonl::read(batches, &format!("/files/{}/content", plain_id(file)?), take).await?;
        }
    }
    Ok(())
}

/// The body of the answer in one line.
pub(super) fn answer(provider: &Provider, model: &str, line: &Value) -> Result<Value, ModelFault> {
    let body = line.pointer("/response/body").cloned().unwrap_or_default();
    let status = line.pointer("/response/status_code").and_then(Value::as_u64);
    match status.and_then(|status| u16::try_from(status).ok()) {
        Some(200) => Ok(body),
        Some(status) => {
            let body = &body.to_string();
            let answered =
                ErrorResponse { status, body, location: None, retry_after: None, tools: &[] };
            Err(fault::of_answer(provider, model, &answered))
        }
        None => {
            let why = line.pointer("/error/message").and_then(Value::as_str);
            Err(fault::batch_item(&fault::clip(&provider.redact(why.unwrap_or("it was lost")))))
        }
    }
}
