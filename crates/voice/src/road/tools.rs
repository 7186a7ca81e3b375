//! Tools as a provider's voice session takes them, and its calls read back.

use contract::{Call, CallId, ToolOffer};
use dialect::{CompiledSet, Strictness, ToolSource, compile, target};
use serde_json::Value;

use crate::input::Input;

/// The tools of one connection.
#[derive(Debug, Default)]
pub(crate) struct WireTools {
    set: Option<CompiledSet>,
}

impl WireTools {
    /// Compiles the offers for a target of `dialect`. What it refuses is left out.
    pub(crate) fn compile(offers: &[ToolOffer], target_name: &str) -> Self {
        let sources: Vec<_> = offers
            .iter()
            .map(|offer| ToolSource {
                name: offer.id.as_str(),
                description: &offer.description,
                parameters: &offer.parameters,
                strict: Strictness::Off,
            })
            .collect();
        Self { set: target(target_name).map(|target| compile(&sources, target)) }
    }

    /// The entries for the `tools` field.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let tools = self.set.iter().flat_map(|set| &set.tools);
        tools.map(|tool| tool.wire.clone()).collect()
    }

    /// The name that the model sees for a tool.
    pub(crate) fn wire_name(&self, tool: &str) -> String {
        let tools = self.set.iter().flat_map(|set| &set.tools);
        let found = tools.into_iter().find(|one| one.name == tool);
        found.map_or_else(|| tool.to_owned(), |found| found.wire_name.clone())
    }

    /// A call with arguments as text.
    pub(crate) fn call_of_text(&self, id: &str, name: &str, arguments: &str) -> Input {
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        match serde_json::from_str::<Value>(arguments) {
            Ok(args) => self.call(id, name, args),
            Err(fault) => malformed(
                id,
                name,
                &format!("The arguments are not JSON ({fault}). Send them again."),
            ),
        }
    }

    /// A call with arguments as JSON. Unknown tools pass: policy names the nearest one.
    pub(crate) fn call(&self, id: &str, name: &str, args: Value) -> Input {
        if name.trim().is_empty() || id.trim().is_empty() {
            return malformed(id, name, "The call has no name or no id. Call a tool by its name.");
        }
        if !args.is_object() {
            return malformed(id, name, "The arguments must be a JSON object. Send them again.");
        }
        let known = self.set.as_ref().and_then(|set| set.by_wire_name(name));
        let tool = known.map_or_else(|| name.to_owned(), |known| known.name.clone());
        // What does not decode is judged as it is, so that the refusal names the place.
        let args = known.and_then(|known| known.plan.decode(&args).ok()).unwrap_or(args);
        Input::CallAsked { call: Call { id: CallId(id.to_owned()), tool, args } }
    }
}

pub(crate) fn malformed(id: &str, name: &str, message: &str) -> Input {
    let (call, tool) = (CallId(id.to_owned()), name.to_owned());
    Input::CallMalformed { call, tool, message: message.to_owned() }
}

#[cfg(test)]
mod tests;
