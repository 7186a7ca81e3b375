//! The rules of endings and of approvals.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tools::EffectLevel;

/// What an interruption does to a farewell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptedEnding {
    /// The session ends all the same.
    Ends,
    /// The session goes on with what the person says.
    GoesOn,
}

/// Who says a farewell whose words are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FarewellBy {
    /// Exactly these words, by our own speech.
    Us,
    /// The model, in its own words; our own speech if it stays silent.
    Model,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingRules {
    /// By `TOOL:REASON`, or by `TOOL`.
    pub interrupted: BTreeMap<String, InterruptedEnding>,
    pub otherwise: InterruptedEnding,
    pub farewell_by: FarewellBy,
    /// The arguments of a call that hold the words of a farewell.
    pub farewell_arguments: Vec<String>,
}

impl EndingRules {
    /// A person's own wish can be taken back by speaking; a block cannot.
    pub fn standard() -> Self {
        let interrupted = [
            ("ignore_user", InterruptedEnding::Ends),
            ("end_voice_session", InterruptedEnding::GoesOn),
            ("end_voice_session:switch_to_text", InterruptedEnding::Ends),
        ];
        Self {
            interrupted: interrupted.map(|(key, rule)| (key.to_owned(), rule)).into(),
            otherwise: InterruptedEnding::GoesOn,
            farewell_by: FarewellBy::Us,
            farewell_arguments: ["farewell_message", "final_message"].map(str::to_owned).into(),
        }
    }

    /// The name of an ending, as the rules list it.
    pub fn cause(tool: &str, args: &Value) -> String {
        match args.get("reason").and_then(Value::as_str) {
            Some(reason) => format!("{tool}:{reason}"),
            None => tool.to_owned(),
        }
    }

    pub fn rule(&self, cause: &str) -> InterruptedEnding {
        let tool = cause.split(':').next().unwrap_or_default();
        let rule = self.interrupted.get(cause).or_else(|| self.interrupted.get(tool));
        rule.copied().unwrap_or(self.otherwise)
    }

    /// The words of the farewell, if the call has them.
    pub fn farewell(&self, args: &Value) -> Option<String> {
        let text = |name: &String| args.get(name)?.as_str().map(str::trim);
        let found = self.farewell_arguments.iter().find_map(text);
        found.filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRules {
    /// Stronger effects need the button of the page.
    pub spoken_up_to: EffectLevel,
    /// Tools that always need it.
    pub button_tools: BTreeSet<String>,
    /// A longer read-back needs it too.
    pub readback_chars_max: usize,
    /// After so many unclear answers the page is asked.
    pub unclear_max: u8,
}

impl ApprovalRules {
    pub fn standard() -> Self {
        Self {
            spoken_up_to: EffectLevel::Writes,
            button_tools: BTreeSet::new(),
            readback_chars_max: 600,
            unclear_max: 2,
        }
    }
}
