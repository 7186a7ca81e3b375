//! Settles the calls of a voice session: the same engine, policy, ledger and approvals as in text.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{Ask, Call, ToolOffer};
use engine::{ApprovalFault, CallContext, CallOrigin, Cancel, HandlerQuestions, PaidBy, Waiting};
use policy::{ApprovalChoice, ApprovalScope, RequestId};
use serde_json::{Value, json};
use voice::{Asker, CallOutcome, CallResult, TurnNumber, Waits};

use super::forms::FormCall;
use super::log::VoiceLog;
use crate::event::SettledCall;
use crate::turn::live_event::CallSurface;
use crate::turn::prompt::result_with_chunks;
use crate::turn::turn_tools::{EngineTools, OfferHistory, TurnTools, off_here};
use crate::turn::{NoObserver, TurnObserver};

/// How a call of a session ended.
#[derive(Debug, Clone, PartialEq)]
pub enum VoiceCallEnd {
    Settled {
        result: CallResult,
        /// Whether its handler ran now; a refused, known or reused call did not.
        ran: bool,
        /// For people.
        notes: Vec<String>,
    },
    Waits(Waits),
}

impl VoiceLog {
    /// The tools that a model of this session may be offered now.
    pub async fn offers(&self) -> Vec<ToolOffer> {
        let engine = self.conversations.engine().clone();
        let (lease, observer) = (engine.registry().lease(), Arc::new(NoObserver));
        let (attachments, settings) =
            (self.conversations.attachments.clone(), self.settings.clone());
        let tools = EngineTools { engine, lease, attachments, observer, settings };
        let history = OfferHistory { used: BTreeSet::new(), has_results: false };
        let offers = tools.offers(&self.origin(TurnNumber(1)), 0, &history).await;
        offers.into_iter().map(|(offer, _)| offer).collect()
    }

    /// Settles a call of this turn as far as it comes. The observer gets the handler's output.
    pub async fn settle(
        &self,
        turn: TurnNumber,
        call: &Call,
        by: &Asker,
        observer: Arc<dyn TurnObserver>,
        cancel: Cancel,
    ) -> VoiceCallEnd {
        match by {
            Asker::Model => {
                let (origin, paid_by) = (self.origin(turn), PaidBy::Turn);
                self.settle_as(&origin, paid_by, call, observer, cancel).await
            }
            Asker::Form { tool, handler } => {
                let form = FormCall { tool, handler: handler.as_deref(), turn };
                self.settle_form(form, call, observer, cancel).await
            }
        }
    }

    pub(super) async fn settle_as(
        &self,
        origin: &CallOrigin,
        paid_by: PaidBy,
        call: &Call,
        observer: Arc<dyn TurnObserver>,
        cancel: Cancel,
    ) -> VoiceCallEnd {
        let engine = self.conversations.engine();
        if self.settings.is_off(&call.tool) {
            let (content, outcome) = (off_here(call).content, CallOutcome::Failed);
            let result = CallResult::new(content, outcome);
            return VoiceCallEnd::Settled { result, ran: false, notes: Vec::new() };
        }
        if let Some(questions) = engine.open_questions(origin, call).await
            && let Some(waits) = form(&questions)
        {
            return VoiceCallEnd::Waits(waits);
        }
        let surface =
            Arc::new(CallSurface { call: call.clone(), observer, chunks: Default::default() });
        let context = CallContext { surface: surface.clone(), cancel, ..engine.context(paid_by) };
        let settled = engine.settle_on(&context, origin, call).await;
        match &settled.waiting {
            Some(Waiting::Approval(asked)) => {
                let (request, preview) = (asked.request.id.clone(), asked.request.preview.clone());
                let expires_at = asked.request.expires_at;
                return VoiceCallEnd::Waits(Waits::Approval { request, preview, expires_at });
            }
            Some(Waiting::Input(questions)) => {
                if let Some(waits) = form(questions) {
                    return VoiceCallEnd::Waits(waits);
                }
            }
            // Only a person can find out; until then the model must not repeat it.
            Some(Waiting::InDoubt(_)) | None => {}
        }
        let in_doubt = matches!(settled.waiting, Some(Waiting::InDoubt(_)));
        let outcome = match &settled.outcome {
            Ok(_) => CallOutcome::Done,
            Err(error) if error.partial_side_effects || in_doubt => CallOutcome::PartialEffects,
            Err(_) => CallOutcome::Failed,
        };
        let (intents, notes) = (settled.intents.clone(), settled.notes.clone());
        let ran = settled.duration().is_some();
        let settled = SettledCall::of(call, settled, engine.limits().shown_bytes_max);
        let chunks = std::mem::take(&mut *surface.lock());
        let content = result_with_chunks(&settled, chunks);
        let result = CallResult { content, outcome, intents, artifacts: settled.artifacts };
        VoiceCallEnd::Settled { result, ran, notes }
    }

    /// Gives a person's spoken answer to an approval to the engine, as the button of the page
    /// would.
    pub async fn answer_approval(
        &self,
        request: &RequestId,
        choice: &ApprovalChoice,
    ) -> Result<(), ApprovalFault> {
        let answer = match choice {
            ApprovalChoice::Approve { scope: ApprovalScope::ThisCall } => {
                json!({ "request": request, "answer": "approve" })
            }
            ApprovalChoice::Approve { scope: ApprovalScope::Conversation } => {
                json!({ "request": request, "answer": "approve", "scope": "conversation" })
            }
            ApprovalChoice::Decline { reason: None } => {
                json!({ "request": request, "answer": "decline" })
            }
            ApprovalChoice::Decline { reason: Some(reason) } => {
                json!({ "request": request, "answer": "decline", "reason": reason })
            }
            ApprovalChoice::Edit { args } => {
                json!({ "request": request, "answer": "edit", "args": args })
            }
            ApprovalChoice::Instead { data } => {
                json!({ "request": request, "answer": "instead", "data": data })
            }
        };
        self.conversations.engine().answer(&answer.to_string()).await.map(|_| ())
    }
}

/// The first question that a person can answer by voice.
fn form(questions: &HandlerQuestions) -> Option<Waits> {
    questions.asks.iter().find_map(|(name, ask)| match ask {
        Ask::Person { message, schema } => {
            let (message, schema): (String, Value) = (message.clone(), schema.clone());
            Some(Waits::Form { name: name.to_owned(), message, schema })
        }
        Ask::Model { .. } | Ask::Folders => None,
    })
}
