//! The last event of a run: its outcome and its usage.

use conversation::EndReason;
use serde_json::{Value, json};

use super::AguiEvents;
use crate::stream::event::Event;
use crate::stream::snapshot::{since, tokens};

impl AguiEvents {
    pub(crate) fn finished(&self, turn: u64, outcome: &Value) -> Event {
        let model = self.conversation.opened.as_ref().map_or("", |opened| opened.model.as_str());
        let fields = json!({
            "threadId": self.thread,
            "runId": format!("t{turn}"),
            "outcome": outcome,
            "usage": tokens(model, since(self.conversation.usage, self.used_before)),
        });
        Event::new("RUN_FINISHED", fields)
    }

    pub(crate) fn ended(&self, turn: u64, how: &EndReason) -> Event {
        match how {
            EndReason::Failed { fault } => {
                let message = format!("{}; {}", fault.message, fault.fix);
                Event::new("RUN_ERROR", json!({ "message": message, "code": "model_failed" }))
            }
            EndReason::TooManyRounds => {
                let message = "the model kept calling tools; the turn was stopped";
                Event::new("RUN_ERROR", json!({ "message": message, "code": "too_many_rounds" }))
            }
            EndReason::NoAnswer => {
                let message = "the model gave no answer; ask again, or use another model";
                Event::new("RUN_ERROR", json!({ "message": message, "code": "no_answer" }))
            }
            EndReason::Answered
            | EndReason::CutOff
            | EndReason::Refused { .. }
            | EndReason::Cancelled
            | EndReason::MovedOn => {
                let kind = if *how == EndReason::Cancelled { "cancelled" } else { "success" };
                let mut event = self.finished(turn, &json!({ "type": kind }));
                event.data["result"] = json!(how);
                event
            }
        }
    }
}
