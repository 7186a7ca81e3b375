//! A script in a project: its tools are real, and a script may only say how long they take and
//! what they answer.

use contract::Contract;
use policy::Timestamp;
use serde_json::{Value, json};

use super::engine::ScriptEngine;
use super::parse::ScriptFault;
use super::statement::{Action, Script, ScriptTool, ToolEnd};
use crate::road::Setup;
use crate::transcript::Line;

/// Where a script runs: the tools of a project, and the engine that settles their calls.
pub struct ScriptProject<'a> {
    pub engine: Box<dyn ScriptEngine + 'a>,
    pub contracts: Vec<Contract>,
    pub setup: Setup,
    /// The conversation before the session; the lines of the script come after it.
    pub history: Vec<Line>,
    pub pending: Vec<String>,
    pub blocked_until: Option<Timestamp>,
    /// When the session begins.
    pub start: Timestamp,
}

/// What a script says about a handler of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedHandler {
    pub tool: String,
    /// How long the call takes, in virtual time.
    pub ms: u64,
    /// The handler's response; the real handler runs without one.
    pub response: Option<Value>,
}

impl Script {
    /// The handlers that the script plays or delays. Fails at the first statement that only
    /// makes sense without a project.
    pub fn played_handlers(
        &self,
        contracts: &[Contract],
    ) -> Result<Vec<PlayedHandler>, ScriptFault> {
        for timed in &self.actions {
            if let Action::ToolEnds { .. } | Action::ToolMessages { .. } = &timed.action {
                let what = "the handlers of the project end by themselves; write `tool NAME takes \
                            1s` or `tool NAME after 1s returns {…}`, without a time in front";
                return Err(ScriptFault { line: timed.line, what: what.to_owned() });
            }
        }
        self.tools.iter().map(|tool| played(tool, contracts)).collect()
    }
}

fn played(tool: &ScriptTool, contracts: &[Contract]) -> Result<PlayedHandler, ScriptFault> {
    let id = &tool.contract.tool_id;
    let fault = |what: String| ScriptFault { line: tool.line, what };
    if !contracts.iter().any(|contract| contract.tool_id == *id) {
        return Err(fault(format!("the project has no tool `{id}`")));
    }
    if let Some(word) = &tool.contract_word {
        return Err(fault(format!(
            "`{word}` is a matter of the contract of `{id}`; in a project a script says only \
             `takes` or `after … returns`"
        )));
    }
    let (ms, response) = match &tool.returns {
        None => (tool.takes_ms.unwrap_or_default(), None),
        Some((ms, ToolEnd::Returns { data, intents })) => {
            (*ms, Some(json!({ "ok": true, "data": data, "intents": intents })))
        }
        Some((ms, ToolEnd::Fails { message })) => {
            let error = json!({ "type": "PERMANENT", "message": message, "retryable": false });
            (*ms, Some(json!({ "ok": false, "error": error })))
        }
        Some((_, ToolEnd::Stops | ToolEnd::Asks { .. })) => {
            return Err(fault(format!("in a project `{id}` `returns` or `fails`")));
        }
    };
    Ok(PlayedHandler { tool: id.to_string(), ms, response })
}

#[cfg(test)]
mod tests;
