//! Prepares a request for one model: the body to send, and how to decode the answer.
//!
//! In: a [`Request`]. Out: a [`PreparedRequest`]. Must hold: options that the model would reject
//! with a 400 are not sent, and `notes` lists them. No socket, no clock: the same request gives
//! the same bytes.

use std::sync::Arc;

use contract::{
    Block, Call, Delta, ModelFacts, ModelFault, Part, Reply, Request, Rung, Sampling, Sight,
    ToolChoice, Wire,
};
use dialect::{Sampling as TakesSampling, StrictMode};
use serde_json::Value;

use crate::facts::{Abilities, abilities, facts, takes_force};
use crate::fault::{self, SentTool};
use crate::merge_patch::merge;
use crate::messages;
use crate::provider::{Family, Provider};
use crate::structured::StructuredRequest;
use crate::tools::{Compiler, WireTools, output_target};
use crate::wire::{self, CallIds, ParallelCalls, ResponseMode, WireChoice, WireRequest};

/// Prepares requests for one model at one provider.
#[derive(Debug)]
pub struct Preparer {
    pub(crate) provider: Provider,
    pub(crate) facts: ModelFacts,
    abilities: Abilities,
    pub(crate) compiler: Compiler,
}

/// A prepared request.
#[derive(Debug)]
pub struct PreparedRequest {
    pub body: Value,
    /// The options that are not sent, and why.
    pub notes: Vec<String>,
    pub(crate) ids: CallIds,
    offered: Arc<WireTools>,
    shaping: Option<StructuredRequest>,
    server_tools: usize,
}

impl Preparer {
    pub fn new(provider: Provider, model: &str) -> Result<Self, ModelFault> {
        let abilities = abilities(&provider, model);
        let compiler = Compiler::new(&provider, abilities.strict)?;
        let facts = facts(&provider, model);
        Ok(Self { provider, facts, abilities, compiler })
    }

    pub(crate) fn sight(&self) -> Sight {
        self.abilities.sight
    }

    /// The body of a request and what is needed to read the answer.
    pub fn prepare(
        &self,
        request: &Request,
        delivery: ResponseMode,
    ) -> Result<PreparedRequest, ModelFault> {
        let mut notes = Vec::new();
        let shaping = self.shaping(request)?;
        let mut offers = request.tools.clone();
        if let Some(StructuredRequest::Tool(offer)) = &shaping {
            offers.push(offer.clone());
        }
        let offered = self.compiler.compile(&offers)?;
        notes.extend_from_slice(offered.notes());
        let (choice, calls) = self.choice(request, &offered, &mut notes);
        let wire_request = WireRequest {
            model: self.facts.model.clone(),
            tools: offered.entries(),
            server_tools: request.server_tools.clone(),
            system: system(request, &offered),
            messages: messages::messages(
                &request.messages,
                &self.facts,
                self.abilities.sight,
                &offered,
            ),
            choice,
            calls,
            validated: self.abilities.strict == StrictMode::PerRequest,
            output: match &shaping {
                Some(StructuredRequest::Answer { fields, .. }) => Some(fields.clone()),
                Some(StructuredRequest::Tool(_)) | None => None,
            },
            output_tokens_max: self.output_tokens_max(request, &mut notes),
            tokens_field: self.provider.tokens_field,
            sampling: self.sampling(&request.sampling, &mut notes),
            delivery,
        };
        let mut body = wire::body(self.provider.wire, &wire_request);
        merge(&mut body, &self.provider.extras);
        merge(&mut body, &request.patch);
        let ids = CallIds::of(&request.messages);
        let server_tools = request.server_tools.len();
        Ok(PreparedRequest { body, notes, ids, offered, shaping, server_tools })
    }

    fn shaping(&self, request: &Request) -> Result<Option<StructuredRequest>, ModelFault> {
        let Some(shape) = &request.shape else { return Ok(None) };
        if !self.facts.rungs.contains(&shape.rung) {
            return Err(fault::no_such_rung(&self.facts.model, shape.rung));
        }
        let target = output_target(&self.provider, self.abilities.strict)?;
        StructuredRequest::new(shape, target).map(Some)
    }

    fn choice(
        &self,
        request: &Request,
        offered: &WireTools,
        notes: &mut Vec<String>,
    ) -> (WireChoice, ParallelCalls) {
        let wire_name = |name: &str| match offered.by_name(name) {
            Some(tool) => tool.wire_name.clone(),
            None => name.to_owned(),
        };
        if let Some(shape) = &request.shape {
            let calls = ParallelCalls::One;
            if self.provider.wire == Wire::Gemini && shape.rung != Rung::Native {
                notes.push(
                    "Gemini cannot be limited to one call; only the first one is used".to_owned(),
                );
            }
            return match shape.rung {
                // There is one tool. Every server understands that some tool must be
                // called, but not every one accepts a tool by name.
                Rung::Forced
                    if self.provider.family == Family::Other && request.tools.is_empty() =>
                {
                    (WireChoice::Any, calls)
                }
                Rung::Forced => (WireChoice::Tool(wire_name(shape.name.as_str())), calls),
                Rung::Automatic => (WireChoice::Auto, calls),
                Rung::Native => (WireChoice::Auto, ParallelCalls::Many),
            };
        }
        let choice = match &request.choice {
            ToolChoice::Auto => WireChoice::Auto,
            ToolChoice::None => WireChoice::None,
            ToolChoice::Any => WireChoice::Any,
            ToolChoice::Tool(id) => WireChoice::Tool(wire_name(id.as_str())),
        };
        let forced = matches!(choice, WireChoice::Any | WireChoice::Tool(_));
        if forced && !takes_force(self.abilities.forced_choice) {
            let model = &self.facts.model;
            notes.push(format!(
                "`{model}` does not support forced tool choice; it decides whether to call"
            ));
            return (WireChoice::Auto, ParallelCalls::Many);
        }
        (choice, ParallelCalls::Many)
    }

    fn output_tokens_max(&self, request: &Request, notes: &mut Vec<String>) -> Option<u32> {
        match (request.output_tokens_max, self.facts.output_tokens_max) {
            (Some(wanted), Some(most)) if wanted > most => {
                notes.push(format!(
                    "`{}` supports answers of at most {most} tokens",
                    self.facts.model
                ));
                Some(most)
            }
            (wanted, _) => wanted,
        }
    }

    /// The sampling settings that this model and wire support.
    fn sampling(&self, wanted: &Sampling, notes: &mut Vec<String>) -> Sampling {
        if *wanted == Sampling::default() {
            return Sampling::default();
        }
        let model_takes = self.abilities.sampling == TakesSampling::Accepted;
        if !model_takes || self.provider.wire == Wire::Anthropic {
            notes.push(format!("`{}` does not support sampling settings", self.facts.model));
            return Sampling::default();
        }
        if self.provider.wire != Wire::Responses {
            return wanted.clone();
        }
        let Sampling { temperature, top_p, frequency_penalty, presence_penalty, seed } = *wanted;
        if frequency_penalty.is_some() || presence_penalty.is_some() || seed.is_some() {
            notes.push("OpenAI Responses has no penalties and no seed".to_owned());
        }
        Sampling { temperature, top_p, ..Sampling::default() }
    }
}

/// A model that cannot be forced to call a tool is asked to in the system prompt.
fn system(request: &Request, offered: &WireTools) -> String {
    let asked = request.shape.as_ref().filter(|shape| shape.rung == Rung::Automatic);
    let Some(tool) = asked.and_then(|shape| offered.by_name(shape.name.as_str())) else {
        return request.system.clone();
    };
    let ask = format!(
        "Give your whole answer as one call of the tool `{}`. Write nothing else.",
        tool.wire_name
    );
    if request.system.is_empty() { ask } else { format!("{}\n\n{ask}", request.system) }
}

impl PreparedRequest {
    /// The tools in the order of the body, for errors that refer to them by position.
    pub(crate) fn sent_tools(&self) -> Vec<Option<SentTool>> {
        let server = std::iter::repeat_n(None, self.server_tools);
        server.chain(self.offered.sent().map(Some)).collect()
    }

    /// The schema of a tool as it was sent.
    pub(crate) fn schema_of(&self, tool: &str) -> Option<&Value> {
        self.offered.by_name(tool).and_then(|tool| tool.schema())
    }

    /// A delta with the tool's own name.
    pub(crate) fn delta(&self, delta: Delta) -> Delta {
        match delta {
            Delta::CallBegun { id, tool } => Delta::CallBegun { id, tool: self.name(tool) },
            Delta::Text(_) | Delta::Thinking(_) => delta,
        }
    }

    /// The reply with canonical names and arguments.
    pub(crate) fn read(&self, reply: Reply, from: &ModelFacts) -> Reply {
        let Reply { blocks, stop, usage, model, shaped: _ } = reply;
        let blocks: Vec<_> = blocks.into_iter().map(|block| self.block(block, from)).collect();
        let shaped = self.shaping.as_ref().map(|shaping| {
            let plan = match shaping {
                StructuredRequest::Tool(offer) => {
                    self.offered.by_name(offer.id.as_str()).map(|tool| &tool.plan)
                }
                StructuredRequest::Answer { .. } => None,
            };
            shaping.read(&blocks, &stop, plan)
        });
        // Some servers do not name the model.
        let model = if model.is_empty() { from.model.clone() } else { model };
        Reply { blocks, stop, usage, model, shaped }
    }

    fn block(&self, mut block: Block, from: &ModelFacts) -> Block {
        if let Some(native) = &mut block.native {
            native.from = from.to_string();
        }
        block.part = match block.part {
            Part::Call(call) => Part::Call(self.call(call)),
            Part::TornCall { id, tool, text, why } => {
                Part::TornCall { id, tool: self.name(tool), text, why }
            }
            part @ (Part::Text { .. }
            | Part::Thinking { .. }
            | Part::Result(_)
            | Part::Refusal { .. }
            | Part::Other { .. }
            | Part::File(_)) => part,
        };
        block
    }

    /// Arguments that cannot be decoded stay unchanged: validation reports them to the model
    /// afterwards.
    fn call(&self, call: Call) -> Call {
        let Call { id, tool, args } = call;
        let known = self.offered.by_wire_name(&tool);
        let decoded = known.and_then(|known| known.plan.decode(&args).ok());
        Call { id, tool: self.name(tool), args: decoded.unwrap_or(args) }
    }

    /// The canonical name, or the name that the model invented.
    fn name(&self, wire_name: String) -> String {
        self.offered.by_wire_name(&wire_name).map_or(wire_name, |tool| tool.name.clone())
    }
}
