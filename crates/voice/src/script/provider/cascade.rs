//! A text turn that says what the script says.

use contract::Call;
use serde_json::Value;

use super::{Delivery, Provider};
use crate::road::{Outgoing, TextTurnEnd, TextTurnEvent, TextTurnRequest};
use crate::script::statement::{ProviderAction, ScriptCall};

#[derive(Debug, Default)]
pub(super) struct FakeTextTurn {
    is_running: bool,
    /// Calls of a reply that is not complete: a text turn gives them at its end.
    written: Vec<ScriptCall>,
}

impl Provider for FakeTextTurn {
    fn sent(&mut self, outgoing: &Outgoing) -> Vec<Delivery> {
        match outgoing {
            Outgoing::Turn(TextTurnRequest::Start { .. }) => {
                self.is_running = true;
                Vec::new()
            }
            Outgoing::Turn(TextTurnRequest::Cancel) if self.is_running => {
                self.is_running = false;
                self.written.clear();
                vec![Delivery::Turn(TextTurnEvent::Ended(TextTurnEnd::Cancelled))]
            }
            Outgoing::Turn(_) | Outgoing::Message(_) => Vec::new(),
        }
    }

    fn act(&mut self, action: &ProviderAction) -> Vec<Delivery> {
        let text = |text: &str| Delivery::Turn(TextTurnEvent::Text(text.to_owned()));
        let ended = || Delivery::Turn(TextTurnEvent::Ended(TextTurnEnd::Completed));
        match action {
            ProviderAction::Says { text: words, calls, .. } if calls.is_empty() => {
                vec![text(words), ended()]
            }
            ProviderAction::Says { text: words, calls, .. } => {
                std::iter::once(text(words)).chain(calls.iter().map(call)).collect()
            }
            ProviderAction::Begins { text: words, .. } => vec![text(words)],
            ProviderAction::Ends if self.written.is_empty() => vec![ended()],
            ProviderAction::Ends => self.written.drain(..).map(|written| call(&written)).collect(),
            ProviderAction::WritesCall { call } => {
                self.written.push(call.clone());
                Vec::new()
            }
            ProviderAction::Calls { calls } => calls.iter().map(call).collect(),
            ProviderAction::BreaksOff => {
                vec![Delivery::Turn(TextTurnEvent::Ended(TextTurnEnd::Failed))]
            }
            // A text turn takes no call back.
            ProviderAction::Withdraws { .. }
            | ProviderAction::GoesAway { .. }
            | ProviderAction::Sends { .. } => Vec::new(),
        }
    }

    /// Our own transcription writes down what is said.
    fn transcript(&mut self, _text: &str, _is_final: bool) -> Vec<Delivery> {
        Vec::new()
    }
}

/// A call of a text model.
pub(super) fn call(call: &ScriptCall) -> Delivery {
    let ScriptCall { id, tool, arguments } = call;
    Delivery::Turn(match serde_json::from_str::<Value>(arguments) {
        Ok(args) => TextTurnEvent::Call(Call { id: id.clone(), tool: tool.clone(), args }),
        Err(fault) => {
            let why = format!("The arguments are not JSON ({fault}). Send them again.");
            TextTurnEvent::TornCall { call: id.clone(), tool: tool.clone(), why }
        }
    })
}
