//! Has this call happened already, may it have, or has the same write under another id?

use contract::{Capabilities, SideEffects};

use super::approval::{Agreement, ask_again};
use super::refusal::{self, Stop};
use super::{StageResult, known, passed};
use crate::approval::earlier_line;
use crate::idempotency::{id_is_trusted, idempotency_key, key_of_repetition};
use crate::ledger::{Next, what_now};
use crate::timestamp::spoken;
use crate::{Approver, Case, CheckedCall, Entry, Question, Reason, RuleId, Verdict};

/// Gives the idempotency key under which the call runs.
pub(super) fn ledger(
    case: &Case<'_>,
    call: &CheckedCall,
    agreement: &Agreement,
) -> StageResult<String> {
    let ledger = known("ledger", &case.ledger)?;
    if let Some(entry) = ledger.same_call(call) {
        return same_call(case, call, entry);
    }
    let id_use = ledger.id_use(call);
    let key = idempotency_key(call, id_use);
    match (repeated_write(case, call), agreement.to_repetition()) {
        (None, _) if call.contract.side_effects == SideEffects::Writes => {
            passed(key, unasked_write(case, call))
        }
        (None, _) => passed(key, "it does not write, so the ledger has nothing about it"),
        (Some(_), Some(_)) if id_is_trusted(call, id_use) => {
            passed(key, "a person agreed to the same write once more")
        }
        (Some(_), Some(request)) => {
            let key = key_of_repetition(call, request);
            passed(key, "a person agreed to the same write once more")
        }
        (Some(repeated), None) => Err(ask_again(case, call, repeated)),
    }
}

/// The ledger knows this very call.
fn same_call(case: &Case<'_>, call: &CheckedCall, entry: &Entry) -> StageResult<String> {
    let tool = &call.contract.tool_id;
    let ago = || spoken(case.now.ms_since(entry.changed_at()));
    match what_now(entry, &call.contract, case.now) {
        Next::Start => passed(entry.idempotency_key.clone(), "it was intended and never started"),
        Next::RetrySameKey => {
            let note = "it may have run, is idempotent, and is tried again under the same key";
            passed(entry.idempotency_key.clone(), note)
        }
        Next::ReturnRecorded(outcome) => {
            let people = format!("this very call of `{tool}` ended {} ago; not run again", ago());
            let note = format!("Recorded result of this same {tool} call; it was not run again");
            Err(refusal::reuse(RuleId::RECORDED, outcome, note, people))
        }
        Next::StillRunning => {
            let left_ms = entry.overdue_in_ms(call.contract.timeout(), case.now);
            Err(refusal::still_running(tool, &ago(), left_ms))
        }
        Next::AskPersonInDoubt => Err(in_doubt(case, call, entry)),
    }
}

/// Goes to a person who can find out. No yes runs this call again.
fn in_doubt(case: &Case<'_>, call: &CheckedCall, entry: &Entry) -> Box<Stop> {
    let earlier = earlier_line(entry, case.now);
    let (reason, error) = refusal::in_doubt(&call.contract.tool_id, &earlier);
    let verdict = match case.approver {
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

/// Why a write is not asked about on account of an earlier one.
fn unasked_write(case: &Case<'_>, call: &CheckedCall) -> String {
    let window_ms = case.limits.repeated_write_ms_max;
    let ledger = case.ledger.as_ref().ok();
    let earlier = ledger.and_then(|ledger| ledger.same_write(call, case.now, window_ms));
    let Some(earlier) = earlier else { return "this write is new to the ledger".to_owned() };
    let ago = spoken(case.now.ms_since(earlier.changed_at()));
    let because = match call.contract.idempotent {
        true => "it is idempotent",
        false => "it writes nothing but its own keys, and a person has spoken since",
    };
    format!("the ledger has the same write from {ago} ago; not asked, because {because}")
}

/// The same write under another id, a short while ago. An idempotent tool may be called
/// twice without harm. What a tool writes to its own keys alone is a repetition only within
/// the same turn: after that a person has spoken, and two blows are two blows. But where
/// nobody knows how the first one ended, a person is asked, whatever it writes.
pub(super) fn repeated_write<'a>(
    case: &Case<'a>,
    call: &CheckedCall,
) -> Option<(Reason, &'a Entry)> {
    let harmful = call.contract.side_effects == SideEffects::Writes && !call.contract.idempotent;
    let ledger = case.ledger.as_ref().ok().filter(|_| harmful)?;
    let window_ms = case.limits.repeated_write_ms_max;
    let entry = ledger.same_write(call, case.now, window_ms)?;
    let is_open = entry.may_still_end();
    if stays_inside(&call.contract.capabilities) && entry.turn != call.turn && !is_open {
        return None;
    }
    let tool = &call.contract.tool_id;
    let ago = spoken(case.now.ms_since(entry.changed_at()));
    let open = if is_open { ", and nobody knows how that ended" } else { "" };
    let people =
        format!("`{tool}` was called with the same arguments {ago} ago, as {}{open}", entry.call);
    let model = format!(
        "You called `{tool}` with the same arguments a short while ago. A person has been asked \
         whether it shall happen again; it has not run a second time. Do not repeat it."
    );
    Some((Reason::new(RuleId::REPEATED_WRITE, people, model), entry))
}

/// May it reach its own keys, and nothing that others see?
fn stays_inside(capabilities: &Capabilities) -> bool {
    let Capabilities { net, kv, secrets, files } = capabilities;
    !kv.is_empty() && net.is_empty() && secrets.is_empty() && files.is_empty()
}

/// Will the ledger answer, refuse or ask, so that nothing starts whatever a person says?
pub(super) fn will_not_run(case: &Case<'_>, call: &CheckedCall) -> bool {
    let Ok(ledger) = &case.ledger else { return true };
    let Some(entry) = ledger.same_call(call) else { return false };
    match what_now(entry, &call.contract, case.now) {
        Next::Start | Next::RetrySameKey => false,
        Next::ReturnRecorded(_) | Next::StillRunning | Next::AskPersonInDoubt => true,
    }
}
