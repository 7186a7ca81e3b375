//! The calls of tools: begun, called, settled.

use contract::CallId;
use conversation::SettledCall;
use serde_json::json;

use super::AguiEvents;
use crate::stream::entry_key::step_key;
use crate::stream::event::Event;

impl AguiEvents {
    pub(super) fn begin(&mut self, call: &CallId, tool: &str, frames: &mut Vec<Event>) {
        if self.begun.insert(call.clone()) {
            let fields = json!({ "toolCallId": call, "toolCallName": tool });
            frames.push(Event::new("TOOL_CALL_START", fields));
        }
    }

    pub(super) fn called(&mut self, call: &contract::Call, frames: &mut Vec<Event>) {
        self.begin(&call.id, &call.tool, frames);
        let args = json!({ "toolCallId": call.id, "delta": call.args.to_string() });
        frames.push(Event::new("TOOL_CALL_ARGS", args));
        frames.push(Event::new("TOOL_CALL_END", json!({ "toolCallId": call.id })));
    }

    pub(super) fn settled(&mut self, turn: u64, settled: &SettledCall, frames: &mut Vec<Event>) {
        let SettledCall { call, auto, content, .. } = settled;
        if *auto {
            self.called(call, frames);
        }
        let content = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        frames.push(Event::new(
            "TOOL_CALL_RESULT",
            json!({
                "messageId": format!("{}.result", step_key(turn, &call.id)),
                "toolCallId": call.id,
                "content": content,
                "role": "tool",
            }),
        ));
    }
}
