//! What a session knows about tools.

use contract::{Contract, SideEffects};
use serde::{Deserialize, Serialize};

/// What the orchestrator must know about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    pub latency_budget_ms: u32,
    pub effects: EffectLevel,
    pub on_interrupt: OnInterrupt,
    pub role: ToolRole,
}

/// What happens to a running call when the person interrupts. Its result is never spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnInterrupt {
    Cancel,
    Finish,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolRole {
    Ordinary,
    /// Ends the session: it runs only after everything the model said before it was heard.
    Terminal,
}

/// How much a tool can do, for the rule about spoken approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectLevel {
    Reads,
    /// Writes that may be repeated without harm.
    RepeatableWrites,
    Writes,
    /// Writes that reach other machines or use secrets, and cannot be repeated.
    OutwardWrites,
}

impl EffectLevel {
    pub fn of(contract: &Contract) -> Self {
        let reaches_out =
            !contract.capabilities.net.is_empty() || !contract.capabilities.secrets.is_empty();
        match (contract.side_effects, contract.idempotent) {
            (SideEffects::None | SideEffects::ReadOnly, _) => Self::Reads,
            (SideEffects::Writes, true) => Self::RepeatableWrites,
            (SideEffects::Writes, false) if reaches_out => Self::OutwardWrites,
            (SideEffects::Writes, false) => Self::Writes,
        }
    }
}

/// The tools that end a session by their own name.
pub const TERMINAL_TOOLS: [&str; 1] = ["end_voice_session"];

impl ToolFacts {
    /// The facts of a contract. A write is never cancelled by speech: it finishes in silence.
    pub fn of(contract: &Contract) -> Self {
        let effects = EffectLevel::of(contract);
        let is_terminal = TERMINAL_TOOLS.contains(&contract.tool_id.as_str());
        Self {
            latency_budget_ms: contract.latency_budget_ms,
            effects,
            on_interrupt: match effects {
                EffectLevel::Reads => OnInterrupt::Cancel,
                EffectLevel::RepeatableWrites
                | EffectLevel::Writes
                | EffectLevel::OutwardWrites => OnInterrupt::Finish,
            },
            role: if is_terminal { ToolRole::Terminal } else { ToolRole::Ordinary },
        }
    }

    /// For a tool that is not listed.
    pub const UNKNOWN: Self = Self {
        latency_budget_ms: 1_000,
        effects: EffectLevel::OutwardWrites,
        on_interrupt: OnInterrupt::Finish,
        role: ToolRole::Ordinary,
    };
}
