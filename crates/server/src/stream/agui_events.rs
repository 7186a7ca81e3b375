//! Maps the events of a conversation to AG-UI events.
//!
//! Pure: the same events and deltas give the same frames. What readers received live is not
//! repeated when the log has it; everything else comes from the log.

mod begun_elsewhere;
mod run_end;
mod tool_calls;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::{CallId, Channel, Part, Usage};
use conversation::{Conversation, ConversationEvent, EndReason, Entry, LiveEvent, TurnState, view};
use policy::preview_lines;
use serde_json::{Value, json};

use crate::stream::entry_key::{EntryKeys, shown, step_key};
use crate::stream::event::Event;
use crate::stream::snapshot::{continues, interrupts, patch, state};
use crate::stream::text_message::{TextMessage, content_of, end_of, start_of};

/// The source of a text: the model or a tool, and the kind of text.
type MessageSource = (Option<CallId>, &'static str);

/// A conversation as its readers see it so far.
#[derive(Debug, Clone)]
pub(crate) struct AguiEvents {
    thread: String,
    conversation: Arc<Conversation>,
    /// The entries of the newest turn, with their keys.
    shown: Vec<(String, Entry)>,
    keys: EntryKeys,
    /// Texts that are being streamed.
    open: BTreeMap<MessageSource, TextMessage>,
    /// Whether the model's newest text arrived as deltas.
    model_deltas: bool,
    /// Keys of texts from the log that another process is writing.
    foreign_texts: BTreeSet<String>,
    calls_with_deltas: BTreeSet<CallId>,
    begun: BTreeSet<CallId>,
    /// The round whose step is open, from 1.
    round: Option<usize>,
    running: bool,
    /// The state that readers have.
    state: Value,
    /// Usage before the turn.
    used_before: Usage,
}

impl AguiEvents {
    pub(crate) fn new(thread: &str, conversation: Arc<Conversation>) -> Self {
        let mut events_so_far = Self {
            thread: thread.to_owned(),
            conversation,
            shown: Vec::new(),
            keys: EntryKeys::default(),
            open: BTreeMap::new(),
            model_deltas: false,
            foreign_texts: BTreeSet::new(),
            calls_with_deltas: BTreeSet::new(),
            begun: BTreeSet::new(),
            round: None,
            running: false,
            state: Value::Null,
            used_before: Usage::default(),
        };
        events_so_far.update_entries();
        events_so_far.foreign_texts = events_so_far.being_written();
        events_so_far.running = continues(&events_so_far.conversation);
        events_so_far.state = state(&events_so_far.conversation, events_so_far.running);
        let rounds = events_so_far.conversation.open_turn().map_or(0, |turn| turn.rounds.len());
        events_so_far.round = Some(rounds).filter(|rounds| events_so_far.running && *rounds > 0);
        events_so_far
    }

    /// An event that the log has now.
    pub(crate) fn event(&mut self, event: &ConversationEvent) -> Vec<Event> {
        let mut frames = Vec::new();
        let is_unseen =
            matches!(event, ConversationEvent::TakenOver | ConversationEvent::Superseded);
        if is_unseen || self.is_known_live(event) {
            Arc::make_mut(&mut self.conversation).add(event.clone());
            return frames;
        }
        self.close(&mut frames);
        frames.extend(self.begun_elsewhere(event));
        // Pieces of audio come many times a second, and nobody sees them.
        if let ConversationEvent::Voice { entry, .. } = event
            && entry.event.is_arrival()
        {
            Arc::make_mut(&mut self.conversation).add(event.clone());
            return frames;
        }
        let before = std::mem::take(&mut self.shown);
        Arc::make_mut(&mut self.conversation).add(event.clone());
        self.update_entries();
        match event {
            ConversationEvent::Opened(_)
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Dashboard { .. } => {}
            ConversationEvent::SettingsChanged { settings, .. } => {
                frames.push(Event::custom("settings", json!(settings)));
            }
            ConversationEvent::Chosen { turn, .. } => {
                let value = json!({ "because": "version_chosen", "turn": turn });
                frames.push(Event::custom("reload", value));
                return frames;
            }
            ConversationEvent::TakenBack { first, last }
            | ConversationEvent::SentAgain { first, last, .. } => {
                let value = json!({ "because": "taken_back", "first": first, "last": last });
                frames.push(Event::custom("reload", value));
                return frames;
            }
            ConversationEvent::Said { turn, .. } => {
                self.model_deltas = false;
                frames.extend(self.start_run(*turn));
            }
            ConversationEvent::Partial { .. } => self.foreign_texts = self.being_written(),
            ConversationEvent::BrokeOff { .. } => {
                self.model_deltas = false;
                self.foreign_texts.clear();
            }
            ConversationEvent::Replied { reply, .. } => {
                self.in_round(self.rounds(), &mut frames);
                if !std::mem::take(&mut self.model_deltas) {
                    self.send_texts(&before, &mut frames);
                }
                self.foreign_texts.clear();
                for block in &reply.blocks {
                    if let Part::Call(call) = &block.part {
                        self.called(call, &mut frames);
                    }
                }
            }
            ConversationEvent::Streamed { call, .. } => {
                if !self.calls_with_deltas.contains(call) {
                    self.send_texts(&before, &mut frames);
                }
            }
            ConversationEvent::Noticed { .. }
            | ConversationEvent::LeftOut { .. }
            | ConversationEvent::Voice { .. } => self.send_texts(&before, &mut frames),
            ConversationEvent::Asked { turn, call, request, preview } => {
                let value = json!({
                    "turn": turn, "call": call, "request": request,
                    "preview": preview, "previewLines": preview_lines(preview),
                });
                frames.push(Event::custom("approval", value));
            }
            ConversationEvent::Questioned { turn, call, questions, .. } => {
                let value = json!({ "turn": turn, "call": call, "questions": questions });
                frames.push(Event::custom("questions", value));
            }
            ConversationEvent::InDoubt { turn, call, tool } => {
                let value = json!({ "turn": turn, "call": call, "tool": tool });
                frames.push(Event::custom("waiting", value));
            }
            ConversationEvent::Settled { turn, settled, .. } => {
                self.settled(*turn, settled, &mut frames)
            }
            ConversationEvent::Ended { .. }
            | ConversationEvent::TakenOver
            | ConversationEvent::Superseded => {}
        }
        self.changes(&before, &mut frames);
        match event {
            ConversationEvent::Ended { turn, how } => {
                self.begun.clear();
                self.calls_with_deltas.clear();
                self.foreign_texts.clear();
                self.model_deltas = false;
                // A paused run has had its end.
                let is_left = matches!(how, EndReason::MovedOn | EndReason::Cancelled);
                let has_ended = !self.running && is_left;
                self.end_run(&mut frames);
                frames.extend((!has_ended).then(|| self.ended(*turn, how)));
            }
            ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Said { .. }
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Dashboard { .. }
            | ConversationEvent::Replied { .. }
            | ConversationEvent::Partial { .. }
            | ConversationEvent::BrokeOff { .. }
            | ConversationEvent::Streamed { .. }
            | ConversationEvent::LeftOut { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::Asked { .. }
            | ConversationEvent::Questioned { .. }
            | ConversationEvent::InDoubt { .. }
            | ConversationEvent::Settled { .. }
            | ConversationEvent::Voice { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. }
            | ConversationEvent::TakenOver
            | ConversationEvent::Superseded
            | ConversationEvent::TakenBack { .. } => self.update_state(&mut frames),
        }
        frames
    }

    /// A live event of a running turn, which the log does not have yet.
    pub(crate) fn live_event(&mut self, live_event: &LiveEvent) -> Vec<Event> {
        let mut frames = Vec::new();
        let turn = self.conversation.turns.last().map_or(0, |turn| turn.number);
        match live_event {
            LiveEvent::Text(text) => {
                self.in_round(self.rounds() + 1, &mut frames);
                self.model_deltas = true;
                self.stream_text(&(None, "assistant"), None, text, &mut frames);
            }
            LiveEvent::Thinking(text) => {
                self.in_round(self.rounds() + 1, &mut frames);
                self.model_deltas = true;
                self.stream_text(&(None, "thinking"), None, text, &mut frames);
            }
            LiveEvent::CallBegun { call, tool } => {
                self.in_round(self.rounds() + 1, &mut frames);
                self.close(&mut frames);
                self.keys.anchored(step_key(turn, call));
                self.begin(call, tool, &mut frames);
            }
            LiveEvent::Running { call, tool } => {
                let value = json!({ "key": step_key(turn, call), "call": call, "tool": tool });
                frames.push(Event::custom("running", value));
            }
            LiveEvent::Chunk { call, chunk } => {
                let kind = match chunk.channel {
                    Channel::Assistant => "assistant",
                    Channel::System => "system",
                    Channel::Context => return frames,
                };
                self.calls_with_deltas.insert(call.clone());
                let source = (Some(call.clone()), kind);
                self.stream_text(&source, Some(step_key(turn, call)), &chunk.text, &mut frames);
            }
            LiveEvent::Progress { call, fraction, note } => {
                let value = json!({
                    "key": step_key(turn, call), "fraction": fraction, "note": note,
                });
                frames.push(Event::custom("progress", value));
            }
            LiveEvent::Message { call, message } => {
                let value = json!({ "key": step_key(turn, call), "message": message });
                frames.push(Event::custom("message", value));
            }
            // For the author of the tool, not for people.
            LiveEvent::Console { .. } => {}
        }
        frames
    }

    /// The streamed texts as HTML: what changed since the last call.
    pub(crate) fn rendered(&mut self) -> Vec<Event> {
        self.open.values_mut().filter_map(TextMessage::rendered).collect()
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running
    }

    pub(crate) fn has_paused(&self) -> bool {
        let open = self.conversation.open_turn();
        !self.running && open.is_some_and(|turn| !turn.waiting.is_empty())
    }

    /// The turn pauses until a person has answered.
    pub(crate) fn paused(&mut self) -> Vec<Event> {
        let mut frames = Vec::new();
        self.close(&mut frames);
        let interrupts = interrupts(&self.conversation);
        let number = self.conversation.open_turn().map(|turn| turn.number);
        if let (Some(turn), false) = (number, interrupts.is_empty()) {
            self.end_run(&mut frames);
            let outcome = json!({ "type": "interrupt", "interrupts": interrupts });
            frames.push(self.finished(turn, &outcome));
        }
        frames
    }

    /// The turn continues after a person has answered.
    pub(crate) fn resumed(&mut self) -> Vec<Event> {
        let waited = self.conversation.open_turn().filter(|turn| !turn.waiting.is_empty());
        let Some((turn, rounds)) = waited.map(|turn| (turn.number, turn.rounds.len())) else {
            return Vec::new();
        };
        let mut frames = self.start_run(turn);
        self.in_round(rounds, &mut frames);
        frames
    }

    /// The turn cannot continue, for a reason that is not in the log.
    pub(crate) fn failed(&mut self, message: &str) -> Vec<Event> {
        let mut frames = Vec::new();
        self.close(&mut frames);
        self.end_run(&mut frames);
        frames.push(Event::new("RUN_ERROR", json!({ "message": message })));
        frames
    }

    /// Whether readers have received this part of an answer as deltas.
    pub(crate) fn is_known_live(&self, event: &ConversationEvent) -> bool {
        self.model_deltas && matches!(event, ConversationEvent::Partial { .. })
    }

    /// Whether the model's newest text arrives as deltas.
    pub(crate) fn streams_deltas(&self) -> bool {
        self.model_deltas
    }

    /// The keys of an answer that another process is writing.
    fn being_written(&self) -> BTreeSet<String> {
        let open = self.conversation.open_turn().and_then(TurnState::open_partial);
        let events: Vec<u64> =
            open.into_iter().flat_map(|open| &open.pieces).map(|piece| piece.event).collect();
        let is_piece = |entry: &Entry| {
            matches!(entry, Entry::Assistant { event, .. } | Entry::Thinking { event, .. }
                if events.contains(event))
        };
        let pieces = self.shown.iter().filter(|(_, entry)| is_piece(entry));
        pieces.map(|(key, _)| key.clone()).collect()
    }

    /// Rebuilds the entries of the newest turn, without text that arrives as deltas.
    fn update_entries(&mut self) {
        let mut newest = self.conversation.turns.last().cloned();
        if let (true, Some(turn)) = (self.model_deltas, newest.as_mut()) {
            turn.drop_open_partial();
        }
        let number = newest.as_ref().map_or(0, |turn| turn.number);
        let late = self.conversation.notices.iter().filter(|notice| notice.after == number);
        let notices = late.cloned().collect();
        let newest = Conversation {
            turns: newest.into_iter().collect(),
            notices,
            versions: self.conversation.versions.without_turns(),
            ..Conversation::default()
        };
        self.keys = EntryKeys::default();
        let entries = view(&newest).into_iter();
        self.shown = entries.map(|entry| (self.keys.of(&entry), entry)).collect();
    }

    /// A run begins: its readers get the whole state.
    fn start_run(&mut self, turn: u64) -> Vec<Event> {
        self.running = true;
        self.used_before = self.conversation.usage;
        self.state = state(&self.conversation, true);
        let fields = json!({ "threadId": self.thread, "runId": format!("t{turn}") });
        let snapshot = json!({ "snapshot": self.state });
        vec![Event::new("RUN_STARTED", fields), Event::new("STATE_SNAPSHOT", snapshot)]
    }

    /// A run is about to end: ends its step and updates the state.
    fn end_run(&mut self, frames: &mut Vec<Event>) {
        self.running = false;
        self.end_round(frames);
        self.update_state(frames);
    }

    fn update_state(&mut self, frames: &mut Vec<Event>) {
        let now = state(&self.conversation, self.running);
        let patch = patch(&self.state, &now);
        self.state = now;
        if !patch.is_empty() {
            frames.push(Event::new("STATE_DELTA", json!({ "delta": patch })));
        }
    }

    /// How many answers the model gave in this turn.
    fn rounds(&self) -> usize {
        self.conversation.turns.last().map_or(0, |turn| turn.rounds.len())
    }

    /// What follows belongs to this round.
    fn in_round(&mut self, round: usize, frames: &mut Vec<Event>) {
        if self.round != Some(round) {
            self.end_round(frames);
            self.round = Some(round);
            frames.push(Event::new("STEP_STARTED", json!({ "stepName": step_name(round) })));
        }
    }

    fn end_round(&mut self, frames: &mut Vec<Event>) {
        if let Some(round) = self.round.take() {
            frames.push(Event::new("STEP_FINISHED", json!({ "stepName": step_name(round) })));
        }
    }

    /// Continues a text, or begins it.
    fn stream_text(
        &mut self,
        source: &MessageSource,
        behind: Option<String>,
        text: &str,
        frames: &mut Vec<Event>,
    ) {
        if text.is_empty() {
            return;
        }
        if !self.open.contains_key(source) {
            // A source streams one text at a time.
            let before: Vec<_> =
                self.open.keys().filter(|(who, _)| *who == source.0).cloned().collect();
            for other in before {
                frames.extend(self.open.remove(&other).into_iter().flat_map(TextMessage::end));
            }
            let key = match behind {
                Some(anchor) => self.keys.next_behind(&anchor, source.1),
                None => self.keys.next(source.1),
            };
            let message = TextMessage::new(source.1, key);
            frames.extend(message.start());
            self.open.insert(source.clone(), message);
        }
        frames.extend(self.open.get_mut(source).map(|message| message.add(text)));
    }

    /// Ends every streamed text.
    fn close(&mut self, frames: &mut Vec<Event>) {
        let open = std::mem::take(&mut self.open);
        frames.extend(open.into_values().flat_map(TextMessage::end));
    }

    /// Sends texts that did not arrive as deltas.
    fn send_texts(&self, before: &[(String, Entry)], frames: &mut Vec<Event>) {
        for (key, entry) in &self.shown {
            let (kind, text) = match entry {
                Entry::Assistant { text, .. } => ("assistant", text),
                Entry::System { text, .. } => ("system", text),
                Entry::Thinking { text, .. } => ("thinking", text),
                Entry::User { .. }
                | Entry::Step(_)
                | Entry::BrokeOff { .. }
                | Entry::Ended { .. } => continue,
            };
            let is_new =
                self.foreign_texts.contains(key) || !before.iter().any(|(known, _)| known == key);
            if !text.is_empty() && is_new {
                frames.extend(start_of(kind, key));
                frames.push(content_of(kind, key, text));
                frames.extend(end_of(kind, key));
            }
        }
    }

    /// Entries that are new or changed, each with the one before it.
    fn changes(&self, before: &[(String, Entry)], frames: &mut Vec<Event>) {
        let mut after = Value::Null;
        for (key, entry) in &self.shown {
            let known = before.iter().find(|(known, _)| known == key);
            if known.is_none_or(|(_, known)| known != entry) {
                let mut value = shown(key, entry);
                value["after"] = after;
                frames.push(Event::custom("entry", value));
            }
            after = key.as_str().into();
        }
    }
}

fn step_name(round: usize) -> String {
    format!("round {round}")
}
