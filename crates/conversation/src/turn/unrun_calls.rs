//! Calls that are not settled when their turn ends, and the message for the model about each.

use contract::Call;
use policy::RuleId;
use serde_json::json;

use crate::event::{ConversationEvent, EndReason, SettledCall};
use crate::state::{TurnState, WaitsFor};

/// A call that was not made because the turn ended first, or whose outcome is unknown.
pub(crate) fn unmade(call: &Call, how: &EndReason, waits: Option<&WaitsFor>) -> SettledCall {
    let (kind, message) = match (how, waits) {
        (_, Some(WaitsFor::Knowledge { .. })) => (
            "INTERNAL",
            "Nobody knows whether this call happened; a person has to find out. Do not repeat it.",
        ),
        (EndReason::MovedOn, Some(WaitsFor::Answers { .. })) => (
            "PERMANENT",
            "The tool asked the user, who wrote something else instead of answering; it was not run.",
        ),
        (EndReason::MovedOn, _) => (
            "CONFIRMATION_REQUIRED",
            "The user wrote something else instead of agreeing; it was not run.",
        ),
        (EndReason::TooManyRounds, _) => {
            ("BUDGET_EXCEEDED", "The rounds of this turn are used up; it was not run.")
        }
        (EndReason::Cancelled, _) => ("PERMANENT", "The user stopped the turn; it was not run."),
        (
            EndReason::Answered
            | EndReason::CutOff
            | EndReason::NoAnswer
            | EndReason::Refused { .. }
            | EndReason::Failed { .. },
            _,
        ) => ("PERMANENT", "The turn ended first; it was not run."),
    };
    let content = json!({ "type": kind, "message": message, "retryable": false });
    let rule = match how {
        EndReason::MovedOn => RuleId::MOVED_ON,
        EndReason::Answered
        | EndReason::CutOff
        | EndReason::NoAnswer
        | EndReason::Refused { .. }
        | EndReason::TooManyRounds
        | EndReason::Cancelled
        | EndReason::Failed { .. } => RuleId::TURN_ENDED,
    };
    SettledCall::unrun(call, content, rule)
}

/// The events that settle the calls of an abandoned turn and end it.
pub(crate) fn ended_early(turn: &TurnState, how: EndReason) -> Vec<ConversationEvent> {
    let number = turn.number;
    let mut events = Vec::new();
    if let Some(last) = turn.rounds.last() {
        let round = u32::try_from(turn.rounds.len() - 1).unwrap_or(u32::MAX);
        for call in last.reply.calls().filter(|call| !last.settled.contains_key(&call.id)) {
            let settled = unmade(call, &how, turn.waiting.get(&call.id));
            events.push(ConversationEvent::Settled { turn: number, round, settled });
        }
    }
    events.push(ConversationEvent::Ended { turn: number, how });
    events
}
