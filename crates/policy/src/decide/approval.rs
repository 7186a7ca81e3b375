//! Whether a person must approve the call, and whether they did.
//!
//! Must hold: every rule that asks must be answered. A person's "always" answers only rules
//! that allow it, and only for the unchanged tool; an approval covers only the rules whose
//! reasons the person was shown.

use contract::{ErrorType, ToolError};
use serde_json::Value;

use super::available::{standing_answers, subject};
use super::ledger::will_not_run;
use super::refusal::{self, Refusal};
use super::{StageResult, Uses, known, passed};
use crate::approval::preview;
use crate::rules::{Remember, RuleEffect};
use crate::{
    ApprovalRequest, Approver, CallFacts, CheckedCall, GrantedApproval, LedgerEntry, Question,
    Reason, RuleId, Verdict,
};

/// Why the call is allowed.
pub(super) enum Agreement {
    NotNeeded {
        rule: RuleId,
        because: String,
    },
    /// A person approved: the rules they were shown, and the request.
    Given {
        rule: RuleId,
        shown: Vec<RuleId>,
        request: String,
    },
}

impl Agreement {
    /// The request by which a person allowed the same write again.
    pub(super) fn to_repetition(&self) -> Option<&str> {
        match self {
            Agreement::Given { shown, request, .. } => {
                shown.contains(&RuleId::REPEATED_WRITE).then_some(request.as_str())
            }
            Agreement::NotNeeded { .. } => None,
        }
    }
}

/// A reason to ask, and whether "always" answers it.
struct Asking {
    reason: Reason,
    remember: Remember,
}

pub(super) fn approval(facts: &CallFacts<'_>, call: &CheckedCall) -> StageResult<Agreement> {
    let tool = call.tool();
    let given = known("approval", &facts.approval)?;
    if will_not_run(facts, call) {
        let because = "not asked: the ledger answers this call without running it".to_owned();
        let note = because.clone();
        return passed(Agreement::NotNeeded { rule: RuleId::RECORDED, because }, note);
    }
    let granted = match given {
        Some(Err(invalid)) if !invalid.asks_again() => {
            return Err(refusal::not_approved(tool, invalid));
        }
        Some(Ok(granted)) => match granted.is_for(call, facts.now) {
            Ok(()) => Some(granted),
            Err(invalid) if invalid.asks_again() => None,
            Err(invalid) => return Err(refusal::not_approved(tool, &invalid)),
        },
        Some(Err(_)) | None => None,
    };
    if let Some(data) = granted.and_then(|granted| granted.instead.as_ref()) {
        let note = format!("A person answered in the place of {tool}; it was not run");
        let people = format!("a person answered in the place of `{tool}`");
        return Err(refusal::reuse(RuleId::ANSWERED, Ok(data.clone()), note, people));
    }
    let asks = open_asks(facts, call)?;
    let answered = |ask: &Asking| granted.is_some_and(|granted| granted.answers(&ask.reason.rule));
    match (asks.iter().all(answered), granted) {
        (true, Some(granted)) => passed(agreed(granted, &asks), "a person agreed"),
        (true, None) => not_needed(facts, call),
        (false, _) => Err(ask(facts, call, asks, super::ledger::repeated_write(facts, call))),
    }
}

/// Every rule that asks and has no standing answer. The ledger's question is not among them:
/// it is asked at its own stage, or together with these.
fn open_asks(facts: &CallFacts<'_>, call: &CheckedCall) -> Result<Vec<Asking>, Box<Refusal>> {
    let tool = call.tool();
    let rules = known("rules", &facts.rules)?;
    let always = standing_answers(facts)?.is_always(tool, &call.digest());
    let Some(listing) = &facts.tool else {
        return Err(refusal::guard("approval", "the tool is gone"));
    };
    let mut asks = Vec::new();
    if call.contract().requires_confirmation {
        let people = format!("the contract of `{tool}` requires a person's agreement");
        let reason = Reason::new(RuleId::CONFIRMATION, people, waiting(call));
        asks.push(Asking { reason, remember: Remember::Never });
    }
    for rule in rules.matching(&subject(facts, listing, call.args())) {
        if let RuleEffect::Ask(remember) = rule.effect {
            asks.push(Asking { reason: rule.reason(&waiting(call)), remember });
        }
    }
    asks.retain(|ask| !(always && ask.remember == Remember::InConversation));
    Ok(asks)
}

/// The rules that ask about this tool regardless of its arguments.
pub(super) fn always_asks(facts: &CallFacts<'_>) -> Vec<Reason> {
    let Some(listing) = &facts.tool else { return Vec::new() };
    let tool = &listing.contract.tool_id;
    let always =
        standing_answers(facts).is_ok_and(|answers| answers.is_always(tool, &listing.digest));
    let confirmation = listing.contract.requires_confirmation.then(|| {
        let people = format!("the contract of `{tool}` requires a person's agreement");
        Reason::new(RuleId::CONFIRMATION, people, String::new())
    });
    let subject = subject(facts, listing, &Value::Null);
    let rules = facts.rules.iter().flat_map(|rules| rules.asks_about(&subject));
    let rules = rules.filter(|(_, remember)| !(always && *remember == Remember::InConversation));
    confirmation.into_iter().chain(rules.map(|(rule, _)| rule.reason(""))).collect()
}

fn waiting(call: &CheckedCall) -> String {
    let tool = call.tool();
    format!(
        "`{tool}` needs a person's approval, which has been requested. It has not run. Do not \
         call it again; you get its result if they approve."
    )
}

fn agreed(granted: &GrantedApproval, asks: &[Asking]) -> Agreement {
    let mut shown: Vec<RuleId> = asks.iter().map(|ask| ask.reason.rule.clone()).collect();
    if granted.answers(&RuleId::REPEATED_WRITE) {
        shown.push(RuleId::REPEATED_WRITE);
    }
    let rule = shown.first().cloned().unwrap_or(RuleId::DEFAULT);
    Agreement::Given { rule, shown, request: granted.request().0.clone() }
}

/// No rule asks: the operator's `allow` rule, if there is one.
fn not_needed(facts: &CallFacts<'_>, call: &CheckedCall) -> StageResult<Agreement> {
    let allowing = match (&facts.rules, &facts.tool) {
        (Ok(rules), Some(listing)) => rules
            .matching(&subject(facts, listing, call.args()))
            .find(|rule| rule.effect == RuleEffect::Allow),
        _ => None,
    };
    let (rule, because) = match allowing {
        Some(rule) => (rule.id.clone(), format!("{} ({})", rule.because, rule.place)),
        None => (RuleId::DEFAULT, "no rule asks for a person, and none forbids it".to_owned()),
    };
    passed(Agreement::NotNeeded { rule, because: because.clone() }, because)
}

/// Asks about a repeated write, together with every other rule that asks: the new request
/// replaces the earlier one.
pub(super) fn ask_again(
    facts: &CallFacts<'_>,
    call: &CheckedCall,
    repeated: (Reason, &LedgerEntry),
) -> Box<Refusal> {
    match open_asks(facts, call) {
        Ok(asks) => ask(facts, call, asks, Some(repeated)),
        Err(stop) => stop,
    }
}

/// Asks about everything at once, so that a person answers once.
fn ask(
    facts: &CallFacts<'_>,
    call: &CheckedCall,
    asks: Vec<Asking>,
    repeated: Option<(Reason, &LedgerEntry)>,
) -> Box<Refusal> {
    let may_be_remembered =
        repeated.is_none() && asks.iter().all(|ask| ask.remember == Remember::InConversation);
    let mut why: Vec<Reason> = asks.into_iter().map(|ask| ask.reason).collect();
    let earlier = repeated.as_ref().map(|(_, entry)| *entry);
    why.extend(repeated.map(|(reason, _)| reason));
    ask_person(facts, call, why, may_be_remembered, earlier)
}

/// The request, or a refusal where nobody could answer it.
fn ask_person(
    facts: &CallFacts<'_>,
    call: &CheckedCall,
    why: Vec<Reason>,
    may_be_remembered: bool,
    earlier: Option<&LedgerEntry>,
) -> Box<Refusal> {
    let tool = call.tool();
    let reason = match (facts.approver, why.first()) {
        (Approver::Present, Some(reason)) => reason.clone(),
        (Approver::Absent, _) | (_, None) => return refusal::nobody_to_ask(tool, &why),
    };
    let preview = preview(call, &why, earlier, facts.now);
    let request = ApprovalRequest::new(
        call,
        why.clone(),
        may_be_remembered,
        preview.clone(),
        facts.now,
        facts.limits.approval_ms_max,
    );
    let error = ToolError::before_start(ErrorType::ConfirmationRequired, reason.model.clone());
    let question = Question::MayItRun(Box::new(request));
    refusal::stop(Verdict::Ask { question, why, preview, error }, reason)
}

/// The approval that came with the facts.
pub(super) fn spends(facts: &CallFacts<'_>) -> Uses {
    match &facts.approval {
        Ok(Some(Ok(granted))) => Some((granted.request().clone(), granted.scope())),
        Ok(Some(Err(_)) | None) | Err(_) => None,
    }
}
