//! Every way to stop a call: one function each, with the sentence for people and the one
//! for the model, which says what it may do next.

use contract::{ErrorType, Mode, ToolError, ToolId};
use serde_json::Value;

use crate::display_text::{count, list, visible};
use crate::rules::ConfigRule;
use crate::timestamp::duration_text;
use crate::{
    InvalidApproval, LoopKind, Reason, RecordedOutcome, RejectedArguments, RuleId, Verdict,
};
use contract::nearest;

/// A stage that decided.
pub(super) struct Refusal {
    pub(super) verdict: Verdict,
    pub(super) reason: Reason,
}

/// Boxed, because most calls pass.
pub(super) fn stop(verdict: Verdict, reason: Reason) -> Box<Refusal> {
    Box::new(Refusal { verdict, reason })
}

fn refuse(kind: ErrorType, reason: Reason) -> Box<Refusal> {
    let error = ToolError::before_start(kind, reason.model.clone());
    stop(Verdict::Refuse { error }, reason)
}

/// A guard broke. What broke is for people only.
pub(super) fn guard(guard: &str, because: &str) -> Box<Refusal> {
    let people = format!("refused, because the guard `{guard}` failed: {because}");
    let model = "The call could not be judged, so it was not made. Nothing happened. Go on \
                 without this tool and tell the user that it cannot be used at the moment.";
    refuse(ErrorType::Internal, Reason::new(RuleId::GUARD, people, model))
}

pub(super) fn unknown_tool(name: &str, known: &[&str]) -> Box<Refusal> {
    const SHOWN_MAX: usize = 20;
    let name = visible(name, 64);
    let next = match nearest(&name, known.iter().copied()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None if known.is_empty() => "No tools are offered here; answer without one.".to_owned(),
        None => {
            let shown = list(known.iter().copied().take(SHOWN_MAX));
            format!("Use one of the tools that are offered, such as {shown}.")
        }
    };
    let model = format!("There is no tool `{name}`. {next}");
    let people = format!("there is no tool `{name}` in the registry");
    refuse(ErrorType::NotFound, Reason::new(RuleId::UNKNOWN_TOOL, people, model))
}

pub(super) fn disabled(tool: &ToolId, because: &str) -> Box<Refusal> {
    let people = format!("`{tool}` is switched off: {because}");
    let model = format!("`{tool}` is switched off. Go on without it; do not call it again.");
    refuse(ErrorType::NotFound, Reason::new(RuleId::DISABLED, people, model))
}

pub(super) fn denied(tool: &ToolId, rule: &ConfigRule, subject: &str) -> Box<Refusal> {
    let model = format!(
        "The operator does not allow {subject}. Do not call `{tool}` like this again; go on \
         without it, or tell the user that you may not do this here."
    );
    refuse(ErrorType::Permanent, rule.reason(&model))
}

pub(super) fn never(tool: &ToolId) -> Box<Refusal> {
    let people = format!("a person said in this conversation that `{tool}` is never to be used");
    let model = format!(
        "The user does not want `{tool}` in this conversation. Go on without it; do not call it \
         again unless the user asks for it."
    );
    refuse(ErrorType::Permanent, Reason::new(RuleId::NEVER, people, model))
}

pub(super) fn unavailable(tool: &ToolId, because: &str) -> Box<Refusal> {
    let people = format!("the condition of `{tool}` does not hold: {because}");
    let model = format!(
        "`{tool}` is not available at the moment. Go on without it, or tell the user that it \
         cannot be used now."
    );
    refuse(ErrorType::NotFound, Reason::new(RuleId::UNAVAILABLE, people, model))
}

pub(super) fn one_time(tool: &ToolId) -> Box<Refusal> {
    let people = format!("`{tool}` may be used once in an answer, and was");
    let model = format!(
        "`{tool}` can be used once in an answer, and you have used it. Work with the result you \
         have."
    );
    refuse(ErrorType::BudgetExceeded, Reason::new(RuleId::ONE_TIME, people, model))
}

pub(super) fn wrong_mode(tool: &ToolId, mode: Mode, allowed: &[Mode]) -> Box<Refusal> {
    let allowed = list(allowed.iter().map(|mode| mode.as_str()));
    let people = format!("`{tool}` is not for {mode}; its contract allows {allowed}");
    let model = format!(
        "`{tool}` cannot be used in {mode} mode (allowed: {allowed}). Go on without it, or offer \
         the user to continue where it can be used."
    );
    refuse(ErrorType::ModeRestricted, Reason::new(RuleId::MODE, people, model))
}

pub(super) fn rejected(tool: &ToolId, rejected: &RejectedArguments) -> Box<Refusal> {
    let message = &rejected.message;
    let people = format!("the arguments do not fit the contract of `{tool}`: {message}");
    let model = format!("{message}. Correct the arguments and call `{tool}` again.");
    let reason = Reason::new(RuleId::ARGUMENTS, people, model);
    let error = ToolError::before_start(ErrorType::Validation, reason.model.clone())
        .with_details(rejected.details.clone());
    stop(Verdict::Refuse { error }, reason)
}

pub(super) fn over_budget(rule: RuleId, what: &str, max: u32) -> Box<Refusal> {
    let calls = count(max as usize, what);
    let people = format!("this turn has had its {calls}");
    let model = format!(
        "This turn allows {calls}, and they are used up. Answer now with what you have; more is \
         possible after the user's next message."
    );
    refuse(ErrorType::BudgetExceeded, Reason::new(rule, people, model))
}

pub(super) fn circle(tool: &ToolId, circle: &LoopKind) -> Box<Refusal> {
    let message = circle.message(tool);
    let (rule, people) = match circle {
        LoopKind::SameCall { times } => (
            RuleId::SAME_CALL,
            format!("`{tool}` was called {times} times in this turn with the same arguments"),
        ),
        LoopKind::EmptyResults { times } => {
            (RuleId::EMPTY_RESULTS, format!("`{tool}` has found nothing {times} times this turn"))
        }
    };
    refuse(ErrorType::LoopDetected, Reason::new(rule, people, message))
}

pub(super) fn reuse(
    rule: RuleId,
    outcome: Result<Value, ToolError>,
    note: String,
    people: String,
) -> Box<Refusal> {
    let reason = Reason::new(rule, people, note.clone());
    stop(Verdict::Reuse(RecordedOutcome { outcome, note }), reason)
}

pub(super) fn nobody_to_ask(tool: &ToolId, why: &[Reason]) -> Box<Refusal> {
    let rules = list(why.iter().map(|reason| reason.rule.as_str()));
    let people = format!("a person must agree that `{tool}` runs ({rules}), and nobody is there");
    let model = format!(
        "`{tool}` needs the agreement of a person, and nobody can be asked here. It was not run. \
         Go on without it and say what you could not do."
    );
    refuse(ErrorType::ConfirmationRequired, Reason::new(RuleId::NOBODY_TO_ASK, people, model))
}

pub(super) fn not_approved(tool: &ToolId, void: &InvalidApproval) -> Box<Refusal> {
    let people = format!("`{tool}` has no approval: {void}");
    let (rule, model) = match void {
        InvalidApproval::Declined { reason } => {
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let model = format!(
                "The user declined this call of `{tool}`{reason}. It was not run. Do not call it \
                 again unless the user asks for it."
            );
            (RuleId::DECLINED, model)
        }
        InvalidApproval::Expired => {
            let model = format!(
                "The question whether `{tool}` may run has expired: nobody answered in time, and \
                 it was not run. Nobody has declined it either. Ask the user in your answer \
                 whether they still want it, and call it again only after they say so."
            );
            (RuleId::EXPIRED, model)
        }
        InvalidApproval::NoRequest
        | InvalidApproval::NoAnswer
        | InvalidApproval::Malformed { .. }
        | InvalidApproval::OtherRequest
        | InvalidApproval::Tampered
        | InvalidApproval::Used
        | InvalidApproval::Withdrawn
        | InvalidApproval::ChangedConversation
        | InvalidApproval::ChangedCall
        | InvalidApproval::ChangedTool
        | InvalidApproval::ChangedArguments => {
            let model = format!(
                "Nobody agreed to this call of `{tool}`, so it was not run. Ask the user in your \
                 answer whether they still want it, and call it again only after they say so."
            );
            (RuleId::NOT_APPROVED, model)
        }
    };
    refuse(ErrorType::ConfirmationRequired, Reason::new(rule, people, model))
}

/// Whoever runs it may be gone, and nobody can know that before its time is up.
pub(super) fn still_running(tool: &ToolId, ago: &str, left_ms: u64) -> Box<Refusal> {
    let people = format!("this very call of `{tool}` was started {ago} ago and has no end yet");
    let left = duration_text(left_ms.max(1_000));
    let model = format!(
        "This call of `{tool}` was started {ago} ago and has no end yet, perhaps because its \
         program was stopped. It was not started again. In {left} it is either done or in doubt; \
         do not repeat it, and tell the user that it may have happened."
    );
    refuse(ErrorType::Conflict, Reason::new(RuleId::RUNNING, people, model))
}

/// What people and the model are told about a call of which nobody knows how it ended.
pub(super) fn in_doubt(tool: &ToolId, earlier: &str) -> (Reason, ToolError) {
    let people = format!("nobody knows whether this call of `{tool}` took effect; {earlier}");
    let model = format!(
        "It is not known whether this call of `{tool}` took effect. A person has to find out. Do \
         not repeat it in any form; tell the user that the outcome is open."
    );
    let error = ToolError::broken(model.clone());
    (Reason::new(RuleId::IN_DOUBT, people, model), error)
}
