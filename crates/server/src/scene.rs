//! From what happens in a conversation to the events of its stream.
//!
//! Pure: the same events and the same things heard give the same frames. What was heard
//! live is not said again when the log has it; what nobody heard is said from the log.

use std::collections::{BTreeMap, BTreeSet};

use contract::{CallId, Channel, Part};
use engine::{Entry, Heard, HowEnded, SettledCall, Talk, TalkEvent, view};
use serde_json::{Value, json};

use crate::frame::Event;
use crate::keyed::{Keys, shown, step_key};

/// Whose words they are: the model's or a tool's, and of which kind.
type Voice = (Option<CallId>, &'static str);

/// A conversation as its readers see it so far.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    thread: String,
    talk: Talk,
    /// The entries of the newest turn, with their keys.
    shown: Vec<(String, Entry)>,
    keys: Keys,
    /// Texts that are being said, by their keys.
    open: BTreeMap<Voice, String>,
    /// Did the model's newest words arrive live?
    heard_model: bool,
    heard_calls: BTreeSet<CallId>,
    begun: BTreeSet<CallId>,
}

impl Scene {
    pub(crate) fn new<'a>(thread: &str, events: impl IntoIterator<Item = &'a TalkEvent>) -> Self {
        let mut scene = Self {
            thread: thread.to_owned(),
            talk: Talk::read(events),
            shown: Vec::new(),
            keys: Keys::default(),
            open: BTreeMap::new(),
            heard_model: false,
            heard_calls: BTreeSet::new(),
            begun: BTreeSet::new(),
        };
        scene.look();
        scene
    }

    /// An event that the log has now.
    pub(crate) fn event(&mut self, event: &TalkEvent) -> Vec<Event> {
        let mut frames = Vec::new();
        self.close(&mut frames);
        let before = std::mem::take(&mut self.shown);
        self.talk.add(event.clone());
        self.look();
        match event {
            TalkEvent::Opened(_) | TalkEvent::Offered { .. } | TalkEvent::Dashboard { .. } => {}
            TalkEvent::Said { turn, .. } => frames.push(self.started(*turn)),
            TalkEvent::Replied { reply, .. } => {
                if !std::mem::take(&mut self.heard_model) {
                    self.say_new(&before, &mut frames);
                }
                for block in &reply.blocks {
                    if let Part::Call(call) = &block.part {
                        self.called(call, &mut frames);
                    }
                }
            }
            TalkEvent::Streamed { call, .. } => {
                if !self.heard_calls.contains(call) {
                    self.say_new(&before, &mut frames);
                }
            }
            TalkEvent::Noticed { .. } => self.say_new(&before, &mut frames),
            TalkEvent::Asked { turn, call, request, preview } => {
                let value = json!({
                    "turn": turn, "call": call, "request": request, "preview": preview,
                });
                frames.push(Event::custom("approval", value));
            }
            TalkEvent::InDoubt { turn, call, tool } => {
                let value = json!({ "turn": turn, "call": call, "tool": tool });
                frames.push(Event::custom("waiting", value));
            }
            TalkEvent::Settled { turn, settled, .. } => self.settled(*turn, settled, &mut frames),
            TalkEvent::Ended { .. } => {}
        }
        self.changes(&before, &mut frames);
        if let TalkEvent::Ended { turn, how } = event {
            self.begun.clear();
            self.heard_calls.clear();
            frames.push(self.ended(*turn, how));
        }
        frames
    }

    /// Something that is heard while a turn runs, and that the log does not have yet.
    pub(crate) fn heard(&mut self, heard: &Heard) -> Vec<Event> {
        let mut frames = Vec::new();
        let turn = self.talk.turns.last().map_or(0, |turn| turn.number);
        match heard {
            Heard::Text(text) => {
                self.heard_model = true;
                self.say(&(None, "assistant"), None, text, &mut frames);
            }
            Heard::Thinking(text) => {
                self.heard_model = true;
                self.say(&(None, "thinking"), None, text, &mut frames);
            }
            Heard::CallBegun { call, tool } => {
                self.close(&mut frames);
                self.keys.anchored(step_key(turn, call));
                self.begin(call, tool, &mut frames);
            }
            Heard::Running { call, tool } => {
                let value = json!({ "key": step_key(turn, call), "call": call, "tool": tool });
                frames.push(Event::custom("running", value));
            }
            Heard::Chunk { call, chunk } => {
                let kind = match chunk.channel {
                    Channel::Assistant => "assistant",
                    Channel::System => "system",
                    Channel::Context => return frames,
                };
                self.heard_calls.insert(call.clone());
                let voice = (Some(call.clone()), kind);
                self.say(&voice, Some(step_key(turn, call)), &chunk.text, &mut frames);
            }
            Heard::Progress { call, fraction, note } => {
                let value = json!({
                    "key": step_key(turn, call), "fraction": fraction, "note": note,
                });
                frames.push(Event::custom("progress", value));
            }
            Heard::Message { call, message } => {
                let value = json!({ "key": step_key(turn, call), "message": message });
                frames.push(Event::custom("message", value));
            }
            // For whoever writes the tool, not for whoever talks.
            Heard::Console { .. } => {}
        }
        frames
    }

    /// The turn rests until a person has answered.
    pub(crate) fn rests(&mut self) -> Vec<Event> {
        let mut frames = Vec::new();
        self.close(&mut frames);
        let waiting = self.talk.open_turn().into_iter().flat_map(|turn| turn.waiting.keys());
        let interrupts: Vec<_> = waiting.map(|call| json!({ "id": call })).collect();
        if let (Some(turn), false) = (self.talk.open_turn(), interrupts.is_empty()) {
            frames.push(Event::new(
                "RUN_FINISHED",
                json!({
                    "threadId": self.thread,
                    "runId": format!("t{}", turn.number),
                    "outcome": { "type": "interrupt", "interrupts": interrupts },
                }),
            ));
        }
        frames
    }

    /// The turn goes on after a person has answered.
    pub(crate) fn goes_on(&self) -> Vec<Event> {
        let open = self.talk.open_turn().filter(|turn| !turn.waiting.is_empty());
        open.map(|turn| self.started(turn.number)).into_iter().collect()
    }

    /// The turn could not go on, for a reason that is not in the log.
    pub(crate) fn broke(&mut self, message: &str) -> Vec<Event> {
        let mut frames = Vec::new();
        self.close(&mut frames);
        frames.push(Event::new("RUN_ERROR", json!({ "message": message })));
        frames
    }

    /// Looks at the newest turn again.
    fn look(&mut self) {
        let turns = self.talk.turns.len();
        let newest = self.talk.turns.last().cloned();
        let late = self.talk.notices.iter().filter(|(before, _)| *before == turns);
        let notices = late.map(|(_, text)| (usize::from(turns > 0), text.clone())).collect();
        let newest = Talk { turns: newest.into_iter().collect(), notices, ..Talk::default() };
        self.keys = Keys::default();
        let entries = view(&newest).into_iter();
        self.shown = entries.map(|entry| (self.keys.of(&entry), entry)).collect();
    }

    fn started(&self, turn: u64) -> Event {
        let fields = json!({ "threadId": self.thread, "runId": format!("t{turn}") });
        Event::new("RUN_STARTED", fields)
    }

    fn ended(&self, turn: u64, how: &HowEnded) -> Event {
        let finished = || {
            json!({
                "threadId": self.thread,
                "runId": format!("t{turn}"),
                "outcome": { "type": "success" },
                "result": how,
            })
        };
        match how {
            HowEnded::Failed { fault } => {
                let message = format!("{}; {}", fault.message, fault.fix);
                Event::new("RUN_ERROR", json!({ "message": message, "code": "model_failed" }))
            }
            HowEnded::TooManyRounds => {
                let message = "the model kept calling tools; the turn was stopped";
                Event::new("RUN_ERROR", json!({ "message": message, "code": "too_many_rounds" }))
            }
            HowEnded::Answered
            | HowEnded::CutOff
            | HowEnded::Refused { .. }
            | HowEnded::Cancelled
            | HowEnded::MovedOn => Event::new("RUN_FINISHED", finished()),
        }
    }

    /// Goes on with a text, or begins it.
    fn say(&mut self, voice: &Voice, behind: Option<String>, text: &str, frames: &mut Vec<Event>) {
        if text.is_empty() {
            return;
        }
        if !self.open.contains_key(voice) {
            // One speaker says one thing at a time.
            let before: Vec<_> =
                self.open.keys().filter(|(who, _)| *who == voice.0).cloned().collect();
            for other in before {
                if let Some(key) = self.open.remove(&other) {
                    frames.push(end_of(other.1, &key));
                }
            }
            let key = match behind {
                Some(anchor) => self.keys.next_behind(&anchor, voice.1),
                None => self.keys.next(voice.1),
            };
            frames.push(start_of(voice.1, &key));
            self.open.insert(voice.clone(), key);
        }
        if let Some(key) = self.open.get(voice) {
            frames.push(content_of(voice.1, key, text));
        }
    }

    /// Ends every text that is being said.
    fn close(&mut self, frames: &mut Vec<Event>) {
        let open = std::mem::take(&mut self.open);
        frames.extend(open.iter().map(|((_, kind), key)| end_of(kind, key)));
    }

    /// Says texts that nobody heard live.
    fn say_new(&self, before: &[(String, Entry)], frames: &mut Vec<Event>) {
        for (key, entry) in &self.shown {
            let (kind, text) = match entry {
                Entry::Assistant { text, .. } => ("assistant", text),
                Entry::System { text, .. } => ("system", text),
                Entry::Thinking { text, .. } => ("thinking", text),
                Entry::User { .. } | Entry::Step(_) | Entry::Ended { .. } => continue,
            };
            if !text.is_empty() && !before.iter().any(|(known, _)| known == key) {
                frames.push(start_of(kind, key));
                frames.push(content_of(kind, key, text));
                frames.push(end_of(kind, key));
            }
        }
    }

    fn begin(&mut self, call: &CallId, tool: &str, frames: &mut Vec<Event>) {
        if self.begun.insert(call.clone()) {
            let fields = json!({ "toolCallId": call, "toolCallName": tool });
            frames.push(Event::new("TOOL_CALL_START", fields));
        }
    }

    fn called(&mut self, call: &contract::Call, frames: &mut Vec<Event>) {
        self.begin(&call.id, &call.tool, frames);
        let args = json!({ "toolCallId": call.id, "delta": call.args.to_string() });
        frames.push(Event::new("TOOL_CALL_ARGS", args));
        frames.push(Event::new("TOOL_CALL_END", json!({ "toolCallId": call.id })));
    }

    fn settled(&mut self, turn: u64, settled: &SettledCall, frames: &mut Vec<Event>) {
        let SettledCall { call, auto, content, .. } = settled;
        if *auto {
            self.called(call, frames);
        }
        let content = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        frames.push(Event::new(
            "TOOL_CALL_RESULT",
            json!({
                "messageId": format!("{}.result", step_key(turn, &call.id)),
                "toolCallId": call.id,
                "content": content,
                "role": "tool",
            }),
        ));
    }

    /// Entries that are new or different, each with the one before it.
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

fn start_of(kind: &'static str, key: &str) -> Event {
    match kind {
        "thinking" => {
            Event::new("REASONING_MESSAGE_START", json!({ "messageId": key, "role": "reasoning" }))
        }
        role => Event::new("TEXT_MESSAGE_START", json!({ "messageId": key, "role": role })),
    }
}

fn content_of(kind: &'static str, key: &str, text: &str) -> Event {
    let event = match kind {
        "thinking" => "REASONING_MESSAGE_CONTENT",
        _ => "TEXT_MESSAGE_CONTENT",
    };
    Event::new(event, json!({ "messageId": key, "delta": text }))
}

fn end_of(kind: &'static str, key: &str) -> Event {
    let event = match kind {
        "thinking" => "REASONING_MESSAGE_END",
        _ => "TEXT_MESSAGE_END",
    };
    Event::new(event, json!({ "messageId": key }))
}
