//! What people see of a voice session: what was said and heard, and the calls, in their order.

use contract::{Artifact, Call, CallId};
use policy::Timestamp;
use serde_json::Value;
use voice::{
    AskAbout, AskEvent, CallEvent, CallOutcome, Line, LogEntry, Shown, Speaker, State, VoiceEvent,
    Waits,
};

use super::VoiceSession;
use crate::view::{Entry, Step, StepState};

/// The entries of a session.
pub(crate) fn session_view(session: &VoiceSession) -> Vec<Entry> {
    let mut seen = Seen::default();
    for (event, entry) in &session.entries {
        seen.add(*event, entry);
    }
    let mut entries: Vec<(Timestamp, Entry)> = Vec::new();
    for (line, event) in seen.lines {
        if line.shown == Shown::Yes {
            entries.push((line.at, line_entry(session, &line, event)));
        }
    }
    for call in seen.calls {
        let at = call.at;
        entries.extend(call.entries(session).into_iter().map(|entry| (at, entry)));
    }
    // Stable: what began at the same moment keeps its order, words first.
    entries.sort_by_key(|(at, _)| *at);
    entries.into_iter().map(|(_, entry)| entry).collect()
}

fn line_entry(session: &VoiceSession, line: &Line, event: u64) -> Entry {
    let (turn, text) = (session.number_of(line.turn), line.text.clone());
    match line.speaker {
        Speaker::User => {
            let (files, versions) = (Vec::new(), Vec::new());
            Entry::User { turn, event, text, files, versions, model: None }
        }
        Speaker::Assistant => Entry::Assistant { turn, event, text },
        Speaker::Host => Entry::System { turn, event, text },
    }
}

/// What the log has shown so far.
#[derive(Default)]
struct Seen {
    state: Option<State>,
    /// Each line with the event that changed it last.
    lines: Vec<(Line, u64)>,
    calls: Vec<SeenCall>,
    /// The call that the open question is about.
    asked: Option<CallId>,
}

struct SeenCall {
    at: Timestamp,
    event: u64,
    turn: voice::TurnNumber,
    call: Call,
    state: StepState,
    was_asked: bool,
    is_declined: bool,
    artifacts: Vec<Artifact>,
}

impl Seen {
    fn add(&mut self, event: u64, entry: &LogEntry) {
        match &mut self.state {
            None => self.state = State::replay(std::slice::from_ref(entry)),
            Some(state) => state.apply(entry),
        }
        if entry.event.is_arrival() {
            return;
        }
        if let VoiceEvent::Call(call) = &entry.event {
            self.add_call(event, entry.at, call);
        } else if let VoiceEvent::Ask(ask) = &entry.event {
            self.add_ask(event, ask);
        }
        let Some(state) = &self.state else { return };
        let before = std::mem::take(&mut self.lines);
        let known = |line: &Line| before.iter().find(|(old, _)| old == line).map(|(_, at)| *at);
        self.lines = state
            .transcript()
            .iter()
            .map(|line| (line.clone(), known(line).unwrap_or(event)))
            .collect();
    }

    fn add_call(&mut self, event: u64, at: Timestamp, call: &CallEvent) {
        match call {
            CallEvent::Asked { call, .. } => {
                let turn = self.state.as_ref().map_or_else(Default::default, State::turn);
                let (call, state) = (call.clone(), StepState::Open);
                let (was_asked, is_declined) = (false, false);
                let artifacts = Vec::new();
                let seen =
                    SeenCall { at, event, turn, call, state, was_asked, is_declined, artifacts };
                self.calls.push(seen);
            }
            CallEvent::Waits { call, waits } => self.change(event, call, |seen| {
                seen.was_asked = true;
                seen.state = match waits {
                    Waits::Approval { request, preview, .. } => {
                        StepState::Asked { request: request.0.clone(), preview: preview.clone() }
                    }
                    Waits::Form { .. } => StepState::Open,
                };
            }),
            CallEvent::Settled { call, result } => self.change(event, call, |seen| {
                seen.settle(&result.content, result.outcome);
                seen.artifacts.clone_from(&result.artifacts);
            }),
            CallEvent::Answered { call, answer } => {
                let content = answer.content.clone();
                self.change(event, call, |seen| seen.answer(&content, answer.kind));
            }
            CallEvent::Started { .. }
            | CallEvent::OverBudget { .. }
            | CallEvent::CancelAsked { .. }
            | CallEvent::Message { .. }
            | CallEvent::Informed { .. }
            | CallEvent::IntentApplied { .. } => {}
        }
    }

    fn add_ask(&mut self, event: u64, ask: &AskEvent) {
        match ask {
            AskEvent::Opened { question } => {
                self.asked = match question {
                    AskAbout::Approval { call } => Some(call.clone()),
                    AskAbout::Form { .. } | AskAbout::Feature { .. } => None,
                };
            }
            AskEvent::Declined => {
                if let Some(call) = self.asked.clone() {
                    self.change(event, &call, |seen| seen.is_declined = true);
                }
            }
            AskEvent::ToButton
            | AskEvent::Answered { .. }
            | AskEvent::NotHeard
            | AskEvent::FormHeard { .. }
            | AskEvent::FormEdited { .. }
            | AskEvent::Expired
            | AskEvent::Closed
            | AskEvent::Approved
            | AskEvent::FormFilled { .. }
            | AskEvent::FormSent { .. } => {}
        }
    }

    fn change(&mut self, event: u64, id: &CallId, change: impl FnOnce(&mut SeenCall)) {
        if let Some(seen) = self.calls.iter_mut().find(|seen| seen.call.id == *id) {
            seen.event = event;
            change(seen);
        }
    }
}

impl SeenCall {
    fn settle(&mut self, content: &Value, outcome: CallOutcome) {
        let verdict = match (self.is_declined, self.was_asked) {
            (true, _) => "decline",
            (false, true) => "ask",
            (false, false) => "run",
        };
        let (content, duration, verdict) = (content.clone(), None, verdict.to_owned());
        self.state = match outcome {
            CallOutcome::Done => StepState::Done { content, duration, verdict },
            CallOutcome::Failed | CallOutcome::PartialEffects => {
                StepState::Failed { content, duration, verdict, notes: Vec::new() }
            }
        };
    }

    /// The answer to a call that has no result: it was never made, or nobody waits for it.
    fn answer(&mut self, content: &Value, kind: voice::AnswerKind) {
        let is_open = matches!(
            self.state,
            StepState::Open | StepState::Asked { .. } | StepState::Questioned { .. }
        );
        match kind {
            voice::AnswerKind::Cancelled | voice::AnswerKind::Malformed if is_open => {
                self.settle(content, CallOutcome::Failed);
            }
            voice::AnswerKind::Cancelled
            | voice::AnswerKind::Malformed
            | voice::AnswerKind::Result
            | voice::AnswerKind::StillOpen
            | voice::AnswerKind::InHistory => {}
        }
    }

    /// The call, and the files of its tool: each is a part of the answer, as in a text turn.
    fn entries(self, session: &VoiceSession) -> Vec<Entry> {
        let (turn, event) = (session.number_of(self.turn), self.event);
        let file = |file: &Artifact| Entry::Assistant { turn, event, text: file.to_markdown() };
        let files: Vec<_> = self.artifacts.iter().map(file).collect();
        let step = Entry::Step(Box::new(Step {
            turn,
            event,
            call: self.call.id,
            tool: self.call.tool,
            args: self.call.args,
            changed_from: None,
            auto: false,
            state: self.state,
        }));
        std::iter::once(step).chain(files).collect()
    }
}
