//! What each model family accepts, from the providers' documentation of November 2026 only.
//!
//! The longest matching prefix wins. A name without a match does not exist, nor do retired
//! models.

/// The limits of one family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    name: &'static str,
    /// Whether a request may force a call.
    pub(crate) forced_choice: bool,
    /// The `thinking.type`s that Anthropic accepts for it.
    pub(crate) thinking: &'static [&'static str],
    pub(crate) sampling: Sampling,
    /// Whether the client may prefill the answer.
    pub(crate) prefill: bool,
    /// Whether the first call of each turn must come back with its signature.
    pub(crate) signed_calls: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampling {
    Accepted,
    /// Only while the reasoning effort is `none`.
    WithoutReasoning,
}

const CLAUDE_FIVE: Family = Family {
    name: "",
    forced_choice: true,
    thinking: &["disabled", "adaptive"],
    sampling: Sampling::WithoutReasoning,
    prefill: false,
    signed_calls: false,
};
const CLAUDE_NEWEST: Family =
    Family { forced_choice: false, thinking: &["adaptive"], ..CLAUDE_FIVE };
const CLAUDE_FOUR: Family =
    Family { thinking: &["disabled", "enabled", "adaptive"], prefill: true, ..CLAUDE_FIVE };
const OPENAI: Family = Family { thinking: &[], prefill: true, ..CLAUDE_FIVE };
const GEMINI: Family =
    Family { thinking: &[], sampling: Sampling::Accepted, prefill: true, ..CLAUDE_FIVE };

const ANTHROPIC: &[Family] = &[
    Family { name: "claude-fable-5", thinking: &["adaptive"], ..CLAUDE_FIVE },
    Family { name: "claude-fable-5-1", ..CLAUDE_NEWEST },
    Family { name: "claude-fable-5-2", ..CLAUDE_NEWEST },
    Family { name: "claude-mythos-5", thinking: &["adaptive"], ..CLAUDE_FIVE },
    Family { name: "claude-mythos-5-1", ..CLAUDE_NEWEST },
    Family { name: "claude-mythos-5-2", ..CLAUDE_NEWEST },
    Family { name: "claude-opus-5", ..CLAUDE_FIVE },
    Family { name: "claude-opus-5-5", ..CLAUDE_NEWEST },
    Family { name: "claude-sonnet-5", ..CLAUDE_FIVE },
    Family { name: "claude-sonnet-5-5", thinking: &["adaptive", "between_tools"], ..CLAUDE_NEWEST },
    Family { name: "claude-haiku-5-5", ..CLAUDE_FIVE },
    Family { name: "claude-haiku-4-5", ..CLAUDE_FOUR },
    Family { name: "claude-sonnet-4-5", ..CLAUDE_FOUR },
    Family { name: "claude-sonnet-4-6", ..CLAUDE_FOUR },
    Family { name: "claude-opus-4-5", ..CLAUDE_FOUR },
    Family { name: "claude-opus-4-6", ..CLAUDE_FOUR },
    Family { name: "claude-opus-4-7", thinking: &["disabled", "adaptive"], ..CLAUDE_FOUR },
    Family { name: "claude-opus-4-8", thinking: &["disabled", "adaptive"], ..CLAUDE_FOUR },
];

const OPENAI_MODELS: &[Family] = &[
    Family { name: "gpt-4o", sampling: Sampling::Accepted, ..OPENAI },
    Family { name: "gpt-4.1", sampling: Sampling::Accepted, ..OPENAI },
    Family { name: "gpt-5", ..OPENAI },
    Family { name: "gpt-5.4", ..OPENAI },
    Family { name: "gpt-5.5", ..OPENAI },
    Family { name: "gpt-5.6", ..OPENAI },
    Family { name: "gpt-6", ..OPENAI },
    Family { name: "gpt-6.1", ..OPENAI },
    Family { name: "o3", ..OPENAI },
    Family { name: "o4-mini", ..OPENAI },
];

const GEMINI_MODELS: &[Family] = &[
    Family { name: "gemini-2.5", ..GEMINI },
    Family { name: "gemini-3", signed_calls: true, ..GEMINI },
];

fn table(wire: contract::Wire) -> &'static [Family] {
    match wire {
        contract::Wire::Anthropic => ANTHROPIC,
        contract::Wire::Chat | contract::Wire::Responses => OPENAI_MODELS,
        contract::Wire::Gemini => GEMINI_MODELS,
    }
}

/// The family of a model, if the model exists.
pub(crate) fn family(wire: contract::Wire, model: &str) -> Option<Family> {
    let fits = |family: &&Family| {
        let rest = model.strip_prefix(family.name);
        rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
    };
    table(wire).iter().filter(fits).max_by_key(|family| family.name.len()).copied()
}

/// A name for each family, as the model lists give them.
pub(crate) fn names(wire: contract::Wire) -> impl Iterator<Item = &'static str> {
    table(wire).iter().map(|family| family.name)
}

/// For servers that accept everything.
pub(crate) const ANY: Family = Family {
    thinking: &["disabled", "enabled", "adaptive", "between_tools"],
    sampling: Sampling::Accepted,
    prefill: true,
    ..CLAUDE_FIVE
};
