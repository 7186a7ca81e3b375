//! Which calls a rule matches: every key that is present must match.

use contract::{Capabilities, Category, Mode, SideEffects};

use super::argument::ArgumentMatcher;
use super::{Glob, Subject};

/// The matchers of one rule. An empty list means that the rule does not look at it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Matcher {
    pub(super) tools: Vec<Glob>,
    pub(super) categories: Vec<Category>,
    pub(super) side_effects: Vec<SideEffects>,
    pub(super) capabilities: Vec<CapabilityMatcher>,
    pub(super) modes: Vec<Mode>,
    pub(super) arguments: Vec<ArgumentMatcher>,
}

/// A kind of capability, and what its entry must look like.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CapabilityMatcher {
    pub(super) kind: &'static str,
    pub(super) entry: Glob,
}

impl Matcher {
    pub(super) fn fits(&self, subject: &Subject<'_>) -> bool {
        let Matcher { tools: _, categories, side_effects, capabilities, modes, arguments } = self;
        self.fits_tool(subject.tool)
            && (categories.is_empty() || categories.contains(&subject.category))
            && (side_effects.is_empty() || side_effects.contains(&subject.side_effects))
            && (modes.is_empty() || modes.contains(&subject.mode))
            && (capabilities.is_empty()
                || capabilities.iter().any(|wanted| wanted.fits(subject.capabilities)))
            && arguments.iter().all(|argument| argument.fits(subject.args))
    }

    pub(super) fn fits_tool(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.fits(tool))
    }

    /// Whether the rule needs arguments that fit the contract.
    pub(super) fn needs_args(&self) -> bool {
        !self.arguments.is_empty()
    }
}

impl CapabilityMatcher {
    /// `net`, or `net:*.example.com`; none if the kind is unknown.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, entry) = text.split_once(':').unwrap_or((text, "*"));
        let kind = Capabilities::NAMES.into_iter().find(|name| *name == kind)?;
        Some(Self { kind, entry: Glob::new(entry) })
    }

    fn fits(&self, capabilities: &Capabilities) -> bool {
        let Capabilities { net, kv, secrets, files, attachments } = capabilities;
        let fits = |entry: &str| self.entry.fits(entry);
        match self.kind {
            "net" => net.iter().any(|entry| fits(entry.as_str())),
            "kv" => kv.iter().any(|entry| fits(entry.as_str())),
            "secrets" => secrets.iter().any(|entry| fits(entry.as_str())),
            "attachments" => attachments.iter().any(|entry| fits(entry.as_str())),
            _ => files.iter().any(|entry| fits(entry.as_str())),
        }
    }
}
