//! The model itself: implements `Model` with rules.

use contract::{
    Block, Call, CallId, Delta, Deltas, Model, ModelFacts, OutputSchema, Part, Reply, ReplyFuture,
    Request, Rung, StopReason, StructuredReply, Usage,
};
use jiff::Zoned;
use serde_json::Value;

use crate::arguments::fill::{Tool, fill};
use crate::conversation::Conversation;
use crate::plan::{Plan, Wanted, plan};
use crate::reply::phrases;
use crate::reply::results::read_back;

/// Returns the time in the person's time zone.
type Clock = Box<dyn Fn() -> Zoned + Send + Sync>;

/// A model that needs no key: it picks a tool by its words and fills its arguments from
/// the message. The same request at the same time gets the same answer.
pub struct Rehearsal {
    facts: ModelFacts,
    clock: Option<Clock>,
    introduction: Introduction,
}

/// Whether it introduces itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Introduction {
    Once,
    /// It only makes the calls that a person writes out, next to another model.
    Never,
}

impl Rehearsal {
    pub const NAME: &str = "rehearsal";

    /// Without a clock: for "tomorrow" it asks for the date.
    pub fn new() -> Self {
        let facts = ModelFacts {
            provider: Self::NAME.to_owned(),
            model: Self::NAME.to_owned(),
            wire: None,
            rungs: vec![Rung::Native],
            output_tokens_max: None,
        };
        Self { facts, clock: None, introduction: Introduction::Once }
    }

    /// With a clock, read once per request.
    pub fn with_clock(clock: impl Fn() -> Zoned + Send + Sync + 'static) -> Self {
        Self { clock: Some(Box::new(clock)), ..Self::new() }
    }

    /// Makes the calls that a person writes out, in a conversation with another model.
    #[must_use]
    pub fn by_hand(self) -> Self {
        Self { introduction: Introduction::Never, ..self }
    }

    /// The whole answer to a request.
    pub fn answer(&self, request: &Request) -> Reply {
        let conversation = Conversation::of(&request.messages);
        let now = self.clock.as_ref().map(|clock| clock());
        if let Some(shape) = &request.shape {
            return shaped(shape, &conversation, now.as_ref());
        }
        let results = conversation.results();
        let plan = match results.is_empty() {
            true => plan(request, &conversation, now.as_ref()),
            false => Plan::Say(read_back(conversation.language(), &results)),
        };
        match plan {
            Plan::Calls(wanted) => calling(wanted, conversation.calls_made()),
            Plan::Say(text) => saying(match self.introduction {
                Introduction::Never => text,
                Introduction::Once if conversation.is_introduced() => text,
                Introduction::Once => {
                    format!("{text}\n\n{}", phrases::introduction(conversation.language()))
                }
            }),
        }
    }
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self::new()
    }
}

impl Model for Rehearsal {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reply = self.answer(request);
            for block in &reply.blocks {
                stream(&block.part, deltas);
            }
            Ok(reply)
        })
    }
}

/// Text arrives word by word, as it does from a model.
fn stream(part: &Part, deltas: &mut (dyn FnMut(Delta) + Send)) {
    match part {
        Part::Text { text } => {
            for word in text.split_inclusive(char::is_whitespace) {
                deltas(Delta::Text(word.to_owned()));
            }
        }
        Part::Call(call) => {
            deltas(Delta::CallBegun { id: call.id.clone(), tool: call.tool.clone() })
        }
        Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Result(_)
        | Part::Refusal { .. }
        | Part::Other { .. }
        | Part::File(_) => {}
    }
}

fn reply(blocks: Vec<Block>, stop: StopReason) -> Reply {
    let model = Rehearsal::NAME.to_owned();
    Reply { blocks, stop, usage: Usage::default(), model, shaped: None }
}

fn saying(text: String) -> Reply {
    reply(vec![Block::text(text)], StopReason::EndTurn)
}

fn calling(wanted: Vec<Wanted>, calls_made: usize) -> Reply {
    let call = |(index, Wanted { tool, args }): (usize, Wanted)| {
        // A short counter that restarts in every conversation.
        let id = CallId(format!("r{}", calls_made + index + 1));
        Part::Call(Call { id, tool, args }).into()
    };
    reply(wanted.into_iter().enumerate().map(call).collect(), StopReason::ToolUse)
}

/// A structured answer with the values of the message, or none.
fn shaped(shape: &OutputSchema, conversation: &Conversation<'_>, now: Option<&Zoned>) -> Reply {
    let text = conversation.text();
    let offer = contract::ToolOffer {
        id: shape.name.clone(),
        description: shape.description.clone(),
        parameters: shape.schema.clone(),
    };
    let tool = Tool::read(&offer);
    let whole = crate::plan::slash_command::json(&tool, text.trim()).ok();
    let filled = whole.or_else(|| {
        let filled = fill(&tool, &text, now);
        let complete = filled.gaps.is_empty() && !filled.args.is_empty();
        complete.then_some(Value::Object(filled.args))
    });
    let (text, shaped) = match filled {
        Some(value) => (value.to_string(), StructuredReply::Whole(value)),
        None => (
            phrases::no_fit(conversation.language(), shape.name.as_str()),
            StructuredReply::Missing,
        ),
    };
    Reply { shaped: Some(shaped), ..saying(text) }
}
