//! Decides whether one call may run now.
//!
//! In: [`CallFacts`]. Out: a [`Judgement`]: the verdict, the rule that decided, and the trace
//! of all stages. Must hold: the same input gives the same verdict. The stages have one fixed
//! order; the first that objects decides; one that fails denies. No rule can loosen.
//!
//! Start at [`decide`].

mod approval;
mod available;
pub(crate) mod explain;
mod history;
mod ledger;
mod refusal;
pub(crate) mod stage;

use crate::decide::stage::{Stage, StageMark, Trace};
use crate::{
    ApprovalScope, Approved, CallFacts, CheckedCall, Guard, Judgement, Reason, RequestId, RuleId,
    Verdict,
};

use approval::Agreement;
use refusal::Refusal;

/// Judges one call.
pub fn decide(facts: CallFacts<'_>) -> Judgement {
    let mut trace = Trace::unmarked();
    let tool = facts.call.tool.clone();
    let uses = approval::spends(&facts);
    let always_asks = approval::always_asks(&facts);
    let (verdict, reason) = match (walk(&facts, &mut trace), facts.arguments) {
        (Ok(cleared), Ok(call)) => (Verdict::Run(Approved::new(call, cleared.key)), cleared.reason),
        (Err(stop), _) => (stop.verdict, stop.reason),
        (Ok(_), Err(_)) => {
            let stop = refusal::guard(
                "arguments",
                "the call passed every stage without checked arguments",
            );
            (stop.verdict, stop.reason)
        }
    };
    let uses = uses.filter(|_| spends_approval(&verdict, &reason));
    Judgement { tool, verdict, reason, trace, uses, always_asks }
}

/// A call that passed every stage.
struct Cleared {
    key: String,
    reason: Reason,
}

/// Every stage, in order.
fn walk(facts: &CallFacts<'_>, trace: &mut Trace) -> Result<Cleared, Box<Refusal>> {
    let tool = trace.stage(Stage::Exists, available::exists(facts))?;
    trace.stage(Stage::Enabled, available::enabled(facts, tool))?;
    trace.stage(Stage::Condition, available::condition(facts, tool))?;
    trace.stage(Stage::Mode, available::mode(facts, tool))?;
    let call = trace.stage(Stage::Arguments, available::arguments(facts, tool))?;
    trace.stage(Stage::Budget, history::budget(facts, call))?;
    trace.stage(Stage::Loop, history::loops(facts, call))?;
    trace.stage(Stage::Duplicate, history::duplicate(facts, call))?;
    let agreement = trace.stage(Stage::Approval, approval::approval(facts, call))?;
    let key = trace.stage(Stage::Ledger, ledger::ledger(facts, call, &agreement))?;
    Ok(Cleared { key, reason: why_it_runs(call, &agreement) })
}

/// The value of a stage that lets the call pass, and a note of what it checked.
struct Passed<T> {
    value: T,
    note: String,
}

type StageResult<T> = Result<Passed<T>, Box<Refusal>>;

fn passed<T>(value: T, note: impl Into<String>) -> StageResult<T> {
    Ok(Passed { value, note: note.into() })
}

/// What a guard found; a guard that failed stops the call.
fn known<'c, T>(guard: &str, found: &'c Guard<T>) -> Result<&'c T, Box<Refusal>> {
    found.as_ref().map_err(|fault| refusal::guard(guard, &fault.0))
}

impl Trace {
    fn stage<T>(&mut self, stage: Stage, result: StageResult<T>) -> Result<T, Box<Refusal>> {
        match result {
            Ok(Passed { value, note }) => {
                self.mark(stage, StageMark::Passed { note });
                Ok(value)
            }
            Err(stop) => {
                self.mark(stage, StageMark::Decided { rule: stop.reason.rule.clone() });
                Err(stop)
            }
        }
    }
}

fn why_it_runs(call: &CheckedCall, agreement: &Agreement) -> Reason {
    let tool = call.tool();
    match agreement {
        Agreement::Given { rule, .. } => {
            Reason::new(rule.clone(), format!("a person agreed that `{tool}` runs"), "it runs")
        }
        Agreement::NotNeeded { rule, because } => {
            Reason::new(rule.clone(), because.clone(), "it runs")
        }
    }
}

/// An approval is used up when the call runs, or when the person's own result replaces it.
fn spends_approval(verdict: &Verdict, reason: &Reason) -> bool {
    match verdict {
        Verdict::Run(_) => true,
        Verdict::Reuse(_) => reason.rule == RuleId::ANSWERED,
        Verdict::Ask { .. } | Verdict::Refuse { .. } => false,
    }
}

type Uses = Option<(RequestId, ApprovalScope)>;

#[cfg(test)]
mod tests;
