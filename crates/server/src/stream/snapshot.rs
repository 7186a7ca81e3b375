//! The state of a conversation that every reader may see: whether a turn runs, which calls
//! wait for a person, and the usage.

use contract::{CallId, Usage};
use conversation::{Conversation, FormQuestion, WaitsFor};
use policy::preview_lines;
use serde_json::{Value, json};

/// The state; `running` is not in the log.
pub(crate) fn state(conversation: &Conversation, running: bool) -> Value {
    json!({ "running": running, "waiting": waiting(conversation), "usage": conversation.usage })
}

/// Whether a turn continues without a person, according to the log.
pub(crate) fn continues(conversation: &Conversation) -> bool {
    conversation.open_turn().is_some_and(|turn| turn.waiting.is_empty())
}

/// The JSON Patch from one state to another.
pub(crate) fn patch(before: &Value, after: &Value) -> Vec<Value> {
    let fields = after.as_object().into_iter().flatten();
    let changed = fields.filter(|(name, value)| before.get(name.as_str()) != Some(*value));
    changed
        .map(|(name, value)| json!({ "op": "replace", "path": format!("/{name}"), "value": value }))
        .collect()
}

/// The calls that wait for a person.
pub(crate) fn waiting(conversation: &Conversation) -> Vec<Value> {
    let waiting = conversation.open_turn().into_iter().flat_map(|turn| &turn.waiting);
    waiting
        .map(|(call, what)| match what {
            WaitsFor::Approval { request, preview } => {
                json!({
                    "call": call, "request": request,
                    "preview": preview, "previewLines": preview_lines(preview),
                })
            }
            WaitsFor::Answers { questions, .. } => {
                json!({ "call": call, "questions": questions })
            }
            WaitsFor::Knowledge { tool } => json!({ "call": call, "inDoubt": tool }),
        })
        .collect()
}

/// The same calls as AG-UI interrupts.
pub(crate) fn interrupts(conversation: &Conversation) -> Vec<Value> {
    let waiting = conversation.open_turn().into_iter().flat_map(|turn| &turn.waiting);
    waiting
        .flat_map(|(call, what)| match what {
            WaitsFor::Approval { request, preview } => vec![json!({
                "id": request, "reason": "approval", "message": preview, "toolCallId": call,
            })],
            WaitsFor::Answers { questions, .. } => {
                questions.iter().map(|question| question_interrupt(call, question)).collect()
            }
            WaitsFor::Knowledge { tool } => {
                let message = format!("the outcome of `{tool}` is unknown; a person has to check");
                let interrupt = json!({
                    "id": call, "reason": "in_doubt", "message": message, "toolCallId": call,
                });
                vec![interrupt]
            }
        })
        .collect()
}

fn question_interrupt(call: &CallId, question: &FormQuestion) -> Value {
    json!({
        "id": question_id(call, &question.name), "reason": "input_required",
        "message": question.message, "toolCallId": call, "responseSchema": question.schema,
    })
}

/// The id of a handler's question in the whole conversation.
pub(crate) fn question_id(call: &CallId, name: &str) -> String {
    format!("{}/{name}", call.0)
}

/// Token usage in AG-UI's format.
pub(crate) fn tokens(model: &str, usage: Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, thinking } = usage;
    let (provider, model) = model.split_once(':').unwrap_or(("", model));
    let whole = input.saturating_add(cache_read).saturating_add(cache_write);
    json!([{
        "provider": provider,
        "model": model,
        "inputTokens": whole,
        "outputTokens": output,
        "totalTokens": whole.saturating_add(output),
        "reasoningTokens": thinking,
        "cachedInputTokens": cache_read,
        "cacheWriteInputTokens": cache_write,
    }])
}

/// The usage since then.
pub(crate) fn since(now: Usage, then: Usage) -> Usage {
    Usage {
        input: now.input.saturating_sub(then.input),
        output: now.output.saturating_sub(then.output),
        cache_read: now.cache_read.saturating_sub(then.cache_read),
        cache_write: now.cache_write.saturating_sub(then.cache_write),
        thinking: now.thinking.saturating_sub(then.thinking),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::patch;

    #[test]
    fn a_patch_contains_only_what_has_changed() {
        let before = json!({"running": true, "waiting": []});
        assert_eq!(patch(&before, &before), Vec::<serde_json::Value>::new());
        let after = json!({"running": false, "waiting": []});
        let expected = [json!({"op": "replace", "path": "/running", "value": false})];
        assert_eq!(patch(&before, &after), expected);
    }
}
