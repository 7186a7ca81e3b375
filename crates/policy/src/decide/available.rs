//! The first stages: the tool exists, is switched on, and the arguments fit.

use std::borrow::Cow;
use std::sync::Arc;

use contract::{Mode, ToolId};
use serde_json::Value;

use super::history::is_delivered_again;
use super::refusal::{self, Refusal};
use super::{StageResult, known, passed};
use crate::display_text::list;
use crate::rules::Subject;
use crate::{Availability, CallFacts, CheckedCall, ListedTool, StandingAnswers, Switch, TurnUsage};

pub(super) fn exists<'c>(facts: &'c CallFacts<'_>) -> StageResult<&'c ListedTool> {
    let Some(tool) = &facts.tool else {
        return Err(refusal::unknown_tool(&facts.call.tool, facts.known_tools));
    };
    if tool.contract.tool_id.as_str() != facts.call.tool {
        return Err(refusal::guard("exists", "the registry gave another tool than the call names"));
    }
    passed(tool, format!("the registry has version {}", tool.contract.version))
}

pub(super) fn enabled(facts: &CallFacts<'_>, tool: &ListedTool) -> StageResult<()> {
    let id = id(tool);
    if let Switch::Off { because } = &tool.switch {
        return Err(refusal::disabled(id, because));
    }
    let rules = known("rules", &facts.rules)?;
    let answers = standing_answers(facts)?;
    if answers.is_never(id) {
        return Err(refusal::never(id));
    }
    let nothing = Value::Null;
    if let Some(rule) = rules.denies_tool(&subject(facts, tool, &nothing)) {
        return Err(refusal::denied(id, rule, &format!("`{id}`")));
    }
    passed((), "switched on, and no rule forbids it")
}

pub(super) fn condition(facts: &CallFacts<'_>, tool: &ListedTool) -> StageResult<()> {
    let id = id(tool);
    if let Availability::Unavailable { because } = known("condition", &facts.condition)? {
        return Err(refusal::unavailable(id, because));
    }
    if !tool.contract.one_time {
        return passed((), "available");
    }
    match spent(facts)?.uses(facts.turn, id) {
        0 => passed((), "available, once in this answer"),
        _ => Err(refusal::one_time(id)),
    }
}

pub(super) fn mode(facts: &CallFacts<'_>, tool: &ListedTool) -> StageResult<()> {
    let allowed = &tool.contract.allowed_modes;
    match allowed.contains(&facts.mode) {
        true => passed((), format!("{} is one of {}", facts.mode, list(words(allowed)))),
        false => Err(refusal::wrong_mode(id(tool), facts.mode, allowed)),
    }
}

pub(super) fn arguments<'c>(
    facts: &'c CallFacts<'_>,
    tool: &ListedTool,
) -> StageResult<&'c CheckedCall> {
    let id = id(tool);
    let call = facts.arguments.as_ref().map_err(|rejected| refusal::rejected(id, rejected))?;
    let same_call = *call.id() == facts.call.id
        && call.digest() == tool.digest
        && (Arc::ptr_eq(call.contract(), &tool.contract) || *call.contract() == tool.contract)
        && *call.conversation() == *facts.conversation
        && call.mode() == facts.mode
        && call.turn() == facts.turn;
    if !same_call {
        return Err(refusal::guard("arguments", "the checked call is not the call that is judged"));
    }
    let rules = known("rules", &facts.rules)?;
    if let Some(rule) = rules.denies_args(&subject(facts, tool, call.args())) {
        return Err(refusal::denied(id, rule, &format!("`{id}` with these arguments")));
    }
    passed(call, "they fit the contract, and no rule forbids them")
}

/// The input of the operator's rules.
pub(super) fn subject<'c>(
    facts: &CallFacts<'_>,
    tool: &'c ListedTool,
    args: &'c Value,
) -> Subject<'c> {
    Subject {
        tool: id(tool).as_str(),
        category: tool.contract.category,
        side_effects: tool.contract.side_effects,
        capabilities: &tool.contract.capabilities,
        mode: facts.mode,
        args,
    }
}

pub(super) fn standing_answers<'c>(
    facts: &'c CallFacts<'_>,
) -> Result<&'c StandingAnswers, Box<Refusal>> {
    let answers = known("standing answers", &facts.standing_answers)?;
    match answers.conversation() == facts.conversation {
        true => Ok(answers),
        false => Err(refusal::guard("standing answers", "it belongs to another conversation")),
    }
}

/// The turn's usage, without the call itself if the ledger has it already.
pub(super) fn spent<'c>(facts: &'c CallFacts<'_>) -> Result<Cow<'c, TurnUsage>, Box<Refusal>> {
    let spent = known("budget", &facts.spent)?;
    match &facts.arguments {
        Ok(call) if is_delivered_again(facts, call) => Ok(Cow::Owned(spent.without(call))),
        _ => Ok(Cow::Borrowed(spent)),
    }
}

fn id(tool: &ListedTool) -> &ToolId {
    &tool.contract.tool_id
}

fn words(modes: &[Mode]) -> impl Iterator<Item = &'static str> + '_ {
    modes.iter().map(|mode| mode.as_str())
}
