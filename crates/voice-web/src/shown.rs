//! What a client is told: made from what the session records and wants played.
//!
//! Words of the model are shown as they come, and replaced by what was heard in the end.

use std::collections::BTreeMap;

use contract::CallId;
use policy::{RequestId, preview_lines};
use voice::{
    AnswerKind, AskEvent, AudioEvent, CallEvent, CallOutcome, FormContent, LogEntry, Piece,
    ShownForm, TurnEvent, UserEvent, UtteranceId, VoiceEvent, Waits,
};
use voice_session::ToClient;

use crate::browser_speech::samples_of;
use crate::outbox::Outbox;
use crate::protocol::{Phase, ServerEvent, Side, ToolState, Who};

/// A piece of audio on its way: a tenth of a second.
const AUDIO_SAMPLES_MAX: usize = 2_400;

/// What the client knows so far.
pub(crate) struct Shown {
    speaks: Side,
    /// Utterances that are not over, with their words.
    utterances: BTreeMap<UtteranceId, (Who, String)>,
    tools: BTreeMap<CallId, String>,
    /// The approval that waits.
    asked: Option<(CallId, RequestId)>,
    phase: Option<Phase>,
    /// The form that the client has.
    form: Option<u32>,
}

impl Shown {
    pub(crate) fn new(speaks: Side) -> Self {
        let (utterances, tools) = (BTreeMap::new(), BTreeMap::new());
        Self { speaks, utterances, tools, asked: None, phase: None, form: None }
    }

    /// Puts what the client is told about a message into its outbox.
    pub(crate) fn take(&mut self, message: ToClient, outbox: &mut Outbox) {
        let event = match message {
            ToClient::Recorded(entry) => return self.recorded(&entry, outbox),
            ToClient::Audio { utterance, samples } => {
                if self.speaks == Side::Server {
                    let pieces = samples.chunks(AUDIO_SAMPLES_MAX);
                    pieces.for_each(|piece| outbox.audio(utterance.0, piece));
                }
                return;
            }
            ToClient::Speak { utterance, text, .. } => {
                if self.speaks == Side::Server {
                    return;
                }
                ServerEvent::Speak { utterance: utterance.0, samples: samples_of(&text), text }
            }
            ToClient::Play(utterance) => ServerEvent::Play { utterance: utterance.0 },
            ToClient::Pause { utterance, fade_ms } => {
                ServerEvent::Pause { utterance: utterance.0, fade_ms }
            }
            ToClient::Resume(utterance) => ServerEvent::Resume { utterance: utterance.0 },
            ToClient::Cut(utterance) => ServerEvent::Cut { utterance: utterance.0 },
            ToClient::Tone => ServerEvent::Tone,
            ToClient::ShowButton(request) => ServerEvent::Button { request },
            ToClient::HideButton(request) => ServerEvent::ApprovalDone { request },
            ToClient::Form(form) => return self.form(*form, outbox),
            ToClient::FormDone(form) => {
                self.form = None;
                ServerEvent::FormDone { form }
            }
            ToClient::Notice(text) => ServerEvent::Notice { text },
            ToClient::Message(message) => ServerEvent::Message { message },
            ToClient::Trouble(text) => ServerEvent::Trouble { text },
            ToClient::Ended(report) => ServerEvent::Ended { cause: report.cause },
        };
        outbox.event(&event);
    }

    fn recorded(&mut self, entry: &LogEntry, outbox: &mut Outbox) {
        match &entry.event {
            VoiceEvent::User(event) => self.user(event, outbox),
            VoiceEvent::Audio(event) => self.audio(event, outbox),
            VoiceEvent::Call(event) => self.call(event, outbox),
            VoiceEvent::Turn(TurnEvent::Requested { .. } | TurnEvent::Continued) => {
                self.phase(Phase::Thinking, outbox);
            }
            VoiceEvent::Turn(TurnEvent::Interrupted | TurnEvent::NoAnswer) => {
                self.phase(Phase::Listening, outbox);
            }
            VoiceEvent::Ask(AskEvent::Approved | AskEvent::Declined | AskEvent::Expired) => {
                self.answered(outbox);
            }
            VoiceEvent::Ask(AskEvent::Closed) => self.answered(outbox),
            VoiceEvent::Turn(TurnEvent::RequestedAgain { .. } | TurnEvent::Done)
            | VoiceEvent::Ask(
                AskEvent::Opened { .. }
                | AskEvent::ToButton
                | AskEvent::Answered { .. }
                | AskEvent::NotHeard
                | AskEvent::FormHeard { .. }
                | AskEvent::FormEdited { .. }
                | AskEvent::FormFilled { .. }
                | AskEvent::FormSent { .. },
            )
            | VoiceEvent::Session(_)
            | VoiceEvent::Ending(_) => {}
        }
    }

    fn user(&mut self, event: &UserEvent, outbox: &mut Outbox) {
        let (speech, text, is_final) = match event {
            UserEvent::SpeechStarted { .. } => return self.phase(Phase::Hearing, outbox),
            UserEvent::SpeechEnded { .. } => return self.phase(Phase::Listening, outbox),
            UserEvent::Partial { speech, text } => (speech, Some(text.clone()), false),
            UserEvent::Said { speech, text } => {
                (speech, (!text.is_empty()).then(|| text.clone()), true)
            }
            UserEvent::Ignored { speech } => (speech, None, true),
            UserEvent::Confirmed { .. } => return,
        };
        let id = speech.to_string();
        outbox.event(&ServerEvent::Words { who: Who::User, id, text, is_final });
    }

    fn audio(&mut self, event: &AudioEvent, outbox: &mut Outbox) {
        match event {
            AudioEvent::AnswerStarted { utterance, .. } => {
                self.utterances.insert(*utterance, (Who::Assistant, String::new()));
            }
            AudioEvent::OwnSpeech { utterance, text, .. } => {
                self.utterances.insert(*utterance, (Who::Program, text.clone()));
                words(*utterance, Who::Program, Some(text.clone()), false, outbox);
            }
            AudioEvent::Arrived { utterance, piece: Piece::Text { text, .. } } => {
                if let Some((who, so_far)) = self.utterances.get_mut(utterance) {
                    so_far.push_str(text);
                    let (who, id, text) = (*who, utterance.to_string(), text.clone());
                    outbox.event(&ServerEvent::MoreWords { who, id, text });
                }
            }
            AudioEvent::Started { .. } | AudioEvent::Resumed { .. } => {
                self.phase(Phase::Speaking, outbox);
            }
            AudioEvent::Heard { utterance } | AudioEvent::Suppressed { utterance } => {
                self.over(*utterance, None, outbox);
            }
            AudioEvent::Cut { utterance, heard, .. }
            | AudioEvent::Stalled { utterance, heard, .. } => {
                self.over(*utterance, Some(heard.clone()), outbox);
            }
            AudioEvent::Dropped { utterance } => self.over(*utterance, Some(String::new()), outbox),
            AudioEvent::Arrived { .. }
            | AudioEvent::AnswerRefused { .. }
            | AudioEvent::Paused { .. }
            | AudioEvent::Tone => {}
        }
    }

    /// The end of an utterance, with what was heard of it; everything without.
    fn over(&mut self, utterance: UtteranceId, heard: Option<String>, outbox: &mut Outbox) {
        let Some((who, all)) = self.utterances.remove(&utterance) else { return };
        let text = heard.unwrap_or(all);
        words(utterance, who, (!text.trim().is_empty()).then_some(text), true, outbox);
        if self.utterances.is_empty() && self.phase == Some(Phase::Speaking) {
            self.phase(Phase::Listening, outbox);
        }
    }

    fn call(&mut self, event: &CallEvent, outbox: &mut Outbox) {
        let (call, state) = match event {
            CallEvent::Asked { call, .. } => {
                self.tools.insert(call.id.clone(), call.tool.clone());
                (&call.id, ToolState::Asked)
            }
            CallEvent::Started { call } => (call, ToolState::Running),
            CallEvent::Waits { call, waits } => {
                if let Waits::Approval { request, preview, expires_at } = waits {
                    let tool = self.tools.get(call).cloned().unwrap_or_default();
                    let (request, preview) = (request.clone(), preview.clone());
                    self.asked = Some((call.clone(), request.clone()));
                    let (preview_lines, expires_at) = (preview_lines(&preview), expires_at.0);
                    outbox.event(&ServerEvent::Approval {
                        request,
                        tool,
                        preview,
                        preview_lines,
                        expires_at,
                    });
                }
                (call, ToolState::Waiting)
            }
            CallEvent::Settled { call, result } => {
                if self.asked.as_ref().is_some_and(|(asked, _)| asked == call) {
                    self.answered(outbox);
                }
                let state = match result.outcome {
                    CallOutcome::Done => ToolState::Done,
                    CallOutcome::Failed | CallOutcome::PartialEffects => ToolState::Failed,
                };
                (call, state)
            }
            CallEvent::Answered { call, answer } => match answer.kind {
                AnswerKind::Cancelled => (call, ToolState::Cancelled),
                AnswerKind::Malformed => (call, ToolState::Failed),
                AnswerKind::Result | AnswerKind::StillOpen | AnswerKind::InHistory => return,
            },
            CallEvent::OverBudget { .. }
            | CallEvent::CancelAsked { .. }
            | CallEvent::Message { .. }
            | CallEvent::Informed { .. }
            | CallEvent::IntentApplied { .. } => return,
        };
        let tool = self.tools.get(call).cloned().unwrap_or_default();
        outbox.event(&ServerEvent::Tool { call: call.to_string(), tool, state });
    }

    /// A new form is shown whole; after that, what was answered.
    fn form(&mut self, shown: ShownForm, outbox: &mut Outbox) {
        let ShownForm { number: form, content, answers, field, by_hand } = shown;
        if self.form.replace(form) != Some(form) {
            outbox.event(&match content {
                FormContent::Question { tool, message, schema, .. } => {
                    let (message, schema) = (Some(message), Some(schema));
                    ServerEvent::Form { form, tool, message, schema, feature: None }
                }
                FormContent::Feature { tool, feature } => {
                    let (message, schema, feature) = (None, None, Some(feature));
                    ServerEvent::Form { form, tool, message, schema, feature }
                }
            });
        }
        outbox.event(&ServerEvent::FormAnswers { form, answers, field, by_hand });
    }

    /// The approval does not wait any more.
    fn answered(&mut self, outbox: &mut Outbox) {
        if let Some((_, request)) = self.asked.take() {
            outbox.event(&ServerEvent::ApprovalDone { request });
        }
    }

    fn phase(&mut self, phase: Phase, outbox: &mut Outbox) {
        if self.phase.replace(phase) != Some(phase) {
            outbox.event(&ServerEvent::Phase { phase });
        }
    }
}

fn words(
    utterance: UtteranceId,
    who: Who,
    text: Option<String>,
    is_final: bool,
    outbox: &mut Outbox,
) {
    let id = utterance.to_string();
    outbox.event(&ServerEvent::Words { who, id, text, is_final });
}

#[cfg(test)]
mod tests;
