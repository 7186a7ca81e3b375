//! The stages of a verdict, in their fixed order, and the trace that they leave.
//!
//! A new stage (the taint gate belongs between arguments and budget) is a new line of
//! [`Stage`] and a new line in `decide`; nothing else depends on their number.

use serde::Serialize;

use crate::RuleId;

macro_rules! stages {
    ($($(#[$doc:meta])* $stage:ident = $word:literal),+ $(,)?) => {
        /// One stage of the verdict.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Stage { $($(#[$doc])* $stage),+ }

        impl Stage {
            /// In their fixed order.
            pub const ALL: &[Stage] = &[$(Stage::$stage),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Stage::$stage => $word),+ }
            }
        }
    };
}

stages! {
    /// The tool exists.
    Exists = "exists",
    /// It is switched on, and no rule or person forbids it.
    Enabled = "enabled",
    /// It is available now.
    Condition = "condition",
    /// It allows this mode.
    Mode = "mode",
    /// The arguments fit the contract, and no rule forbids them.
    Arguments = "arguments",
    /// The turn has calls left.
    Budget = "budget",
    /// The model is not in a loop.
    Loop = "loop",
    /// The result is not known already.
    Duplicate = "duplicate",
    /// No person must approve, or one has.
    Approval = "approval",
    /// It has not happened already, and cannot have.
    Ledger = "ledger",
}

/// The result of every stage, in order.
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
    /// The stage did not object; the note says what it checked.
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
