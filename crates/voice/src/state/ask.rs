//! A question to the person: an approval that is read back, or a form.

use contract::CallId;
use policy::{RequestId, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::ApprovalRules;
use crate::event::{AskAbout, AskEvent, Purpose, Waits};
use crate::form::date::Day;
use crate::form::reading::Locale;
use crate::form::{Dialogue, Form, UiForm};
use crate::ids::UtteranceId;
use crate::state::State;
use crate::state::call::Stage;
use crate::state::playback::Fate;
use crate::words::answer::SpokenAnswer;
use crate::words::language::Sentences;
use crate::words::readback::{ReadBack, read_back};

/// The question that is open. There is one at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct OpenAsk {
    /// Counts the questions of a session, from 1.
    pub(crate) number: u32,
    pub(crate) about: AskAbout,
    pub(crate) body: AskBody,
    pub(crate) phase: AskPhase,
    pub(crate) unclear: u8,
    /// When it was opened, or last answered or changed by hand.
    pub(crate) touched_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AskBody {
    Approval {
        request: RequestId,
        expires_at: Timestamp,
        read_back: ReadBack,
    },
    Form {
        name: String,
        dialogue: Box<Dialogue>,
    },
    Feature {
        form: Box<UiForm>,
        dialogue: Box<Dialogue>,
    },
    /// A tool's form that cannot be spoken, for this reason.
    OnPage {
        why: String,
    },
}

impl AskBody {
    pub(crate) fn is_form(&self) -> bool {
        match self {
            AskBody::Approval { .. } => false,
            AskBody::Form { .. } | AskBody::Feature { .. } | AskBody::OnPage { .. } => true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AskPhase {
    /// This is to be said next.
    ToSay(String),
    Saying(UtteranceId),
    /// It was heard to the end, at this time.
    Listening {
        since: Timestamp,
    },
    /// It was cut off, or never played: what is said now is not an agreement.
    Unheard,
    /// Speech cannot settle it.
    NeedsButton,
    /// The page is asked; speech is for the model again.
    Button,
    Over,
}

/// How often a question of a form is repeated because it was not heard.
const FORM_REPEATS_MAX: u8 = 5;

impl OpenAsk {
    pub(crate) fn call(&self) -> Option<&CallId> {
        match &self.about {
            AskAbout::Approval { call } | AskAbout::Form { call } => Some(call),
            AskAbout::Feature { .. } => None,
        }
    }

    /// Whether this utterance is the question.
    pub(crate) fn says(&self, utterance: UtteranceId) -> bool {
        self.phase == AskPhase::Saying(utterance)
    }

    /// Whether what the person says is for this question.
    pub(crate) fn captures_speech(&self) -> bool {
        match self.phase {
            AskPhase::ToSay(_)
            | AskPhase::Saying(_)
            | AskPhase::Listening { .. }
            | AskPhase::Unheard => true,
            AskPhase::NeedsButton | AskPhase::Button | AskPhase::Over => false,
        }
    }

    /// After an answer that was neither yes nor no, or a question that was not heard.
    fn say_again(&mut self, rules: &ApprovalRules, say: &Sentences) {
        self.unclear = self.unclear.saturating_add(1);
        let tries_left = self.unclear < rules.unclear_max;
        self.phase = match &self.body {
            AskBody::Approval { read_back: ReadBack::Spoken(text), .. } if tries_left => {
                AskPhase::ToSay(format!("{} {text}", say.approval_unclear))
            }
            AskBody::Approval { .. } => AskPhase::NeedsButton,
            AskBody::OnPage { .. } => AskPhase::NeedsButton,
            AskBody::Form { dialogue, .. } | AskBody::Feature { dialogue, .. } => {
                match dialogue.prompt().filter(|_| self.unclear < FORM_REPEATS_MAX) {
                    Some(prompt) => AskPhase::ToSay(prompt),
                    None => AskPhase::NeedsButton,
                }
            }
        };
    }

    pub(crate) fn dialogue(&self) -> Option<&Dialogue> {
        match &self.body {
            AskBody::Approval { .. } | AskBody::OnPage { .. } => None,
            AskBody::Form { dialogue, .. } | AskBody::Feature { dialogue, .. } => Some(dialogue),
        }
    }

    /// What was written by hand counts; if another question is next, it is said.
    fn edit(&mut self, answers: &Map<String, Value>, now: Timestamp) {
        self.touched_at = now;
        let is_spoken = self.captures_speech();
        if let AskBody::Form { dialogue, .. } | AskBody::Feature { dialogue, .. } = &mut self.body {
            let moved = dialogue.edit(answers);
            match dialogue.prompt().filter(|_| moved) {
                Some(prompt) if is_spoken => self.phase = AskPhase::ToSay(prompt),
                Some(_) => {}
                // They have read the question, or they answer it now.
                None if is_spoken => self.phase = AskPhase::Listening { since: now },
                None => {}
            }
        }
    }
}

impl State {
    pub(super) fn apply_ask(&mut self, event: &AskEvent) {
        if let AskEvent::Opened { question } = event {
            self.asks += 1;
            self.ask = self.opened_ask(question);
            return;
        }
        let (rules, now) = (&self.config.approval, self.now);
        let say = &self.config.language().words().say;
        let Some(ask) = &mut self.ask else { return };
        match event {
            AskEvent::Opened { .. } => {}
            AskEvent::ToButton => {
                ask.phase = AskPhase::Button;
                ask.touched_at = now;
            }
            AskEvent::FormEdited { answers } => ask.edit(answers, now),
            AskEvent::Answered { speech, answer, .. } => {
                self.user.remove(*speech);
                match answer {
                    SpokenAnswer::Yes | SpokenAnswer::No => ask.phase = AskPhase::Over,
                    SpokenAnswer::Unclear => ask.say_again(rules, say),
                }
            }
            AskEvent::NotHeard => ask.say_again(rules, say),
            AskEvent::FormHeard { speech, text } => {
                self.user.remove(*speech);
                ask.touched_at = now;
                if let AskBody::Form { dialogue, .. } | AskBody::Feature { dialogue, .. } =
                    &mut ask.body
                {
                    dialogue.hear(text);
                    ask.phase = dialogue.prompt().map_or(AskPhase::Over, AskPhase::ToSay);
                }
            }
            AskEvent::Approved
            | AskEvent::Declined
            | AskEvent::Expired
            | AskEvent::Closed
            | AskEvent::FormFilled { .. }
            | AskEvent::FormSent { .. } => self.ask = None,
        }
    }

    fn opened_ask(&self, about: &AskAbout) -> Option<OpenAsk> {
        let body = match about {
            AskAbout::Approval { call } => {
                let open = self.calls.get(call)?;
                let Stage::Waiting(Waits::Approval { request, preview, expires_at }) = &open.stage
                else {
                    return None;
                };
                let read_back = read_back(&open.call.tool, preview, &self.config);
                AskBody::Approval { request: request.clone(), expires_at: *expires_at, read_back }
            }
            AskAbout::Form { call } => {
                let open = self.calls.get(call)?;
                let Stage::Waiting(Waits::Form { name, message, schema }) = &open.stage else {
                    return None;
                };
                let form = Form::from_schema(message, schema);
                let dialogue = Box::new(Dialogue::new(form, self.locale()));
                AskBody::Form { name: name.clone(), dialogue }
            }
            AskAbout::Feature { feature, .. } => match UiForm::read(feature) {
                Ok(form) => {
                    let dialogue = Box::new(Dialogue::new(form.form.clone(), self.locale()));
                    AskBody::Feature { form: Box::new(form), dialogue }
                }
                Err(why) => AskBody::OnPage { why },
            },
        };
        let phase = match &body {
            AskBody::Approval { read_back: ReadBack::Spoken(text), .. } => {
                AskPhase::ToSay(text.clone())
            }
            AskBody::Approval { read_back: ReadBack::Button(_), .. } | AskBody::OnPage { .. } => {
                AskPhase::NeedsButton
            }
            AskBody::Form { dialogue, .. } | AskBody::Feature { dialogue, .. } => {
                dialogue.prompt().map_or(AskPhase::Over, AskPhase::ToSay)
            }
        };
        let (number, about, touched_at) = (self.asks, about.clone(), self.now);
        Some(OpenAsk { number, about, body, phase, unclear: 0, touched_at })
    }

    fn locale(&self) -> Locale {
        let offset = self.config.utc_offset_minutes;
        Locale {
            languages: self.config.languages.clone(),
            today: Day::at(self.now.0, offset),
            utc_offset_minutes: offset,
        }
    }

    /// The question is on its way to the person.
    pub(super) fn own_speech_queued(&mut self, utterance: UtteranceId, purpose: Purpose) {
        if purpose == Purpose::Question
            && let Some(ask) = &mut self.ask
        {
            ask.phase = AskPhase::Saying(utterance);
        }
    }

    pub(super) fn ask_utterance_closed(&mut self, utterance: UtteranceId, fate: Fate) {
        let since = self.now;
        if let Some(ask) = &mut self.ask
            && ask.phase == AskPhase::Saying(utterance)
        {
            ask.phase = match (fate, &ask.body) {
                (Fate::Heard, _) => AskPhase::Listening { since },
                (Fate::Cut, _) => AskPhase::Unheard,
                // The person saw or heard enough of a form's question to answer it.
                (Fate::Stalled, body) if body.is_form() => AskPhase::Listening { since },
                (Fate::Dropped | Fate::Suppressed | Fate::Stalled, _) => AskPhase::NeedsButton,
            };
        }
    }

    /// A call that is settled has no question any more.
    pub(super) fn call_left_ask(&mut self, call: &CallId) {
        if self.ask.as_ref().is_some_and(|ask| ask.call() == Some(call)) {
            self.ask = None;
        }
    }
}
