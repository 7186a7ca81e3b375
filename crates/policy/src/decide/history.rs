//! The stages that look at earlier calls: budget, loops, recorded results.

use contract::Category;

use super::available::spent;
use super::{StageResult, known, passed, refusal};
use crate::display_text::count;
use crate::{CallFacts, CheckedCall, Delivery, RuleId};

pub(super) fn budget(facts: &CallFacts<'_>, call: &CheckedCall) -> StageResult<()> {
    let spent = spent(facts)?;
    let limits = facts.limits;
    let retrieval = call.contract().category == Category::Retrieval;
    let (calls, retrieval_calls) = (spent.calls(facts.turn), spent.retrieval_calls(facts.turn));
    if retrieval && retrieval_calls >= limits.retrieval_calls_max {
        let max = limits.retrieval_calls_max;
        return Err(refusal::over_budget(RuleId::BUDGET_RETRIEVAL, "retrieval call", max));
    }
    if calls >= limits.calls_max {
        return Err(refusal::over_budget(RuleId::BUDGET_CALLS, "tool call", limits.calls_max));
    }
    let note = match retrieval {
        true => format!(
            "{retrieval_calls} of {} and {calls} of {} used",
            count(limits.retrieval_calls_max as usize, "retrieval call"),
            count(limits.calls_max as usize, "call")
        ),
        false => format!("{calls} of {} used", count(limits.calls_max as usize, "call")),
    };
    passed((), note)
}

pub(super) fn loops(facts: &CallFacts<'_>, call: &CheckedCall) -> StageResult<()> {
    let detector = known("loop", &facts.loops)?;
    let delivery = match is_delivered_again(facts, call) {
        true => Delivery::Again,
        false => Delivery::First,
    };
    match detector.detect(call, delivery) {
        Some(kind) => Err(refusal::in_loop(call.tool(), &kind)),
        None => passed((), "no loop in this turn"),
    }
}

pub(super) fn duplicate(facts: &CallFacts<'_>, call: &CheckedCall) -> StageResult<()> {
    let memory = known("memory", &facts.memory)?;
    match memory.duplicate(call, facts.now) {
        Some(duplicate) => {
            let (tool, turn) = (call.tool(), duplicate.earlier.turn);
            let people = format!("`{tool}` answered the same question in turn {turn}");
            let (data, note) = (duplicate.data.clone(), duplicate.note());
            Err(refusal::reuse(RuleId::DUPLICATE, Ok(data), note, people))
        }
        None if call.contract().category == Category::Retrieval => {
            passed((), "no similar call is remembered")
        }
        None => passed((), "only retrieval calls are answered from memory"),
    }
}

/// Whether the ledger has this call, so that it was counted before.
pub(super) fn is_delivered_again(facts: &CallFacts<'_>, call: &CheckedCall) -> bool {
    facts.ledger.as_ref().is_ok_and(|ledger| ledger.same_call(call).is_some())
}
