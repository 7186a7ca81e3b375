//! What the model and the session know about the tools of an engine.

use std::collections::BTreeMap;

use contract::Mode;
use engine::Engine;
use voice::{ToolFacts, ToolSummary, voice_prompt};

/// The longest instructions of a session; every word delays the first sound.
const PROMPT_BYTES_MAX: usize = 32 << 10;

/// The instructions: the system prompt, how to speak, and a summary of each tool for voice.
pub fn session_prompt(engine: &Engine, system: &str) -> String {
    let lease = engine.registry().lease();
    let tools = engine.tools(&lease);
    let summaries: Vec<_> = tools
        .filter(|tool| tool.contract.allowed_modes.contains(&Mode::Voice))
        .map(|tool| ToolSummary { tool: tool.contract.tool_id.as_str(), summary: tool.for_model() })
        .collect();
    voice_prompt(system, &summaries, PROMPT_BYTES_MAX).text
}

/// How each tool behaves in voice.
pub fn tool_facts(engine: &Engine) -> BTreeMap<String, ToolFacts> {
    let lease = engine.registry().lease();
    let facts = engine
        .tools(&lease)
        .map(|tool| (tool.contract.tool_id.to_string(), ToolFacts::of(&tool.contract)));
    facts.collect()
}
