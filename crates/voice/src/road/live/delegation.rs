//! Delegations: one text turn after the other, over what was said since the last one.

use std::collections::VecDeque;

use super::frames;
use crate::ids::TurnNumber;
use crate::input::Input;
use crate::road::text_turn::{TextTurnEvent, TextTurnRequest};
use crate::road::tools::malformed;
use crate::road::{Outgoing, RoadEvent};
use crate::words::sentence::{TextEnd, sentences};

/// How many delegations wait; the provider makes one every few seconds.
const WAITING_MAX: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Delegations {
    /// What was said since the last delegation.
    said: Vec<String>,
    running: Option<Running>,
    waiting: VecDeque<Waiting>,
    turns: u32,
}

#[derive(Debug)]
struct Running {
    /// The provider's name; none after a reconnect, or if we began by ourselves.
    id: Option<String>,
    /// Words of the turn that are not sent yet.
    text: String,
}

#[derive(Debug)]
struct Waiting {
    id: Option<String>,
    turn: TurnNumber,
    messages: Vec<String>,
}

impl Delegations {
    pub(super) fn user_said(&mut self, text: &str) {
        self.said.push(format!("User: {text}"));
    }

    pub(super) fn assistant_said(&mut self, text: &str) {
        match self.said.last_mut().filter(|last| last.starts_with("Voice: ")) {
            Some(last) => last.push_str(text),
            None => self.said.push(format!("Voice: {}", text.trim_start())),
        }
    }

    /// Only this much of what the voice said was heard.
    pub(super) fn truncate(&mut self, heard: &str) {
        let Some(at) = self.said.iter().rposition(|line| line.starts_with("Voice: ")) else {
            return;
        };
        match heard.is_empty() {
            true => {
                self.said.remove(at);
            }
            false => self.said[at] = format!("Voice: {heard}"),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn forget_ids(&mut self) {
        self.running.iter_mut().for_each(|running| running.id = None);
        self.waiting.iter_mut().for_each(|waiting| waiting.id = None);
    }

    /// The model hands over. The person's open words go along: they may not be final yet.
    pub(super) fn created(&mut self, id: &str, open_words: &str) -> Vec<RoadEvent> {
        let mut messages = std::mem::take(&mut self.said);
        if !open_words.trim().is_empty() {
            messages.push(format!("User: {}", open_words.trim()));
        }
        self.turns += 1;
        let id = (!id.is_empty()).then(|| id.to_owned());
        let messages = vec![messages.join("\n")];
        let requests = self.push(Waiting { id, turn: TurnNumber(self.turns), messages });
        requests.into_iter().map(RoadEvent::Send).collect()
    }

    /// Starts a turn without a delegation, for a message that waits.
    pub(super) fn start(&mut self, turn: TurnNumber, messages: Vec<String>) -> Vec<Outgoing> {
        self.push(Waiting { id: None, turn, messages })
    }

    /// Results are there. A turn that runs goes on by itself; in another process there is none, and
    /// one begins from what it was told.
    pub(super) fn go_on(&mut self) -> Vec<Outgoing> {
        match self.running {
            Some(_) => Vec::new(),
            None => self.start(TurnNumber(self.turns), Vec::new()),
        }
    }

    fn push(&mut self, waiting: Waiting) -> Vec<Outgoing> {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back(waiting);
        }
        self.next().into_iter().collect()
    }

    fn next(&mut self) -> Option<Outgoing> {
        if self.running.is_some() {
            return None;
        }
        let Waiting { id, turn, messages } = self.waiting.pop_front()?;
        self.running = Some(Running { id, text: String::new() });
        Some(Outgoing::Turn(TextTurnRequest::Start { turn, messages }))
    }

    /// The turn's words are sent as commentary, some sentences at a time.
    pub(super) fn turn(&mut self, event: TextTurnEvent) -> Vec<RoadEvent> {
        let Some(running) = &mut self.running else { return Vec::new() };
        match event {
            TextTurnEvent::Text(text) => {
                running.text.push_str(&text);
                let is_long = running.text.chars().count() > frames::APPEND_CHARS_MAX;
                if is_long { running.flush(TextEnd::Open) } else { Vec::new() }
            }
            TextTurnEvent::Call(call) => {
                let mut events = running.flush(TextEnd::Final);
                events.push(Input::CallAsked { call }.into());
                events
            }
            TextTurnEvent::TornCall { call, tool, why } => {
                vec![malformed(&call.0, &tool, &why).into()]
            }
            TextTurnEvent::Ended(_) => {
                let mut events = running.flush(TextEnd::Final);
                self.running = None;
                events.extend(self.next().map(RoadEvent::Send));
                events
            }
        }
    }
}

impl Running {
    /// Sends whole sentences, in pieces that the wire takes.
    fn flush(&mut self, end: TextEnd) -> Vec<RoadEvent> {
        let mut pieces: Vec<String> = Vec::new();
        let mut sent = 0;
        for range in sentences(&self.text, end, &[]) {
            sent = range.end;
            let sentence = &self.text[range];
            let fits = |piece: &&mut String| {
                piece.chars().count() + sentence.chars().count() <= frames::APPEND_CHARS_MAX
            };
            match pieces.last_mut().filter(fits) {
                Some(piece) => piece.push_str(sentence),
                None => pieces.push(sentence.to_owned()),
            }
        }
        self.text.drain(..sent);
        let id = self.id.as_deref();
        let message = |piece: &String| {
            RoadEvent::Send(Outgoing::Message(frames::commentary(piece.trim(), id)))
        };
        pieces.iter().filter(|piece| !piece.trim().is_empty()).map(message).collect()
    }
}
