//! The stages of judging, in their one fixed order, and the trace that they leave.
//!
//! A new stage (the taint gate belongs between arguments and budget) is a new line of
//! [`Stage`] and a new line in `decide`; nothing else knows how many there are.

use serde::Serialize;

use crate::RuleId;

macro_rules! stages {
    ($($(#[$doc:meta])* $stage:ident = $word:literal),+ $(,)?) => {
        /// One question on the way of a call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Stage { $($(#[$doc])* $stage),+ }

        impl Stage {
            /// In the order in which they are asked.
            pub const ALL: &[Stage] = &[$(Stage::$stage),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Stage::$stage => $word),+ }
            }
        }
    };
}

stages! {
    /// Is there such a tool?
    Exists = "exists",
    /// Is it switched on, and does no rule or person forbid it?
    Enabled = "enabled",
    /// Is it available right now?
    Condition = "condition",
    /// Is it for this mode?
    Mode = "mode",
    /// Do the arguments fit the contract, and does no rule forbid them?
    Arguments = "arguments",
    /// Has the turn any calls left?
    Budget = "budget",
    /// Is the model going in circles?
    Loop = "loop",
    /// Is the answer known already?
    Duplicate = "duplicate",
    /// Must a person agree, and did they?
    Approval = "approval",
    /// Has it happened already, or may it have?
    Ledger = "ledger",
}

/// What every stage said, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace(Vec<StageStep>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStep {
    pub stage: Stage,
    pub mark: StageMark,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageMark {
    /// Nothing spoke against the call; the note says what was looked at.
    Passed {
        note: String,
    },
    Decided {
        rule: RuleId,
    },
    NotReached,
}

impl Trace {
    pub(crate) fn unmarked() -> Self {
        Self(
            Stage::ALL
                .iter()
                .map(|stage| StageStep { stage: *stage, mark: StageMark::NotReached })
                .collect(),
        )
    }

    pub(crate) fn mark(&mut self, stage: Stage, mark: StageMark) {
        if let Some(step) = self.0.iter_mut().find(|step| step.stage == stage) {
            step.mark = mark;
        }
    }

    pub fn steps(&self) -> &[StageStep] {
        &self.0
    }

    /// The stage that decided; none if the call passed them all.
    pub fn decided(&self) -> Option<Stage> {
        let decided = |step: &&StageStep| matches!(step.mark, StageMark::Decided { .. });
        self.0.iter().find(decided).map(|step| step.stage)
    }
}
