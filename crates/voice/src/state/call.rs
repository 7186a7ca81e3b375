//! Calls: asked, started, settled, answered; each exactly once.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Call, CallId};
use policy::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::event::{AnswerKind, Asker, CallEvent, CallResult, Speaking, Waits};
use crate::ids::{TurnNumber, UtteranceId};
use crate::state::State;

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Calls {
    /// Calls that are not both settled and answered, by their id.
    pub(crate) open: BTreeMap<CallId, OpenCall>,
    /// Every id that was ever asked: a call that is delivered twice is asked once.
    pub(crate) known: BTreeSet<CallId>,
    /// Messages of settled calls that the client gets at the end of the session.
    pub(crate) kept_messages: Vec<Value>,
    asked: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct OpenCall {
    pub(crate) call: Call,
    pub(crate) by: Asker,
    /// The order in which calls were asked.
    pub(crate) number: u32,
    pub(crate) turn: TurnNumber,
    /// The provider's context that knows the call.
    pub(crate) epoch: u32,
    pub(crate) after: Option<UtteranceId>,
    pub(crate) stage: Stage,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) over_budget: bool,
    pub(crate) cancel_asked_at: Option<Timestamp>,
    pub(crate) speaking: Speaking,
    pub(crate) answered: Option<AnswerKind>,
    pub(crate) messages: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    Asked,
    Running,
    Waiting(Waits),
    Settled(CallResult),
}

/// How many messages a call may keep for the client.
const MESSAGES_MAX: usize = 16;

impl Calls {
    pub(crate) fn get(&self, id: &CallId) -> Option<&OpenCall> {
        self.open.get(id)
    }

    /// In the order in which they were asked.
    pub(crate) fn in_order(&self) -> Vec<&OpenCall> {
        let mut calls: Vec<_> = self.open.values().collect();
        calls.sort_by_key(|call| call.number);
        calls
    }

    /// Calls without an answer, of the model and of forms.
    pub(crate) fn unanswered(&self) -> impl Iterator<Item = &OpenCall> {
        self.in_order().into_iter().filter(|call| call.answered.is_none())
    }

    /// Calls that the model still waits for.
    pub(crate) fn of_model(&self) -> impl Iterator<Item = &OpenCall> {
        self.unanswered().filter(|call| call.by.is_model())
    }

    /// Results of this turn are not spoken any more.
    pub(super) fn silence(&mut self, turn: TurnNumber) {
        let calls = self.open.values_mut().filter(|call| call.turn == turn);
        calls.for_each(|call| call.speaking = Speaking::Silent);
    }

    pub(super) fn forwarded(&mut self, id: &CallId) {
        if let Some(call) = self.open.get_mut(id) {
            call.messages.clear();
        }
    }

    fn close_finished(&mut self, id: &CallId) {
        let is_finished =
            |call: &OpenCall| call.answered.is_some() && matches!(call.stage, Stage::Settled(_));
        if self.open.get(id).is_some_and(is_finished)
            && let Some(closed) = self.open.remove(id)
        {
            self.kept_messages.extend(closed.messages);
        }
    }
}

impl OpenCall {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running)
    }

    pub(crate) fn result(&self) -> Option<&CallResult> {
        match &self.stage {
            Stage::Settled(result) => Some(result),
            Stage::Asked | Stage::Running | Stage::Waiting(_) => None,
        }
    }
}

impl State {
    pub(super) fn apply_call(&mut self, event: &CallEvent) {
        let now = self.now;
        match event {
            CallEvent::Asked { call, after, by } => self.call_asked(call, *after, by),
            CallEvent::Started { call } => self.change_call(call, |open| {
                open.stage = Stage::Running;
                open.started_at = Some(now);
            }),
            CallEvent::OverBudget { call } => {
                self.change_call(call, |open| open.over_budget = true)
            }
            CallEvent::Waits { call, waits } => {
                self.change_call(call, |open| open.stage = Stage::Waiting(waits.clone()));
            }
            CallEvent::CancelAsked { call, .. } => self.change_call(call, |open| {
                open.cancel_asked_at = Some(now);
                open.speaking = Speaking::Silent;
            }),
            CallEvent::Message { call, message } => self.change_call(call, |open| {
                if open.messages.len() < MESSAGES_MAX {
                    open.messages.push(message.clone());
                }
            }),
            CallEvent::Settled { call, result } => {
                self.change_call(call, |open| open.stage = Stage::Settled(result.clone()));
                self.call_left_ask(call);
            }
            CallEvent::Answered { call, answer } => {
                self.change_call(call, |open| {
                    open.answered = Some(answer.kind);
                    // Nothing will settle what never started.
                    if matches!(open.stage, Stage::Asked) {
                        let (content, outcome) =
                            (answer.content.clone(), crate::event::CallOutcome::Failed);
                        open.stage = Stage::Settled(CallResult::new(content, outcome));
                    }
                });
                self.turn.owes_speech |= answer.speaking == Speaking::Speaks;
                self.calls.close_finished(call);
            }
            CallEvent::Informed { call } => self.calls.close_finished(call),
            CallEvent::IntentApplied { .. } => {}
        }
    }

    fn call_asked(&mut self, call: &Call, after: Option<UtteranceId>, by: &Asker) {
        self.calls.asked += 1;
        self.calls.known.insert(call.id.clone());
        let open = OpenCall {
            call: call.clone(),
            by: by.clone(),
            number: self.calls.asked,
            turn: self.turn.number,
            epoch: self.link.epoch,
            after,
            stage: Stage::Asked,
            started_at: None,
            over_budget: false,
            cancel_asked_at: None,
            // The person is told of a form by us, and the model is not asked to.
            speaking: if by.is_model() { Speaking::Speaks } else { Speaking::Silent },
            answered: None,
            messages: Vec::new(),
        };
        self.calls.open.insert(call.id.clone(), open);
    }

    fn change_call(&mut self, id: &CallId, change: impl FnOnce(&mut OpenCall)) {
        if let Some(open) = self.calls.open.get_mut(id) {
            change(open);
        }
    }
}
