//! The rehearsal as a whole: messages, and the calls or questions that follow.

mod conversations;
mod corpus;
mod hostile;
mod samples;

use contract::{Block, Message, Part, Reply, Request, ToolOffer};
use jiff::Zoned;
use jiff::civil::date;
use jiff::tz::{Offset, TimeZone};
use serde_json::Value;

use crate::Rehearsal;

/// A Wednesday morning at UTC+2.
fn now() -> Zoned {
    let zone = TimeZone::fixed(Offset::constant(2));
    date(2026, 12, 2).at(9, 0, 0, 0).to_zoned(zone).unwrap()
}

fn rehearsal() -> Rehearsal {
    Rehearsal::with_clock(now)
}

fn user(text: &str) -> Message {
    Message::user(vec![Block::text(text)])
}

fn request(tools: Vec<ToolOffer>, messages: Vec<Message>) -> Request {
    Request { tools, messages, ..Request::default() }
}

/// `tool {args}` for calls, `ask tool field …` for questions, `say` for anything else.
fn outline(reply: &Reply) -> String {
    let calls: Vec<String> =
        reply.calls().map(|call| format!("{} {}", call.tool, call.args)).collect();
    if !calls.is_empty() {
        return calls.join(" & ");
    }
    let text = reply.text();
    let first = text.split("\n\n").next().unwrap_or_default();
    let names: Vec<&str> = first.split('`').skip(1).step_by(2).collect();
    match first.ends_with('?') && names.len() > 1 {
        true => format!("ask {}", names.join(" ")),
        false => "say".to_owned(),
    }
}

/// The conversation so far, with one more message of the person and the answer to it.
fn send(tools: &[ToolOffer], messages: &mut Vec<Message>, text: &str) -> Reply {
    messages.push(user(text));
    let reply = rehearsal().answer(&request(tools.to_vec(), messages.clone()));
    messages.push(Message::assistant(reply.blocks.clone()));
    reply
}

fn result(reply: &Reply, content: Value, is_error: bool) -> Message {
    let result = |call: &contract::Call| {
        let (id, tool, content) = (call.id.clone(), call.tool.clone(), content.clone());
        Part::Result(contract::CallResult { id, tool, content, is_error }).into()
    };
    Message::user(reply.calls().map(result).collect())
}
