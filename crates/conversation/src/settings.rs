//! What a person chose for one conversation.
//!
//! The newest event in the log has all of it, so a reload, another process, a branch and an
//! export have the same. What is missing follows the settings of the owner.

use contract::Sampling;
use serde::{Deserialize, Serialize};

/// The settings of one conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConversationSettings {
    /// The model that answers, as `provider:name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Instead of the owner's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Tools that the model is not offered: ids, or `name.*` for all tools of an MCP server or
    /// module.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools_off: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub sampling: Sampling,
    /// The longest answer, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

fn is_default(sampling: &Sampling) -> bool {
    *sampling == Sampling::default()
}

impl ConversationSettings {
    /// Whether this tool is switched off here.
    pub fn is_off(&self, tool: &str) -> bool {
        self.tools_off.iter().any(|off| covers(off, tool))
    }
}

/// Whether an entry is about this tool.
fn covers(off: &str, tool: &str) -> bool {
    match off.strip_suffix(".*") {
        Some(group) => tool.strip_prefix(group).is_some_and(|rest| rest.starts_with('.')),
        None => off == tool,
    }
}

#[cfg(test)]
mod tests {
    use super::ConversationSettings;

    #[test]
    fn an_entry_is_a_tool_or_a_whole_group() {
        let settings = ConversationSettings {
            tools_off: vec!["dice.roll".into(), "notes.*".into()],
            ..ConversationSettings::default()
        };
        for (tool, is_off) in [
            ("dice.roll", true),
            ("dice.roll_more", false),
            ("dice", false),
            ("notes.add", true),
            ("notes", false),
            ("notes_more.add", false),
        ] {
            assert_eq!(settings.is_off(tool), is_off, "{tool}");
        }
    }
}
