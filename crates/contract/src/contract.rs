//! The contract of a tool: the checked content of its `schema.json`.
//!
//! In: values that the registry has checked. Out: [`Contract`]. Must hold: each enumeration
//! has one table of its words, so that a message can list them and suggest one.

use std::time::Duration;

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AskKind, Capabilities, ToolId};

/// A tool's promise: name, input, effect, limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "they are the fields of schema.json")]
pub struct Contract {
    pub tool_id: ToolId,
    pub version: Version,
    pub description: String,
    pub category: Category,
    pub side_effects: SideEffects,
    /// Whether the same call may be made twice without harm.
    pub idempotent: bool,
    /// Whether a person must approve each run.
    pub requires_confirmation: bool,
    pub allowed_modes: Vec<Mode>,
    /// How long a call should take; more is a warning and a metric.
    pub latency_budget_ms: u32,
    /// JSON Schema (2020-12) of the arguments.
    pub parameters: Value,
    /// JSON Schema (2020-12) of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<Value>,
    /// How long a call may take before it is stopped; see [`Contract::timeout`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u32>,
    /// How long a result answers the same retrieval again.
    #[serde(default, skip_serializing_if = "Reuse::is_default")]
    pub reuse: Reuse,
    /// Offered to the model once per answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub one_time: bool,
    /// Run automatically before each answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub auto: bool,
    #[serde(default, skip_serializing_if = "Capabilities::is_empty")]
    pub capabilities: Capabilities,
    /// Who the handler may ask before it does anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskKind>,
    /// The file beside `schema.json` that describes the tool's form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ui: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Contract {
    /// The required fields, in the order in which authors write them.
    pub const REQUIRED: [&str; 10] = [
        "toolId",
        "version",
        "description",
        "category",
        "sideEffects",
        "idempotent",
        "requiresConfirmation",
        "allowedModes",
        "latencyBudgetMs",
        "parameters",
    ];
    pub const OPTIONAL: [&str; 8] =
        ["returns", "timeoutMs", "reuse", "oneTime", "auto", "capabilities", "asks", "ui"];

    /// The longest that any call may run: ten minutes.
    pub const TIMEOUT_MS_MAX: u32 = 600_000;

    /// How long a call may run before it is stopped: `timeoutMs`, otherwise ten budgets.
    pub fn timeout(&self) -> Duration {
        let default = self.latency_budget_ms.saturating_mul(10);
        let ms = self.timeout_ms.unwrap_or(default).min(Self::TIMEOUT_MS_MAX);
        Duration::from_millis(ms.into())
    }
}

/// A text that is not a word of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not one of {}", list(expected))]
pub struct UnknownWord {
    pub found: String,
    pub expected: &'static [&'static str],
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            pub const WORDS: &[&str] = &[$($word),+];
            pub const ALL: &[$name] = &[$($name::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::UnknownWord;
            fn from_str(text: &str) -> Result<Self, crate::UnknownWord> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err(crate::UnknownWord { found: text.to_owned(), expected: Self::WORDS }),
                }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What kind of tool it is; the rules of the category are checked at build.
    Category {
        /// Reads, fast, safe to repeat.
        Retrieval = "retrieval",
        /// Does something in the world.
        Action = "action",
        /// Computes the same answer from the same arguments.
        Utility = "utility",
    }
}

words! {
    /// What a tool changes in the world. Policy relies on it.
    SideEffects {
        /// Pure computation: no network, no files, no keys.
        None = "none",
        /// Reads the world without changing it.
        ReadOnly = "read_only",
        /// Changes something outside the conversation.
        Writes = "writes",
    }
}

words! {
    /// How long the result of a retrieval answers the same question again.
    #[derive(Default)]
    Reuse {
        /// For an hour, until something is written.
        #[default]
        Conversation = "conversation",
        /// Until the person says something new: what it reads changes without the tools.
        Turn = "turn",
    }
}

impl Reuse {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// The interaction mode.
    Mode {
        Text = "text",
        Voice = "voice",
    }
}

#[cfg(test)]
mod tests;
