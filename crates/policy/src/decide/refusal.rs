//! Every way to stop a call: one function each, with a sentence for people and one for the
//! model, which says what to do next.

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

/// A guard failed. The cause is for people only.
pub(super) fn guard(guard: &str, because: &str) -> Box<Refusal> {
    let people = format!("refused, because the guard `{guard}` failed: {because}");
    let model = "The call could not be judged and was not made. Continue without this tool; tell \
                 the user that it is unavailable right now.";
    refuse(ErrorType::Internal, Reason::new(RuleId::GUARD, people, model))
}

pub(super) fn unknown_tool(name: &str, known: &[&str]) -> Box<Refusal> {
    const SHOWN_MAX: usize = 20;
    let name = visible(name, 64);
    let next = match nearest(&name, known.iter().copied()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None if known.is_empty() => "No tools are available; answer without one.".to_owned(),
        None => {
            let shown = list(known.iter().copied().take(SHOWN_MAX));
            format!("Use one of the available tools, such as {shown}.")
        }
    };
    let model = format!("There is no tool `{name}`. {next}");
    let people = format!("there is no tool `{name}` in the registry");
    refuse(ErrorType::NotFound, Reason::new(RuleId::UNKNOWN_TOOL, people, model))
}

pub(super) fn disabled(tool: &ToolId, because: &str) -> Box<Refusal> {
    let people = format!("`{tool}` is switched off: {because}");
    let model = format!("`{tool}` is switched off. Continue without it; do not call it again.");
    refuse(ErrorType::NotFound, Reason::new(RuleId::DISABLED, people, model))
}

pub(super) fn denied(tool: &ToolId, rule: &ConfigRule, subject: &str) -> Box<Refusal> {
    let model = format!(
        "The operator does not allow {subject}. Do not call `{tool}` like this again; continue \
         without it, or tell the user that this is not allowed here."
    );
    refuse(ErrorType::Permanent, rule.reason(&model))
}

pub(super) fn never(tool: &ToolId) -> Box<Refusal> {
    let people = format!("a person said in this conversation that `{tool}` is never to be used");
    let model = format!(
        "The user does not want `{tool}` in this conversation. Continue without it; do not call \
         it again unless the user asks for it."
    );
    refuse(ErrorType::Permanent, Reason::new(RuleId::NEVER, people, model))
}

pub(super) fn unavailable(tool: &ToolId, because: &str) -> Box<Refusal> {
    let people = format!("the condition of `{tool}` does not hold: {because}");
    let model =
        format!("`{tool}` is unavailable right now. Continue without it, or tell the user.");
    refuse(ErrorType::NotFound, Reason::new(RuleId::UNAVAILABLE, people, model))
}

pub(super) fn one_time(tool: &ToolId) -> Box<Refusal> {
    let people = format!("`{tool}` may be used once in an answer, and was");
    let model = format!(
        "`{tool}` can be used once per answer, and you have used it. Use the result you have."
    );
    refuse(ErrorType::BudgetExceeded, Reason::new(RuleId::ONE_TIME, people, model))
}

pub(super) fn wrong_mode(tool: &ToolId, mode: Mode, allowed: &[Mode]) -> Box<Refusal> {
    let allowed = list(allowed.iter().map(|mode| mode.as_str()));
    let people = format!("`{tool}` is not for {mode}; its contract allows {allowed}");
    let model = format!(
        "`{tool}` cannot be used in {mode} mode (allowed: {allowed}). Continue without it, or \
         offer to continue in an allowed mode."
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
    let people = format!("this turn has used its {calls}");
    let model = format!(
        "This turn allows {calls}, all used. Answer now with what you have; more calls are \
         possible after the user's next message."
    );
    refuse(ErrorType::BudgetExceeded, Reason::new(rule, people, model))
}

pub(super) fn in_loop(tool: &ToolId, kind: &LoopKind) -> Box<Refusal> {
    let message = kind.message(tool);
    let (rule, people) = match kind {
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
    let people = format!("a person must approve `{tool}` ({rules}), and nobody can be asked");
    let model = format!(
        "`{tool}` needs a person's approval, and nobody is available to ask. It was not run. \
         Continue without it and say what you could not do."
    );
    refuse(ErrorType::ConfirmationRequired, Reason::new(RuleId::NOBODY_TO_ASK, people, model))
}

pub(super) fn not_approved(tool: &ToolId, invalid: &InvalidApproval) -> Box<Refusal> {
    let people = format!("`{tool}` has no approval: {invalid}");
    let (rule, model) = match invalid {
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
                "The approval request for `{tool}` expired without an answer. It was not run, and \
                 nobody declined it. Ask the user whether they still want it; call it again only \
                 after they confirm."
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
                "Nobody approved this call of `{tool}`, so it was not run. Ask the user whether \
                 they still want it; call it again only after they confirm."
            );
            (RuleId::NOT_APPROVED, model)
        }
    };
    refuse(ErrorType::ConfirmationRequired, Reason::new(rule, people, model))
}

/// Its process may be gone, which is unknown until its time is up.
pub(super) fn still_running(tool: &ToolId, ago: &str, left_ms: u64) -> Box<Refusal> {
    let people = format!("this very call of `{tool}` was started {ago} ago and has not ended");
    let left = duration_text(left_ms.max(1_000));
    let model = format!(
        "This call of `{tool}` was started {ago} ago and has not ended; its program may have been \
         stopped. It was not started again. In {left} it is either done or in doubt. Do not \
         repeat it; tell the user that it may have taken effect."
    );
    refuse(ErrorType::Conflict, Reason::new(RuleId::RUNNING, people, model))
}

/// The reason and the error for a call with an unknown outcome.
pub(super) fn in_doubt(tool: &ToolId, earlier: &str) -> (Reason, ToolError) {
    let people = format!("it is unknown whether this call of `{tool}` took effect; {earlier}");
    let model = format!(
        "It is unknown whether this call of `{tool}` took effect. A person has to find out. Do \
         not repeat it in any form; tell the user that the outcome is unknown."
    );
    let error = ToolError::broken(model.clone());
    (Reason::new(RuleId::IN_DOUBT, people, model), error)
}
