//! AG-UI runs: takes a client's input, streams the events of one run.
//!
//! The client's thread is a conversation of its owner. Its log is the history, so only the
//! last message that a client sends is read. The client's tools are not called: they would not
//! run in our sandbox.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use contract::{Action, HandlerAnswer, Mode};
use conversation::OpenQuestion;
use policy::ConversationId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::auth::middleware::Owner;
use crate::conversations::conversation_index::Stay;
use crate::fault::{Fault, HandlerResult};
use crate::routes::approvals;
use crate::routes::conversations::messages::{NewMessage, say};
use crate::routes::conversations::open;
use crate::routes::json_body::JsonBody;
use crate::state::AppState;
use crate::stream::broadcast::{Broadcast, Read};
use crate::stream::event::{Event, Frame, Position};
use crate::stream::snapshot::question_id;
use crate::stream::sse::{self, SseSender};

const NAME_BYTES_MAX: usize = 512;

/// What a client sends to start a run; other fields are ignored.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunAgentInput {
    thread_id: String,
    run_id: String,
    #[serde(default)]
    messages: Vec<Value>,
    #[serde(default)]
    resume: Vec<Resume>,
}

/// The answer to an interrupt, with which the previous run ended.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Resume {
    interrupt_id: String,
    status: String,
    #[serde(default)]
    payload: Value,
}

pub(crate) async fn run(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(input): JsonBody<RunAgentInput>,
) -> HandlerResult<Response> {
    for name in [&input.thread_id, &input.run_id] {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            let fix = format!("give `threadId` and `runId` of 1 to {NAME_BYTES_MAX} bytes");
            return Err(Fault::bad_request("invalid `threadId` or `runId`", fix));
        }
    }
    let message =
        if input.resume.is_empty() { Some(last_message_text(&input.messages)?) } else { None };
    let id = conversation(&app, &owner, &input.thread_id).await?;
    let permit = app.streams.acquire(&owner)?;
    let channel = app.turns.channel(&id).await?;
    let place = channel.last();
    let turn = match message {
        Some(text) => say(&app, &owner, &id, NewMessage::text(text)).await?,
        None => resume(&app, &owner, &id, input.resume).await?,
    };
    let (to, response) = sse::open();
    let names = ClientNames { thread: input.thread_id, run: input.run_id };
    tokio::spawn(async move {
        names.send_frames(&channel, place, turn, &to).await;
        drop(permit);
    });
    Ok(response)
}

/// The conversation of a thread; created if the owner has none.
async fn conversation(app: &AppState, owner: &str, thread: &str) -> HandlerResult<ConversationId> {
    if let Ok(id) = app.index.id(owner, thread).await {
        return Ok(id);
    }
    if let Some(id) = app.index.bound(owner, thread).await?
        && let Ok(id) = app.index.id(owner, &id).await
    {
        return Ok(id);
    }
    let id = open(app, owner, None, Mode::Text, None, Stay::Kept).await?;
    app.index.bind(owner, &id.0, thread).await?;
    Ok(id)
}

/// The text of the last message, which must be the user's.
fn last_message_text(messages: &[Value]) -> HandlerResult<String> {
    let bad = |message: &str| {
        Err(Fault::bad_request(message, "make the last message a user message with text"))
    };
    let Some(last) = messages.last() else { return bad("there is no message") };
    if last["role"] != "user" {
        return bad("the last message is not the user's");
    }
    let text = match &last["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    };
    if text.is_empty() { bad("the last message has no text") } else { Ok(text) }
}

/// Records the answers and continues the turn; returns its number.
async fn resume(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    answers: Vec<Resume>,
) -> HandlerResult<u64> {
    let conversation = app.conversations.get(id).await?;
    let Some(turn) = conversation.open_turn().map(|turn| turn.number) else {
        return Err(Fault::conflict("nothing is waiting in this thread", "send a message"));
    };
    let questions = app.conversations.questions(id).await?;
    for answer in answers {
        let is_it =
            |one: &&OpenQuestion| question_id(&one.call, &one.question.name) == answer.interrupt_id;
        if let Some(OpenQuestion { call, question, .. }) = questions.iter().find(is_it) {
            let given = handler_answer(&answer.status, answer.payload);
            approvals::questions::take(app, owner, id, call, &question.name, given).await?;
            continue;
        }
        let approval = approval(&answer.status, answer.payload);
        approvals::take(app, owner, &answer.interrupt_id, approval).await?;
    }
    app.turns.resume(app, owner, id).await?;
    Ok(turn)
}

/// What a client's answer means: only an explicit approval approves.
fn approval(status: &str, payload: Value) -> Value {
    let yes = json!({ "answer": "approve" });
    match (status, payload) {
        ("resolved", payload) if payload["answer"].is_string() => payload,
        ("resolved", payload) if payload == true || payload["approved"] == true => yes,
        _ => json!({ "answer": "decline" }),
    }
}

/// What a client's answer to a handler's question means: a form that was filled in, or a no.
fn handler_answer(status: &str, payload: Value) -> HandlerAnswer {
    match status {
        "resolved" => HandlerAnswer { action: Action::Accept, content: payload },
        _ => HandlerAnswer { action: Action::Cancel, content: Value::Null },
    }
}

/// The client's ids of its thread and this run.
struct ClientNames {
    thread: String,
    run: String,
}

impl ClientNames {
    /// Sends the frames of one run, from its start to its end.
    async fn send_frames(
        &self,
        channel: &Arc<Broadcast>,
        mut place: Position,
        turn: u64,
        to: &SseSender,
    ) {
        let mut growth = channel.growth();
        let mut has_started = false;
        loop {
            match channel.read(place) {
                Read::Frames(frames) if frames.is_empty() => {
                    tokio::select! {
                        grown = growth.changed() => if grown.is_err() { return },
                        () = to.closed() => return,
                    }
                }
                Read::Frames(frames) => {
                    for frame in frames {
                        place = frame.place;
                        has_started |= is_start(&frame, turn);
                        if has_started && to.send(self.renamed(&frame)).await.is_err() {
                            return;
                        }
                        if has_started && matches!(frame.kind, "RUN_FINISHED" | "RUN_ERROR") {
                            return;
                        }
                    }
                }
                Read::Behind(_) | Read::Over => {
                    let message =
                        "this reader is too slow; the run continues, read the conversation";
                    let error = Event::new("RUN_ERROR", json!({ "message": message }));
                    // The client may be gone.
                    let _ = to.send(self.renamed(&Frame::new(place, &error))).await;
                    return;
                }
            }
        }
    }

    fn renamed(&self, frame: &Frame) -> Bytes {
        let Frame { place, kind, data, .. } = frame;
        match *kind {
            "RUN_STARTED" | "RUN_FINISHED" => {
                let mut data: Value = serde_json::from_str(data).unwrap_or_default();
                data["threadId"] = self.thread.as_str().into();
                data["runId"] = self.run.as_str().into();
                sse::event(Some(&place.to_string()), kind, &data.to_string())
            }
            _ => frame.wire(),
        }
    }
}

fn is_start(frame: &Frame, turn: u64) -> bool {
    let data = || serde_json::from_str::<Value>(&frame.data).unwrap_or_default();
    frame.kind == "RUN_STARTED" && data()["runId"] == format!("t{turn}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::approval;

    #[test]
    fn only_an_explicit_yes_approves() {
        let check = |status: &str, payload: Value, expected: &str| {
            assert_eq!(approval(status, payload)["answer"], expected);
        };
        check("resolved", json!(true), "approve");
        check("resolved", json!({"approved": true}), "approve");
        check("resolved", json!({"answer": "edit", "args": {}}), "edit");
        check("resolved", json!({"approved": "yes"}), "decline");
        check("resolved", Value::Null, "decline");
        check("cancelled", json!({"approved": true}), "decline");
        check("else", json!(true), "decline");
    }
}
