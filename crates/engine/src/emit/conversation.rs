//! The one request of an answer, and how it grows.
//!
//! Must hold: messages only grow at their end, and roles take turns; the answer so far
//! goes back as the provider sent it; a replayed call has a result, because no provider
//! takes it without; nothing torn is sent back.

use contract::{
    Block, CallResult, Message, ModelFacts, Part, Reply, Request, Role, Rung, Shape, ToolId,
};
use dialect::{Complaint, Thinking};
use serde_json::Value;

use super::Ask;
use super::shortfall::listed;

pub(super) struct Conversation {
    request: Request,
    instructions: String,
    name: ToolId,
    rung: Rung,
    output_tokens: u32,
    output_tokens_ceiling: u32,
}

impl Conversation {
    pub(super) fn begin(ask: &Ask, schema: &Value, rung: Rung, facts: &ModelFacts) -> Self {
        let thinking = thinking_tokens(facts);
        let ceiling = ask.output_tokens_ceiling.saturating_add(thinking);
        let ceiling = facts.output_tokens_max.unwrap_or(u32::MAX).min(ceiling);
        let shape = Shape {
            name: ask.name.clone(),
            description: ask.description.clone(),
            schema: schema.clone(),
            rung,
        };
        let mut conversation = Self {
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
        conversation.take_rung(rung);
        conversation.allow(ask.output_tokens.saturating_add(thinking).min(ceiling));
        conversation
    }

    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// Is it still the first question?
    pub(super) fn is_new(&self) -> bool {
        self.request.messages.len() == 1
    }

    pub(super) fn rung(&self) -> Rung {
        self.rung
    }

    pub(super) fn output_tokens(&self) -> u32 {
        self.output_tokens
    }

    /// Asks in another way; only before there was an answer.
    pub(super) fn take_rung(&mut self, rung: Rung) {
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

    /// Twice as many tokens, as far as the ceiling goes; false if nothing can be added.
    ///
    /// The same question is asked again as a whole: a torn call cannot be replayed, a
    /// model that goes on in the middle repeats and skips, and the prompt is cached.
    pub(super) fn allow_more(&mut self) -> bool {
        let more = self.output_tokens.saturating_mul(2).min(self.output_tokens_ceiling);
        let grows = more > self.output_tokens;
        self.allow(more);
        grows
    }

    fn allow(&mut self, tokens: u32) {
        self.output_tokens = tokens;
        self.request.output_tokens_max = Some(tokens);
    }

    /// Sends a paused answer back, so that its provider goes on.
    pub(super) fn go_on(&mut self, reply: &Reply) {
        self.say(Role::Assistant, replayable(&reply.blocks));
    }

    pub(super) fn complain(&mut self, reply: &Reply, complaints: &[Complaint]) {
        let again = match self.rung {
            Rung::Native => "Write the whole answer again as JSON".to_owned(),
            Rung::Forced | Rung::Automatic => {
                format!("Call `{}` again with the whole answer", self.name)
            }
        };
        let complaints = listed(complaints, "\n- ");
        let text = format!(
            "The answer does not fit its schema:\n- {complaints}\n\
             {again}. Correct these places, keep everything else, and write nothing beside it."
        );
        self.answer(reply, &text);
    }

    /// The stronger instruction for a model that answered past the shape.
    pub(super) fn nudge(&mut self, reply: &Reply) {
        let text = match self.rung {
            Rung::Native => "That was not the answer. Write it now, as JSON that fits the schema, \
                 and write nothing else."
                .to_owned(),
            Rung::Forced | Rung::Automatic => {
                format!("That was not the answer. {}", call_once(&self.name))
            }
        };
        self.answer(reply, &text);
    }

    /// The answer as it was, then what is said about it.
    fn answer(&mut self, reply: &Reply, text: &str) {
        let blocks = replayable(&reply.blocks);
        let said = results(&blocks, text);
        self.say(Role::Assistant, blocks);
        self.say(Role::User, said);
    }

    fn say(&mut self, role: Role, blocks: Vec<Block>) {
        match self.request.messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == role => last.blocks.extend(blocks),
            Some(_) | None => self.request.messages.push(Message { role, blocks }),
        }
    }
}

/// What a model that cannot be kept from thinking may think, beside its answer: providers
/// count both against one limit.
const THINKING_TOKENS: u32 = 4_096;

fn thinking_tokens(facts: &ModelFacts) -> u32 {
    let takes = dialect::model(&facts.model).thinking;
    let thinks = facts.wire.is_some() && !takes.is_empty() && !takes.contains(&Thinking::Disabled);
    if thinks { THINKING_TOKENS } else { 0 }
}

/// Results for every call in the blocks, the first with the text; or the text alone.
fn results(blocks: &[Block], text: &str) -> Vec<Block> {
    let mut said = Vec::new();
    for block in blocks {
        let Part::Call(call) = &block.part else { continue };
        let content = if said.is_empty() { text } else { "Only one call is read." };
        said.push(Block::from(Part::Result(CallResult {
            id: call.id.clone(),
            tool: call.tool.clone(),
            content: Value::from(content),
            is_error: true,
        })));
    }
    if said.is_empty() {
        said.push(Block::text(text));
    }
    said
}

/// What may go back: everything, unless a part is torn. A torn call takes the thinking
/// that led to it along, since some providers want the two together or not at all.
fn replayable(blocks: &[Block]) -> Vec<Block> {
    let torn = blocks.iter().any(|block| matches!(block.part, Part::TornCall { .. }));
    let stays = |block: &&Block| match &block.part {
        Part::TornCall { .. } => false,
        Part::Thinking { .. } => !torn,
        Part::Text { text } => !text.is_empty(),
        Part::Call(_) | Part::Result(_) | Part::Refusal { .. } | Part::Other { .. } => true,
    };
    let kept: Vec<Block> = blocks.iter().filter(stays).cloned().collect();
    let only_thinking = kept.iter().all(|block| matches!(block.part, Part::Thinking { .. }));
    if only_thinking { Vec::new() } else { kept }
}

fn call_once(name: &ToolId) -> String {
    format!("Answer by calling the tool `{name}` once with the whole answer. Write nothing else.")
}
