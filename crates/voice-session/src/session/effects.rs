//! Does the commands of a session: the client, speech, calls, answers.

use std::sync::Arc;

use cancel::Cancel;
use contract::{Call, CallId, HandlerAnswer};
use conversation::{ConversationEvent, LiveEvent, TurnObserver};
use policy::{ApprovalChoice, RequestId};
use tokio::sync::mpsc;
use voice::{Asker, Command};

use super::parts::ToClient;
use super::{Done, Running};

impl Running {
    pub(super) async fn command(&mut self, command: Command) {
        match command {
            Command::Record(entry) => {
                self.log.write(&entry);
                self.send(ToClient::Recorded(entry)).await;
            }
            Command::Play { utterance } => self.send(ToClient::Play(utterance)).await,
            Command::Pause { utterance, fade_ms } => {
                self.send(ToClient::Pause { utterance, fade_ms }).await;
            }
            Command::Resume { utterance } => self.send(ToClient::Resume(utterance)).await,
            Command::Cut { utterance } => {
                self.queue.cut(utterance);
                self.send(ToClient::Cut(utterance)).await;
            }
            Command::Tone => self.send(ToClient::Tone).await,
            Command::ShowButton { request } => self.send(ToClient::ShowButton(request)).await,
            Command::HideButton { request } => self.send(ToClient::HideButton(request)).await,
            Command::Forward { message } => self.send(ToClient::Message(message)).await,
            Command::Speak { utterance, sentence, text } => {
                self.queue.add(utterance, sentence, text.clone());
                self.send(ToClient::Speak { utterance, sentence, text }).await;
            }
            Command::Transcribe { speech } => self.transcribe(speech),
            Command::RunCall { call, by } => self.run_call(call, by),
            Command::CancelCall { call, .. } => {
                if let Some((_, _, cancel)) = self.calls.get(&call) {
                    cancel.cancel();
                }
            }
            Command::AnswerApproval { request, choice } => {
                self.answer_approval(request, choice, false).await;
            }
            Command::AnswerForm { call, name, answer } => {
                self.answer_form(&call, &name, answer).await;
            }
            Command::Reconnect { .. } => Box::pin(self.connect()).await,
            // The road has translated those.
            Command::Road(_) => {}
            Command::End(report) => {
                self.report = Some(report.clone());
                self.send(ToClient::Ended(report)).await;
            }
        }
    }

    /// A call runs when everything that led to it is on disk.
    fn run_call(&mut self, call: Call, by: Asker) {
        let turn = self.driver.state().turn();
        let fresh = || (call.clone(), turn, Cancel::default());
        let (_, turn, cancel) = self.calls.entry(call.id.clone()).or_insert_with(fresh).clone();
        let (log, done) = (Arc::clone(&self.log), self.done.clone());
        let messages = Arc::new(Messages { call: call.id.clone(), done: done.clone() });
        tokio::spawn(async move {
            if let Err(fault) = log.flush().await {
                tracing::error!(%fault, "the log of a voice session cannot be written");
                return;
            }
            let end = log.settle(turn, &call, &by, messages, cancel).await;
            let _ = done.send(Done::Call { call: call.id, end });
        });
    }

    /// Awaited here: the call that goes on with the answer comes right after it.
    pub(super) async fn answer_approval(
        &mut self,
        request: RequestId,
        choice: ApprovalChoice,
        by_button: bool,
    ) {
        let answered = self.log.answer_approval(&request, &choice).await;
        let fault = answered.err().map(|fault| fault.to_string());
        let _ = self.done.send(Done::Answered { request, by_button, fault });
    }

    async fn answer_form(&mut self, call: &CallId, name: &str, answer: HandlerAnswer) {
        let answered = self.log.answer_form(call, name, answer).await;
        let _ = self.done.send(Done::FormAnswered { fault: answered.err() });
    }
}

/// Passes on what a handler sends to the client.
struct Messages {
    call: CallId,
    done: mpsc::UnboundedSender<Done>,
}

impl TurnObserver for Messages {
    fn live(&self, event: LiveEvent) {
        if let LiveEvent::Message { message, .. } = event {
            let _ = self.done.send(Done::Message { call: self.call.clone(), message });
        }
    }

    fn event(&self, _event: &ConversationEvent) {}
}
