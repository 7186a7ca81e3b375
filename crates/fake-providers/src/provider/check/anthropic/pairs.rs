//! Calls and results of Anthropic: every call has its result in the next message, first.

use serde_json::Value;

use super::super::Lines;

pub(super) fn check(lines: &mut Lines, messages: &[Value]) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages.{index}");
        let calls = ids(message, "tool_use", "id");
        for id in &calls {
            if seen.contains(id) {
                lines.say(&place, &format!("`tool_use` ids must be unique, `{id}` is not"));
            }
        }
        seen.extend(&calls);
        if !calls.is_empty() {
            let results =
                messages.get(index + 1).map(|next| ids(next, "tool_result", "tool_use_id"));
            let results = results.unwrap_or_default();
            let open: Vec<_> = calls.iter().filter(|id| !results.contains(id)).copied().collect();
            if !open.is_empty() {
                let what = format!(
                    "`tool_use` ids were found without `tool_result` blocks immediately after: {}",
                    open.join(", ")
                );
                lines.say(&place, &what);
            }
        }
        check_results(lines, &place, message, index.checked_sub(1).and_then(|at| messages.get(at)));
        check_server(lines, &place, message);
    }
}

fn check_results(lines: &mut Lines, place: &str, message: &Value, before: Option<&Value>) {
    let asked = before.map(|before| ids(before, "tool_use", "id")).unwrap_or_default();
    let mut answered = Vec::new();
    let mut others = false;
    for block in message["content"].as_array().into_iter().flatten() {
        if block["type"] != "tool_result" {
            others = true;
            continue;
        }
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if others {
            lines.say(place, "`tool_result` blocks must come first in the message");
        }
        if !asked.contains(&id) {
            let what = format!(
                "unexpected `tool_use_id` `{id}`: each `tool_result` must have a `tool_use` in \
                 the previous message"
            );
            lines.say(place, &what);
        }
        if answered.contains(&id) {
            lines.say(place, &format!("each `tool_use` must have a single result, `{id}` has two"));
        }
        answered.push(id);
    }
}

/// The provider's own tools have their results in the same message.
fn check_server(lines: &mut Lines, place: &str, message: &Value) {
    let uses = ids(message, "server_tool_use", "id");
    for block in message["content"].as_array().into_iter().flatten() {
        let kind = block["type"].as_str().unwrap_or_default();
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if kind.ends_with("_tool_result") && !uses.contains(&id) {
            lines.say(place, &format!("`{kind}` has no `server_tool_use` `{id}` before it"));
        }
    }
}

fn ids<'a>(message: &'a Value, kind: &str, field: &str) -> Vec<&'a str> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter(|block| block["type"] == kind).filter_map(|block| block[field].as_str()).collect()
}
