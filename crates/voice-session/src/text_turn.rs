//! The model behind a voice: an ordinary text model that is asked turn by turn.
//!
//! In: [`TextTurnRequest`]s of the road. Out: [`TextTurnEvent`]s: text as it comes, calls when the
//! reply is complete. Must hold: what was not heard is not in the messages; every call in them has
//! exactly one result; a cancelled request is dropped with its connection.

mod messages;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Delta, Model, ModelFault, Part, Reply, Request, ToolChoice, ToolOffer};
use tokio::sync::mpsc;
use voice::{Line, TextTurnEnd, TextTurnEvent, TextTurnRequest};

use messages::Messages;

/// What a text turn is made of.
pub(crate) struct TextTurn {
    pub model: Arc<dyn Model>,
    pub system: String,
    pub tools: Vec<ToolOffer>,
    /// How many rounds of calls the model may use in one turn.
    pub rounds_max: u32,
    pub output_tokens_max: Option<u32>,
}

/// An event of a text turn, or something for people.
#[derive(Debug)]
pub(crate) enum TurnOutput {
    Event(TextTurnEvent),
    Failed(ModelFault),
}

impl TextTurn {
    /// Answers requests until their sender is gone.
    pub(crate) async fn run(
        self,
        history: &[Line],
        mut requests: mpsc::UnboundedReceiver<TextTurnRequest>,
        output: mpsc::UnboundedSender<TurnOutput>,
    ) {
        let mut messages = Messages::of(history);
        let mut waiting: VecDeque<TextTurnRequest> = VecDeque::new();
        let mut rounds = 0;
        loop {
            let request = match waiting.pop_front() {
                Some(request) => request,
                None => match requests.recv().await {
                    Some(request) => request,
                    None => return,
                },
            };
            let asks = match request {
                TextTurnRequest::Start { messages: said, .. } => {
                    rounds = 0;
                    messages.said(&said);
                    true
                }
                TextTurnRequest::Cancel => {
                    messages.stop();
                    false
                }
                TextTurnRequest::Truncate { heard, later } => {
                    messages.heard_only(&heard, later);
                    false
                }
                TextTurnRequest::Answer { call, content, failed } => {
                    messages.answered(&call, &content, failed)
                }
                TextTurnRequest::Inform { text } => {
                    messages.inform(&text);
                    false
                }
            };
            if asks {
                rounds += 1;
                let asked = self.ask(&mut messages, rounds, &mut requests, &output).await;
                waiting.extend(asked);
            }
        }
    }

    /// Asks the model until it has answered, or a request comes that ends its answer. Gives the
    /// requests that came meanwhile.
    async fn ask(
        &self,
        messages: &mut Messages,
        rounds: u32,
        requests: &mut mpsc::UnboundedReceiver<TextTurnRequest>,
        output: &mpsc::UnboundedSender<TurnOutput>,
    ) -> Vec<TextTurnRequest> {
        let request = self.request(messages, rounds);
        let written = Mutex::new(String::new());
        let mut deltas = |delta: Delta| {
            // An empty piece must not begin an answer.
            if let Delta::Text(text) = delta
                && !text.is_empty()
            {
                written.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
                // The session is over if nobody listens.
                let _ = output.send(TurnOutput::Event(TextTurnEvent::Text(text)));
            }
        };
        let mut asking = self.model.ask(&request, &mut deltas);
        let mut later = Vec::new();
        let reply = loop {
            tokio::select! {
                reply = &mut asking => break Some(reply),
                next = requests.recv() => match next {
                    Some(next @ (TextTurnRequest::Cancel
                        | TextTurnRequest::Start { .. }
                        | TextTurnRequest::Truncate { .. })) => {
                        later.push(next);
                        break None;
                    }
                    Some(next @ (TextTurnRequest::Answer { .. }
                        | TextTurnRequest::Inform { .. })) => later.push(next),
                    None => break None,
                },
            }
        };
        drop(asking);
        let written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
        match reply {
            Some(Ok(reply)) => finish(messages, &reply, &written, output),
            Some(Err(fault)) => {
                messages.failed(written);
                let _ = output.send(TurnOutput::Failed(fault));
                let _ = output.send(TurnOutput::Event(TextTurnEvent::Ended(TextTurnEnd::Failed)));
            }
            None => messages.broke_off(written),
        }
        later
    }

    fn request(&self, messages: &Messages, rounds: u32) -> Request {
        Request {
            tools: self.tools.clone(),
            system: self.system.clone(),
            messages: messages.list().to_vec(),
            choice: match rounds > self.rounds_max {
                true => ToolChoice::None,
                false => ToolChoice::Auto,
            },
            output_tokens_max: self.output_tokens_max,
            ..Request::default()
        }
    }
}

/// Takes a complete reply: its calls go to the session, or the turn is over.
fn finish(
    messages: &mut Messages,
    reply: &Reply,
    written: &str,
    output: &mpsc::UnboundedSender<TurnOutput>,
) {
    let send = |event| drop(output.send(TurnOutput::Event(event)));
    // A model that does not stream has its text only here.
    if written.is_empty() && !reply.text().is_empty() {
        send(TextTurnEvent::Text(reply.text()));
    }
    messages.replied(reply);
    let mut has_calls = false;
    for block in &reply.blocks {
        match &block.part {
            Part::Call(call) => send(TextTurnEvent::Call(call.clone())),
            Part::TornCall { id, tool, why, .. } => {
                let (call, tool) = (id.clone(), tool.clone());
                send(TextTurnEvent::TornCall { call, tool, why: why.clone() });
            }
            Part::Text { .. }
            | Part::Thinking { .. }
            | Part::Result(_)
            | Part::Refusal { .. }
            | Part::Other { .. }
            | Part::File(_) => continue,
        }
        has_calls = true;
    }
    if !has_calls {
        send(TextTurnEvent::Ended(TextTurnEnd::Completed));
    }
}

#[cfg(test)]
mod tests;
