//! Settled calls as events of the log.

use contract::Call;
use engine::Settled;
use policy::{RuleId, VerdictKind};
use serde_json::Value;

use crate::event::SettledCall;

impl SettledCall {
    /// A settled call as the log records it.
    pub(crate) fn of(call: &Call, settled: Settled, shown_bytes_max: usize) -> Self {
        let (content, is_error) = settled.content_for_model(shown_bytes_max);
        let duration = settled.duration();
        Self {
            call: call.clone(),
            edited: settled.edited,
            auto: false,
            verdict: settled.verdict.as_str().to_owned(),
            rule: settled.reason.rule,
            content,
            is_error,
            intents: settled.intents,
            artifacts: settled.artifacts,
            duration,
            notes: settled.notes,
        }
    }

    /// A call that was never made, with the message for the model.
    pub(crate) fn unrun(call: &Call, content: Value, rule: RuleId) -> Self {
        Self {
            call: call.clone(),
            edited: None,
            auto: false,
            verdict: VerdictKind::Refuse.as_str().to_owned(),
            rule,
            content,
            is_error: true,
            intents: Vec::new(),
            artifacts: Vec::new(),
            duration: None,
            notes: Vec::new(),
        }
    }
}
