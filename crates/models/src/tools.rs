//! The tools of a request, compiled for one wire and cached for the next request.
//!
//! In: offers. Out: [`WireTools`]: entries for the body, and the plans to decode calls. Must
//! hold: the same offers give the same bytes; a tool that cannot be expressed is a fault that
//! names it, and is never silently missing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Digest, Digester, ModelFault, RejectedTool, ToolOffer, Wire};
use dialect::{CompiledSet, CompiledTool, StrictMode, Strictness, Target, ToolSource};
use serde_json::Value;

use crate::fault::{self, SentTool};
use crate::provider::{Family, Provider};

/// A set of tools, compiled for one target.
#[derive(Debug)]
pub(crate) struct WireTools {
    set: CompiledSet,
}

impl WireTools {
    fn compile(offers: &[ToolOffer], target: &'static Target) -> Result<Self, ModelFault> {
        let sources: Vec<_> = offers.iter().map(source).collect();
        let set = dialect::compile(&sources, target);
        match set.refused.first() {
            Some(refused) => {
                let what = format!("the tool `{}`", refused.name);
                Err(fault::not_sendable(&what, refused.target, &refused.faults))
            }
            None => Ok(Self { set }),
        }
    }

    pub(crate) fn entries(&self) -> Vec<Value> {
        self.set.tools.iter().map(|tool| tool.wire.clone()).collect()
    }

    pub(crate) fn sent(&self) -> impl Iterator<Item = SentTool> {
        let sent = |tool: &CompiledTool| SentTool {
            name: tool.name.clone(),
            wire_name: tool.wire_name.clone(),
        };
        self.set.tools.iter().map(sent)
    }

    /// Notes about the request as a whole, for people.
    pub(crate) fn notes(&self) -> &[String] {
        &self.set.notes
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&CompiledTool> {
        self.set.tools.iter().find(|tool| tool.name == name)
    }

    /// The tools that have another name on the wire.
    pub(crate) fn renamed(&self) -> impl Iterator<Item = &CompiledTool> {
        self.set.tools.iter().filter(|tool| tool.wire_name != tool.name)
    }

    pub(crate) fn by_wire_name(&self, wire_name: &str) -> Option<&CompiledTool> {
        self.set.by_wire_name(wire_name)
    }
}

fn source(offer: &ToolOffer) -> ToolSource<'_> {
    let ToolOffer { id, description, parameters } = offer;
    ToolSource { name: id.as_str(), description, parameters, strict: Strictness::Wanted }
}

/// Compiled sets by digest.
#[derive(Debug)]
pub(crate) struct Compiler {
    target: &'static Target,
    /// Locked only to look up and to insert, never while compiling.
    known: Mutex<HashMap<Digest, Arc<WireTools>>>,
}

/// How many sets are cached; a conversation has one or two.
const SETS_MAX: usize = 64;

impl Compiler {
    pub(crate) fn new(provider: &Provider, strict: StrictMode) -> Result<Self, ModelFault> {
        let own = tools_target(provider, strict);
        let name = provider.dialect.as_deref().unwrap_or(own);
        let target = dialect::target(name).ok_or_else(|| fault::no_dialect(name))?;
        Ok(Self { target, known: Mutex::default() })
    }

    /// The tools that cannot be expressed, each with the reason.
    pub(crate) fn refused(&self, offers: &[ToolOffer]) -> Vec<RejectedTool> {
        let sources: Vec<_> = offers.iter().map(source).collect();
        let refused = dialect::compile(&sources, self.target).refused;
        let blamed = |tool: dialect::RefusedTool| {
            let fault = fault::not_sendable("it", tool.target, &tool.faults);
            RejectedTool { tool: tool.name, because: fault.message }
        };
        refused.into_iter().map(blamed).collect()
    }

    pub(crate) fn tools_max(&self) -> Option<usize> {
        self.target.tools_max()
    }

    pub(crate) fn compile(&self, offers: &[ToolOffer]) -> Result<Arc<WireTools>, ModelFault> {
        let digest = digest(offers);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&digest) {
            return Ok(Arc::clone(known));
        }
        let compiled = Arc::new(WireTools::compile(offers, self.target)?);
        let mut known = lock();
        if known.len() >= SETS_MAX {
            known.clear();
        }
        known.insert(digest, Arc::clone(&compiled));
        Ok(compiled)
    }
}

/// Depends on the order of the offers and of their properties, because the model sees both.
fn digest(offers: &[ToolOffer]) -> Digest {
    let mut digester = Digester::default();
    for ToolOffer { id, description, parameters } in offers {
        digester.part(id.as_str().as_bytes());
        digester.part(description.as_bytes());
        digester.part(parameters.to_string().as_bytes());
    }
    digester.finish()
}

fn tools_target(provider: &Provider, strict: StrictMode) -> &'static str {
    let per_tool = strict == StrictMode::PerTool;
    let compatible = matches!(provider.family, Family::Other | Family::Ollama);
    match provider.wire {
        Wire::Anthropic if per_tool => "anthropic-strict",
        Wire::Anthropic => "anthropic",
        Wire::Chat if compatible => "openai-compatible",
        Wire::Chat if per_tool => "openai-chat-strict",
        Wire::Chat => "openai-chat",
        Wire::Responses if per_tool => "openai-responses-strict",
        Wire::Responses => "openai-responses",
        Wire::Gemini => "gemini",
    }
}

/// The target for structured answers.
pub(crate) fn output_target(
    provider: &Provider,
    strict: StrictMode,
) -> Result<&'static Target, ModelFault> {
    let name = tools_target(provider, strict);
    dialect::target(name).ok_or_else(|| fault::no_dialect(name))
}

#[cfg(test)]
mod tests;
