//! Whether this call, or the same write under another id, happened or may have happened.

use contract::{Capabilities, SideEffects};

use super::approval::{Agreement, ask_again};
use super::refusal::{self, Refusal};
use super::{StageResult, known, passed};
use crate::approval::earlier_line;
use crate::idempotency::{id_is_trusted, idempotency_key, key_of_repetition};
use crate::ledger::{NextStep, next_step};
use crate::timestamp::duration_text;
use crate::{Approver, CallFacts, CheckedCall, LedgerEntry, Question, Reason, RuleId, Verdict};

/// The idempotency key under which the call runs.
pub(super) fn ledger(
    facts: &CallFacts<'_>,
    call: &CheckedCall,
    agreement: &Agreement,
) -> StageResult<String> {
    let ledger = known("ledger", &facts.ledger)?;
    if let Some(entry) = ledger.same_call(call) {
        return same_call(facts, call, entry);
    }
    let id_use = ledger.id_use(call);
    let key = idempotency_key(call, id_use);
    match (repeated_write(facts, call), agreement.to_repetition()) {
        (None, _) if call.contract().side_effects == SideEffects::Writes => {
            passed(key, unasked_write(facts, call))
        }
        (None, _) => passed(key, "it does not write, so the ledger has nothing about it"),
        (Some(_), Some(_)) if id_is_trusted(call, id_use) => {
            passed(key, "a person agreed to the same write once more")
        }
        (Some(_), Some(request)) => {
            let key = key_of_repetition(call, request);
            passed(key, "a person agreed to the same write once more")
        }
        (Some(repeated), None) => Err(ask_again(facts, call, repeated)),
    }
}

/// The ledger has this call.
fn same_call(
    facts: &CallFacts<'_>,
    call: &CheckedCall,
    entry: &LedgerEntry,
) -> StageResult<String> {
    let tool = call.tool();
    let ago = || duration_text(facts.now.ms_since(entry.changed_at()));
    match next_step(entry, call.contract(), facts.now) {
        NextStep::Start => {
            passed(entry.idempotency_key.clone(), "it was intended and never started")
        }
        NextStep::RetrySameKey => {
            let note = "it may have run, is idempotent, and is tried again under the same key";
            passed(entry.idempotency_key.clone(), note)
        }
        NextStep::ReturnRecorded(outcome) => {
            let people = format!("this very call of `{tool}` ended {} ago; not run again", ago());
            let note = format!("Recorded result of this same {tool} call; it was not run again");
            Err(refusal::reuse(RuleId::RECORDED, outcome, note, people))
        }
        NextStep::StillRunning => {
            let left_ms = entry.overdue_in_ms(call.contract().timeout(), facts.now);
            Err(refusal::still_running(tool, &ago(), left_ms))
        }
        NextStep::AskPersonInDoubt => Err(in_doubt(facts, call, entry)),
    }
}

/// Asks a person what happened. No approval runs this call again.
fn in_doubt(facts: &CallFacts<'_>, call: &CheckedCall, entry: &LedgerEntry) -> Box<Refusal> {
    let earlier = earlier_line(entry, facts.now).to_string();
    let (reason, error) = refusal::in_doubt(call.tool(), &earlier);
    let verdict = match facts.approver {
        Approver::Absent => Verdict::Refuse { error },
        Approver::Present => Verdict::Ask {
            question: Question::WhatHappened(Box::new(entry.clone())),
            why: vec![reason.clone()],
            preview: reason.people.clone(),
            error,
        },
    };
    refusal::stop(verdict, reason)
}

/// Why an earlier write does not cause a question.
fn unasked_write(facts: &CallFacts<'_>, call: &CheckedCall) -> String {
    let window_ms = facts.limits.repeated_write_ms_max;
    let ledger = facts.ledger.as_ref().ok();
    let earlier = ledger.and_then(|ledger| ledger.same_write(call, facts.now, window_ms));
    let Some(earlier) = earlier else { return "this write is new to the ledger".to_owned() };
    let ago = duration_text(facts.now.ms_since(earlier.changed_at()));
    let because = match call.contract().idempotent {
        true => "it is idempotent",
        false => "it writes nothing but its own keys, and a person has written since",
    };
    format!("the ledger has the same write from {ago} ago; not asked, because {because}")
}

/// The same write under another id, a short while ago. An idempotent tool may be called
/// twice. A tool that writes only its own keys repeats itself only within a turn: in the next
/// turn a person has answered, and may want it twice. But where the first outcome is unknown,
/// a person is asked in every case.
pub(super) fn repeated_write<'a>(
    facts: &CallFacts<'a>,
    call: &CheckedCall,
) -> Option<(Reason, &'a LedgerEntry)> {
    let harmful =
        call.contract().side_effects == SideEffects::Writes && !call.contract().idempotent;
    let ledger = facts.ledger.as_ref().ok().filter(|_| harmful)?;
    let window_ms = facts.limits.repeated_write_ms_max;
    let entry = ledger.same_write(call, facts.now, window_ms)?;
    let is_open = entry.may_still_end();
    if stays_inside(&call.contract().capabilities) && entry.turn != call.turn() && !is_open {
        return None;
    }
    let tool = call.tool();
    let ago = duration_text(facts.now.ms_since(entry.changed_at()));
    let open = if is_open { ", and its outcome is unknown" } else { "" };
    let people =
        format!("`{tool}` was called with the same arguments {ago} ago, as {}{open}", entry.call);
    let model = format!(
        "You called `{tool}` with the same arguments a short while ago. A person has been asked \
         whether it should happen again; it has not run a second time. Do not repeat it."
    );
    Some((Reason::new(RuleId::REPEATED_WRITE, people, model), entry))
}

/// Whether it can change only its own keys.
fn stays_inside(capabilities: &Capabilities) -> bool {
    let Capabilities { net, kv, secrets, files, attachments: _ } = capabilities;
    !kv.is_empty() && net.is_empty() && secrets.is_empty() && files.is_empty()
}

/// Whether the ledger decides, so that nothing starts whatever a person answers.
pub(super) fn will_not_run(facts: &CallFacts<'_>, call: &CheckedCall) -> bool {
    let Ok(ledger) = &facts.ledger else { return true };
    let Some(entry) = ledger.same_call(call) else { return false };
    match next_step(entry, call.contract(), facts.now) {
        NextStep::Start | NextStep::RetrySameKey => false,
        NextStep::ReturnRecorded(_) | NextStep::StillRunning | NextStep::AskPersonInDoubt => true,
    }
}
