//! One connection: receives, lets the model react, and goes through the script.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::gemini::Gemini;
use super::live::Live;
use super::realtime::Realtime;
use super::{VoiceMessage, VoiceState, VoiceStep, VoiceWire};

/// What a message leads to.
#[derive(Debug, Default)]
pub(super) struct Reaction {
    pub messages: Vec<Value>,
    /// The model is asked: its next step comes.
    pub answers: bool,
    /// It closes the connection, with this code.
    pub closes: Option<(u16, &'static str)>,
}

impl From<Vec<Value>> for Reaction {
    fn from(messages: Vec<Value>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// A speech model with its protocol.
pub(super) trait Model: Send {
    fn greet(&mut self) -> Vec<Value> {
        Vec::new()
    }

    fn receive(&mut self, message: &Value) -> Reaction;

    fn says(&mut self, text: &str, ms: u64) -> Vec<Value>;

    fn calls(&mut self, id: &str, tool: &str, arguments: &Value) -> Vec<Value>;

    fn delegates(&mut self) -> Vec<Value> {
        Vec::new()
    }
}

fn model(state: &Arc<VoiceState>) -> Box<dyn Model> {
    match state.wire {
        VoiceWire::Realtime => Box::new(Realtime::new(Arc::clone(state), false)),
        VoiceWire::RealtimeBeta => Box::new(Realtime::new(Arc::clone(state), true)),
        VoiceWire::Live => Box::new(Live::new(Arc::clone(state))),
        VoiceWire::Gemini => Box::new(Gemini::new(Arc::clone(state))),
    }
}

pub(super) async fn run(
    mut socket: WebSocketStream<TcpStream>,
    number: usize,
    state: &Arc<VoiceState>,
) {
    let mut model = model(state);
    let mut cuts = state.cuts.subscribe();
    if !send(&mut socket, model.greet()).await {
        return;
    }
    loop {
        let received = tokio::select! {
            received = socket.next() => received,
            // Dropping the socket says nothing to the client.
            _ = cuts.changed() => return,
        };
        let text = match received {
            Some(Ok(Message::Text(text))) => text.to_string(),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => return,
        };
        let Ok(message) = serde_json::from_str::<Value>(&text) else {
            state.fault(format!("not JSON: {text}"));
            return;
        };
        state.lock().messages.push(VoiceMessage { connection: number, message: message.clone() });
        let reaction = model.receive(&message);
        let sent = send(&mut socket, reaction.messages).await;
        state.received.send_modify(|count| *count += 1);
        if let Some((code, why)) = reaction.closes {
            state.fault(why.to_owned());
            let frame = CloseFrame { code: CloseCode::from(code), reason: why.into() };
            let _ = socket.close(Some(frame)).await;
            return;
        }
        if !sent || reaction.answers && !act(&mut socket, model.as_mut(), state).await {
            return;
        }
    }
}

/// Does the next step, and those that follow at once. False ends the connection.
async fn act(
    socket: &mut WebSocketStream<TcpStream>,
    model: &mut dyn Model,
    state: &VoiceState,
) -> bool {
    let mut next = state.lock().steps.pop_front();
    // On Live, work is handed over without a word of the script.
    if next.is_none() {
        return send(socket, model.delegates()).await;
    }
    while let Some(step) = next {
        let messages = match step {
            VoiceStep::Says { text, ms } => model.says(&text, ms),
            VoiceStep::Calls { id, tool, arguments } => model.calls(&id, &tool, &arguments),
            VoiceStep::Delegates { times } => (0..times).flat_map(|_| model.delegates()).collect(),
            VoiceStep::Cut => return false,
            VoiceStep::Pass(gate) => {
                gate.pass().await;
                Vec::new()
            }
            VoiceStep::Sends(message) => vec![message],
        };
        if !send(socket, messages).await {
            return false;
        }
        let mut inner = state.lock();
        let is_immediate = inner.steps.front().is_some_and(VoiceStep::is_immediate);
        next = is_immediate.then(|| inner.steps.pop_front()).flatten();
    }
    true
}

async fn send(socket: &mut WebSocketStream<TcpStream>, messages: Vec<Value>) -> bool {
    for message in messages {
        if socket.send(Message::text(message.to_string())).await.is_err() {
            return false;
        }
    }
    true
}
