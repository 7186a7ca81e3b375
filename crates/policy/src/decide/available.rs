//! The first stages: is there such a tool, is it on, and do the arguments fit?

use std::borrow::Cow;
use std::sync::Arc;

use contract::{Mode, ToolId};
use serde_json::Value;

use super::history::is_delivered_again;
use super::refusal::{self, Stop};
use super::{StageResult, known, passed};
use crate::display_text::list;
use crate::rules::Subject;
use crate::{Availability, Case, CheckedCall, Listing, Said, Spent, Switch};

pub(super) fn exists<'c>(case: &'c Case<'_>) -> StageResult<&'c Listing> {
    let Some(tool) = &case.tool else {
        return Err(refusal::unknown_tool(&case.call.tool, case.known_tools));
    };
    if tool.contract.tool_id.as_str() != case.call.tool {
        return Err(refusal::guard("exists", "the registry gave another tool than the call names"));
    }
    passed(tool, format!("the registry has version {}", tool.contract.version))
}

pub(super) fn enabled(case: &Case<'_>, tool: &Listing) -> StageResult<()> {
    let id = id(tool);
    if let Switch::Off { because } = &tool.switch {
        return Err(refusal::disabled(id, because));
    }
    let rules = known("rules", &case.rules)?;
    let said = said(case)?;
    if said.is_never(id) {
        return Err(refusal::never(id));
    }
    let nothing = Value::Null;
    if let Some(rule) = rules.denies_tool(&subject(case, tool, &nothing)) {
        return Err(refusal::denied(id, rule, &format!("`{id}`")));
    }
    passed((), "switched on, and no rule forbids it")
}

pub(super) fn condition(case: &Case<'_>, tool: &Listing) -> StageResult<()> {
    let id = id(tool);
    if let Availability::Unavailable { because } = known("condition", &case.condition)? {
        return Err(refusal::unavailable(id, because));
    }
    if !tool.contract.one_time {
        return passed((), "available");
    }
    match spent(case)?.uses(case.turn, id) {
        0 => passed((), "available, once in this answer"),
        _ => Err(refusal::one_time(id)),
    }
}

pub(super) fn mode(case: &Case<'_>, tool: &Listing) -> StageResult<()> {
    let allowed = &tool.contract.allowed_modes;
    match allowed.contains(&case.mode) {
        true => passed((), format!("{} is one of {}", case.mode, list(words(allowed)))),
        false => Err(refusal::wrong_mode(id(tool), case.mode, allowed)),
    }
}

pub(super) fn arguments<'c>(case: &'c Case<'_>, tool: &Listing) -> StageResult<&'c CheckedCall> {
    let id = id(tool);
    let call = case.arguments.as_ref().map_err(|rejected| refusal::rejected(id, rejected))?;
    let same_call = call.id == case.call.id
        && call.digest == tool.digest
        && (Arc::ptr_eq(&call.contract, &tool.contract) || call.contract == tool.contract)
        && call.conversation == *case.conversation
        && call.mode == case.mode
        && call.turn == case.turn;
    if !same_call {
        return Err(refusal::guard("arguments", "the checked call is not the call that is judged"));
    }
    let rules = known("rules", &case.rules)?;
    if let Some(rule) = rules.denies_args(&subject(case, tool, &call.args)) {
        return Err(refusal::denied(id, rule, &format!("`{id}` with these arguments")));
    }
    passed(call, "they fit the contract, and no rule forbids them")
}

/// What the operator's rules look at.
pub(super) fn subject<'c>(case: &Case<'_>, tool: &'c Listing, args: &'c Value) -> Subject<'c> {
    Subject {
        tool: id(tool).as_str(),
        category: tool.contract.category,
        side_effects: tool.contract.side_effects,
        capabilities: &tool.contract.capabilities,
        mode: case.mode,
        args,
    }
}

pub(super) fn said<'c>(case: &'c Case<'_>) -> Result<&'c Said, Box<Stop>> {
    let said = known("said", &case.said)?;
    match said.conversation() == case.conversation {
        true => Ok(said),
        false => Err(refusal::guard("said", "it belongs to another conversation")),
    }
}

/// What the turn has spent, without the call itself if the ledger knows it already.
pub(super) fn spent<'c>(case: &'c Case<'_>) -> Result<Cow<'c, Spent>, Box<Stop>> {
    let spent = known("budget", &case.spent)?;
    match &case.arguments {
        Ok(call) if is_delivered_again(case, call) => Ok(Cow::Owned(spent.without(call))),
        _ => Ok(Cow::Borrowed(spent)),
    }
}

fn id(tool: &Listing) -> &ToolId {
    &tool.contract.tool_id
}

fn words(modes: &[Mode]) -> impl Iterator<Item = &'static str> + '_ {
    modes.iter().map(|mode| mode.as_str())
}
