//! Handles a model request: it is checked, then answered by the script's next step.

use std::io;
use std::sync::Arc;

use contract::Wire;
use hyper::Method;
use hyper::body::Bytes;
use hyper::http::request::Parts;
use serde_json::{Value, json};

use super::Step;
use super::answer::{ProviderResponse, refuse, with_type};
use super::check::{self, Ask};
use super::delivery::{self, Delivery, Unread};
use super::fault::Fault;
use super::model_families;
use super::render::{self, Asked, Frame};
use super::state::{State, Strictness};
use super::turn::Turn;
use super::wire_error::Trouble;
use crate::Gate;

/// Gemini has in the address what the others have in the body.
#[derive(Debug, Default)]
pub(super) struct Url {
    pub(super) model: Option<String>,
    pub(super) method: Option<String>,
}

/// The requested form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    Events,
    /// Gemini without `alt=sse`: one list of all chunks.
    List,
}

pub(super) async fn ask(
    state: &Arc<State>,
    wire: Wire,
    head: &Parts,
    bytes: &Bytes,
    number: usize,
    url: Url,
) -> io::Result<ProviderResponse> {
    if head.method != Method::POST {
        return refuse(wire, &Fault::status(405, "Method Not Allowed"));
    }
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
        return reject(state, wire, number, vec!["body: this is not valid JSON".into()]);
    };
    let model = url.model.or_else(|| body["model"].as_str().map(str::to_owned)).unwrap_or_default();
    let known = state.strictness == Strictness::Compatible
        || model_families::family(wire, &model).is_some();
    if !known && !model.is_empty() {
        return refuse(wire, &Trouble::UnknownModel(model).into());
    }
    let lines = check::check(&Ask { state, wire, head: Some(head), body: &body, model: &model });
    if !lines.is_empty() {
        return reject(state, wire, number, lines);
    }
    let form = match url.method.as_deref() {
        Some("generateContent") => Form::Whole,
        Some("streamGenerateContent") => {
            let events = head.uri.query().is_some_and(|query| query.contains("alt=sse"));
            if events { Form::Events } else { Form::List }
        }
        Some(other) => return refuse(wire, &Trouble::NotFound(other.to_owned()).into()),
        None if body["stream"] == true => Form::Events,
        None => Form::Whole,
    };
    match state.take(&body) {
        Some(Step::Turn(turn)) => {
            let with_usage = body.pointer("/stream_options/include_usage") == Some(&true.into());
            let asked = Asked { model: &model, ids: &state.ids, with_usage };
            deliver(state, wire, &turn, &asked, form).await
        }
        Some(Step::Fault(fault)) => {
            wait(state, fault.gate.iter()).await;
            refuse(wire, &fault)
        }
        None => {
            reject(state, wire, number, vec!["script: the script of this test is used up".into()])
        }
    }
}

fn reject(
    state: &State,
    wire: Wire,
    number: usize,
    lines: Vec<String>,
) -> io::Result<ProviderResponse> {
    state.refuse(number, &lines);
    refuse(wire, &Trouble::BadRequest(lines).into())
}

/// Waits at the gates before the head; a client that disconnects meanwhile is counted.
async fn wait(state: &State, gates: impl Iterator<Item = &Gate>) {
    let mut unread = unread(state);
    for gate in gates {
        gate.pass().await;
    }
    unread.done = true;
}

fn unread(state: &State) -> Unread {
    Unread { abandoned: Arc::clone(&state.abandoned), done: false }
}

async fn deliver(
    state: &State,
    wire: Wire,
    turn: &Turn,
    asked: &Asked<'_>,
    form: Form,
) -> io::Result<ProviderResponse> {
    let head = turn.gates.iter().filter(|(frame, _)| *frame == 0);
    wait(state, head.map(|(_, gate)| gate)).await;
    let mut rendered = render::render(wire, turn, asked);
    state.signatures.learn(&rendered.whole);
    if let Some(frames) = turn.overloaded_after {
        if form == Form::Whole {
            return refuse(wire, &Fault::overloaded());
        }
        rendered.frames.truncate(frames);
        rendered.frames.push(overload(wire, frames));
    }
    let (parts, content_type) = match form {
        Form::Whole => (delivery::whole(turn, rendered.whole.to_string()), "application/json"),
        Form::Events => {
            let pings = wire == Wire::Anthropic;
            (delivery::stream(turn, &rendered.frames, pings), "text/event-stream; charset=utf-8")
        }
        Form::List => {
            let chunks: Vec<_> = rendered.frames.iter().map(|frame| frame.data.as_str()).collect();
            (delivery::whole(turn, format!("[{}]", chunks.join(",\n"))), "application/json")
        }
    };
    Ok(with_type(Delivery::new(parts, Some(unread(state))), content_type))
}

/// The frame with which a provider reports an overload in the middle of a stream.
fn overload(wire: Wire, number: usize) -> Frame {
    let body = Trouble::Overloaded.body(wire);
    match wire {
        Wire::Anthropic => Frame::named(&body),
        Wire::Chat | Wire::Gemini => Frame::plain(&body),
        Wire::Responses => Frame::named(&json!({
            "type": "error", "code": body["error"]["code"], "message": body["error"]["message"],
            "param": null, "sequence_number": number,
        })),
    }
}
