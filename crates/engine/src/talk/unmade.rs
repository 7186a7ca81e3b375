//! Calls that have no end when their turn ends: what the model is told of them.

use contract::Call;
use policy::RuleId;
use serde_json::json;

use super::event::{HowEnded, SettledCall, TalkEvent};
use super::record::{TurnRecord, WaitsFor};

/// A call that was not made because the turn ended first, or of which nobody knows.
pub(super) fn unmade(call: &Call, how: &HowEnded, waits: Option<&WaitsFor>) -> SettledCall {
    let (kind, message) = match (how, waits) {
        (_, Some(WaitsFor::Knowledge { .. })) => (
            "INTERNAL",
            "Nobody knows whether this call happened; a person has to find out. Do not repeat it.",
        ),
        (HowEnded::MovedOn, _) => (
            "CONFIRMATION_REQUIRED",
            "The user wrote something else instead of agreeing; it was not run.",
        ),
        (HowEnded::TooManyRounds, _) => {
            ("BUDGET_EXCEEDED", "The rounds of this turn are used up; it was not run.")
        }
        (HowEnded::Cancelled, _) => ("PERMANENT", "The user stopped the turn; it was not run."),
        (
            HowEnded::Answered
            | HowEnded::CutOff
            | HowEnded::NoAnswer
            | HowEnded::Refused { .. }
            | HowEnded::Failed { .. },
            _,
        ) => ("PERMANENT", "The turn ended first; it was not run."),
    };
    let content = json!({ "type": kind, "message": message, "retryable": false });
    let rule = match how {
        HowEnded::MovedOn => RuleId::MOVED_ON,
        HowEnded::Answered
        | HowEnded::CutOff
        | HowEnded::NoAnswer
        | HowEnded::Refused { .. }
        | HowEnded::TooManyRounds
        | HowEnded::Cancelled
        | HowEnded::Failed { .. } => RuleId::TURN_ENDED,
    };
    SettledCall::unrun(call, content, rule)
}

/// The ends of the calls of a turn that nobody runs, and of the turn.
pub(super) fn ended_early(turn: &TurnRecord, how: HowEnded) -> Vec<TalkEvent> {
    let number = turn.number;
    let mut events = Vec::new();
    if let Some(last) = turn.rounds.last() {
        let round = u32::try_from(turn.rounds.len() - 1).unwrap_or(u32::MAX);
        for call in last.reply.calls().filter(|call| !last.settled.contains_key(&call.id)) {
            let settled = unmade(call, &how, turn.waiting.get(&call.id));
            events.push(TalkEvent::Settled { turn: number, round, settled });
        }
    }
    events.push(TalkEvent::Ended { turn: number, how });
    events
}
