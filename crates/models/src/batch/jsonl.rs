//! Results in JSON Lines, read one by one.

use contract::ModelFault;
use serde_json::Value;

use super::Batches;
use crate::fault;
use crate::http::ProviderRequest;

/// Passes each line on. A line may be at most as long as a reply.
pub(super) async fn read(
    batches: &Batches<'_>,
    path: &str,
    take: &mut (dyn FnMut(&Value) + Send),
) -> Result<(), ModelFault> {
    let line = &batches.client.line;
    let answer = line.ask(batches.provider(), &ProviderRequest::get(path)).await?;
    let mut body = answer.body();
    let mut held = Vec::new();
    while let Some(bytes) = body.next(line.limits.batch_bytes_max).await? {
        let mut rest = bytes.as_ref();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (whole, after) = rest.split_at(end);
            held.extend_from_slice(whole);
            pass_on(&held, take)?;
            held.clear();
            rest = after.get(1..).unwrap_or_default();
        }
        held.extend_from_slice(rest);
        if held.len() > line.limits.reply_bytes_max {
            return Err(fault::reply_too_large(line.limits.reply_bytes_max));
        }
    }
    pass_on(&held, take)
}

fn pass_on(line: &[u8], take: &mut (dyn FnMut(&Value) + Send)) -> Result<(), ModelFault> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    let value = serde_json::from_slice(line)
        .map_err(|error| fault::garbled(&format!("a line of results is not JSON ({error})")))?;
    take(&value);
    Ok(())
}
