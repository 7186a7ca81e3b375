//! The operator's rules, and a person's standing answers in a conversation.
//!
//! In: the text of a rule file, checked with its own examples. Out: which rules match a
//! call. Must hold: a rule can only tighten. `deny` beats `ask` and `ask` beats `allow`, in
//! any order; `allow` only documents what is allowed anyway.

mod argument;
mod example;
mod fault;
mod glob;
mod matcher;
mod parse;
mod toml_value;

use contract::{Capabilities, Category, Digest, Mode, SideEffects, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ConversationId, Reason, RuleId};

pub use fault::{RuleFault, RulePlace};
pub use glob::Glob;
pub use parse::parse_rules;

use matcher::Matcher;

/// What a rule does to the calls that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEffect {
    /// Documents that the call is allowed. Changes no verdict.
    Allow,
    Ask(Remember),
    Deny,
}

/// Whether "always in this conversation" may replace asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remember {
    /// Ask about each call.
    Never,
    InConversation,
}

/// One rule of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigRule {
    pub id: RuleId,
    pub effect: RuleEffect,
    /// The operator's reason, shown to people.
    pub because: String,
    /// Where it is: `policy.toml:12`.
    pub place: String,
    matcher: Matcher,
}

/// What rules look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) tool: &'a str,
    pub(crate) category: Category,
    pub(crate) side_effects: SideEffects,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) mode: Mode,
    pub(crate) args: &'a Value,
}

/// A checked rule file. Without rules, the contracts still apply.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigRules(Vec<ConfigRule>);

impl ConfigRules {
    pub fn none() -> Self {
        Self(Vec::new())
    }

    pub fn iter(&self) -> impl Iterator<Item = &ConfigRule> {
        self.0.iter()
    }

    /// The rules whose `tools` match none of these tools: probably a typo.
    pub fn idle<'a>(&'a self, tools: &'a [&'a str]) -> impl Iterator<Item = &'a ConfigRule> {
        self.0.iter().filter(|rule| !tools.iter().any(|tool| rule.matcher.fits_tool(tool)))
    }

    /// The first rule that denies without looking at arguments.
    pub(crate) fn denies_tool(&self, subject: &Subject<'_>) -> Option<&ConfigRule> {
        self.denies(subject, |rule| !rule.matcher.needs_args())
    }

    /// The first rule that denies these arguments.
    pub(crate) fn denies_args(&self, subject: &Subject<'_>) -> Option<&ConfigRule> {
        self.denies(subject, |rule| rule.matcher.needs_args())
    }

    /// The rules that ask about a tool without looking at its arguments.
    pub(crate) fn asks_about(
        &self,
        subject: &Subject<'_>,
    ) -> impl Iterator<Item = (&ConfigRule, Remember)> {
        self.matching(subject).filter_map(|rule| match rule.effect {
            RuleEffect::Ask(remember) if !rule.matcher.needs_args() => Some((rule, remember)),
            RuleEffect::Ask(_) | RuleEffect::Allow | RuleEffect::Deny => None,
        })
    }

    fn denies(
        &self,
        subject: &Subject<'_>,
        wanted: impl Fn(&ConfigRule) -> bool,
    ) -> Option<&ConfigRule> {
        self.matching(subject).find(|rule| rule.effect == RuleEffect::Deny && wanted(rule))
    }

    pub(crate) fn matching(&self, subject: &Subject<'_>) -> impl Iterator<Item = &ConfigRule> {
        self.0.iter().filter(|rule| rule.matcher.fits(subject))
    }
}

impl ConfigRule {
    /// The rule as a reason. The model does not get the operator's text: it is written for
    /// people, and may contain what the model need not know.
    pub(crate) fn reason(&self, model: &str) -> Reason {
        let ConfigRule { id, because, place, .. } = self;
        Reason::new(id.clone(), format!("{because} ({place})"), model)
    }
}

/// A person's "always" and "never" for tools in one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingAnswers {
    conversation: ConversationId,
    /// Bound to the tool as it was: a changed tool is asked about again.
    always: Vec<(ToolId, Digest)>,
    /// Bound to the name: a changed tool is still refused.
    never: Vec<ToolId>,
}

impl StandingAnswers {
    pub fn nothing(conversation: ConversationId) -> Self {
        Self { conversation, always: Vec::new(), never: Vec::new() }
    }

    pub fn conversation(&self) -> &ConversationId {
        &self.conversation
    }

    /// "Always allow this tool here." Takes back an earlier "never".
    #[must_use]
    pub fn always(mut self, tool: ToolId, digest: Digest) -> Self {
        self = self.forget(&tool);
        self.always.push((tool, digest));
        self
    }

    /// "Never use this tool here." Takes back an earlier "always".
    #[must_use]
    pub fn never(mut self, tool: ToolId) -> Self {
        self = self.forget(&tool);
        self.never.push(tool);
        self
    }

    #[must_use]
    pub fn forget(mut self, tool: &ToolId) -> Self {
        self.always.retain(|(known, _)| known != tool);
        self.never.retain(|known| known != tool);
        self
    }

    pub(crate) fn is_always(&self, tool: &ToolId, digest: &Digest) -> bool {
        self.always.iter().any(|(known, bound)| known == tool && bound == digest)
    }

    pub(crate) fn is_never(&self, tool: &ToolId) -> bool {
        self.never.contains(tool)
    }
}

#[cfg(test)]
mod tests;
