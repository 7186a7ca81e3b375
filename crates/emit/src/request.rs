//! The request for one answer, and how it grows with each reply.
//!
//! Must hold: messages are only appended, and roles alternate; a reply is replayed as the
//! provider sent it; a replayed call has a result, because every provider requires one;
//! truncated parts are not replayed.

use contract::{
    Block, CallResult, Message, ModelFacts, OutputSchema, Part, Reply, Request, Role, Rung, ToolId,
};
use dialect::{Complaint, Thinking};
use serde_json::Value;

use super::Ask;
use super::fault::join_complaints;

pub(super) struct EmitRequest {
    request: Request,
    instructions: String,
    name: ToolId,
    rung: Rung,
    output_tokens: u32,
    output_tokens_ceiling: u32,
}

impl EmitRequest {
    pub(super) fn new(ask: &Ask, schema: &Value, rung: Rung, facts: &ModelFacts) -> Self {
        let thinking = thinking_tokens(facts);
        let ceiling = ask.output_tokens_ceiling.saturating_add(thinking);
        let ceiling = facts.output_tokens_max.unwrap_or(u32::MAX).min(ceiling);
        let shape = OutputSchema {
            name: ask.name.clone(),
            description: ask.description.clone(),
            schema: schema.clone(),
            rung,
        };
        let mut this = Self {
            request: Request {
                messages: vec![Message::user(vec![Block::text(&ask.input)])],
                shape: Some(shape),
                ..Request::default()
            },
            instructions: ask.instructions.clone(),
            name: ask.name.clone(),
            rung,
            output_tokens: 0,
            output_tokens_ceiling: ceiling,
        };
        this.set_rung(rung);
        this.set_output_limit(ask.output_tokens.saturating_add(thinking).min(ceiling));
        this
    }

    pub(super) fn as_request(&self) -> &Request {
        &self.request
    }

    /// Whether no reply was appended yet.
    pub(super) fn is_first(&self) -> bool {
        self.request.messages.len() == 1
    }

    pub(super) fn rung(&self) -> Rung {
        self.rung
    }

    pub(super) fn output_tokens(&self) -> u32 {
        self.output_tokens
    }

    /// Asks on another rung; only before a reply was appended.
    pub(super) fn set_rung(&mut self, rung: Rung) {
        self.rung = rung;
        if let Some(shape) = &mut self.request.shape {
            shape.rung = rung;
        }
        self.request.system = match rung {
            Rung::Native | Rung::Forced => self.instructions.clone(),
            Rung::Automatic => format!("{}\n\n{}", self.instructions, call_once(&self.name))
                .trim_start()
                .to_owned(),
        };
    }

    /// Doubles the token limit, up to the maximum; false if it is reached.
    ///
    /// The whole request is then sent again: a truncated call cannot be replayed, a model
    /// that continues in the middle repeats and skips text, and the prompt is cached.
    pub(super) fn raise_output_limit(&mut self) -> bool {
        let more = self.output_tokens.saturating_mul(2).min(self.output_tokens_ceiling);
        let grows = more > self.output_tokens;
        self.set_output_limit(more);
        grows
    }

    fn set_output_limit(&mut self, tokens: u32) {
        self.output_tokens = tokens;
        self.request.output_tokens_max = Some(tokens);
    }

    /// Replays a paused reply, so that the provider continues it.
    pub(super) fn resume(&mut self, reply: &Reply) {
        self.append(Role::Assistant, replayable(&reply.blocks));
    }

    pub(super) fn add_repair(&mut self, reply: &Reply, complaints: &[Complaint]) {
        let again = match self.rung {
            Rung::Native => "Write the whole answer again as JSON".to_owned(),
            Rung::Forced | Rung::Automatic => {
                format!("Call `{}` again with the whole answer", self.name)
            }
        };
        let complaints = join_complaints(complaints, "\n- ");
        let text = format!(
            "The answer does not fit its schema:\n- {complaints}\n\
             {again}. Correct these places, keep everything else, and write nothing beside it."
        );
        self.respond(reply, &text);
    }

    /// The stronger instruction for a model that ignored the requested form.
    pub(super) fn add_reminder(&mut self, reply: &Reply) {
        let text = match self.rung {
            Rung::Native => "That was not the answer. Write it now, as JSON that fits the schema, \
                 and write nothing else."
                .to_owned(),
            Rung::Forced | Rung::Automatic => {
                format!("That was not the answer. {}", call_once(&self.name))
            }
        };
        self.respond(reply, &text);
    }

    /// Replays the reply and appends our response to it.
    fn respond(&mut self, reply: &Reply, text: &str) {
        let blocks = replayable(&reply.blocks);
        let response = results(&blocks, text);
        self.append(Role::Assistant, blocks);
        self.append(Role::User, response);
    }

    fn append(&mut self, role: Role, blocks: Vec<Block>) {
        match self.request.messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == role => last.blocks.extend(blocks),
            Some(_) | None => self.request.messages.push(Message { role, blocks }),
        }
    }
}

/// Extra tokens for models whose thinking cannot be disabled: providers count thinking and
/// answer against one limit.
const THINKING_TOKENS: u32 = 4_096;

fn thinking_tokens(facts: &ModelFacts) -> u32 {
    let modes = dialect::model(&facts.model).thinking;
    let thinks = facts.wire.is_some() && !modes.is_empty() && !modes.contains(&Thinking::Disabled);
    if thinks { THINKING_TOKENS } else { 0 }
}

/// A result for every call in the blocks, the first with the text; or the text alone.
fn results(blocks: &[Block], text: &str) -> Vec<Block> {
    let mut results = Vec::new();
    for block in blocks {
        let Part::Call(call) = &block.part else { continue };
        let content = if results.is_empty() { text } else { "Only one call is read." };
        results.push(Block::from(Part::Result(CallResult {
            id: call.id.clone(),
            tool: call.tool.clone(),
            content: Value::from(content),
            is_error: true,
        })));
    }
    if results.is_empty() {
        results.push(Block::text(text));
    }
    results
}

/// The blocks that can be replayed: all but truncated ones. With a truncated call, its
/// thinking is dropped too, because some providers accept the two only together.
fn replayable(blocks: &[Block]) -> Vec<Block> {
    let truncated = blocks.iter().any(|block| matches!(block.part, Part::TornCall { .. }));
    let is_replayable = |block: &&Block| match &block.part {
        Part::TornCall { .. } => false,
        Part::Thinking { .. } => !truncated,
        Part::Text { text } => !text.is_empty(),
        Part::Call(_)
        | Part::Result(_)
        | Part::Refusal { .. }
        | Part::Other { .. }
        | Part::File(_) => true,
    };
    let replayed: Vec<Block> = blocks.iter().filter(is_replayable).cloned().collect();
    let only_thinking = replayed.iter().all(|block| matches!(block.part, Part::Thinking { .. }));
    if only_thinking { Vec::new() } else { replayed }
}

fn call_once(name: &ToolId) -> String {
    format!("Answer by calling the tool `{name}` once with the whole answer. Write nothing else.")
}
