//! Imports a conversation from the entries that people have seen, as a new log.
//!
//! Must hold: every turn has its end and every call is settled, so that nothing in the file
//! can run, be approved, or be in the ledger; the new conversation shows the same entries.

use std::collections::BTreeSet;
use std::mem;

use contract::{Block, Call, CallId, Channel, Digest, FileRef, Part, Reply, StopReason, Usage};
use policy::{ConversationId, RuleId, VerdictKind};
use serde_json::{Value, json};

use crate::conversations::Conversations;
use crate::event::{ConversationEvent, EndReason, Opened, PartialKind, SettledCall};
use crate::fault::{ConversationFault, bad_name};
use crate::record::encode;
use crate::settings::ConversationSettings;
use crate::store_keys;
use crate::view::{Entry, Step, StepState};

const TURN_MAX: u64 = 1 << 32;
const NAME_BYTES_MAX: usize = 128;

impl Conversations {
    /// Creates a conversation with these settings and entries.
    pub async fn import(
        &self,
        id: &ConversationId,
        opened: Opened,
        settings: ConversationSettings,
        entries: Vec<Entry>,
    ) -> Result<(), ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let mut events = vec![ConversationEvent::Opened(opened)];
        if settings != ConversationSettings::default() {
            events.push(ConversationEvent::SettingsChanged { number: 1, settings });
        }
        events.extend(events_of(entries)?);
        for event in &events {
            if let ConversationEvent::Said { text, files, .. } = event {
                self.check_message(text, files)?;
            }
        }
        self.keep_imported(id, &events).await?;
        for some in events.chunks(256) {
            let records = some.iter().map(|event| {
                let (body, key) = encode(self.engine.now(), event)?;
                Ok((body, Some(key)))
            });
            let records = records.collect::<Result<Vec<_>, ConversationFault>>()?;
            self.engine.store().log().append_all(&log, records).await?;
        }
        Ok(())
    }
}

/// The events that are shown as these entries.
fn events_of(entries: Vec<Entry>) -> Result<Vec<ConversationEvent>, ConversationFault> {
    let mut writer = EventBuilder::default();
    for (at, entry) in entries.into_iter().enumerate() {
        let bad = |because| ConversationFault::BadEntry { entry: at + 1, because };
        writer.add(at, entry).map_err(bad)?;
    }
    writer.end_turn(EndReason::Answered);
    Ok(writer.events)
}

#[derive(Default)]
struct EventBuilder {
    events: Vec<ConversationEvent>,
    /// 0 before the first.
    turn: u64,
    is_open: bool,
    is_prepared: bool,
    /// The answer that is being assembled, and the outcomes of its calls.
    blocks: Vec<Block>,
    settled: Vec<SettledCall>,
    streamed: Vec<(CallId, String)>,
    round: u32,
    attempt: u32,
    calls: BTreeSet<CallId>,
}

impl EventBuilder {
    fn add(&mut self, at: usize, entry: Entry) -> Result<(), &'static str> {
        let turn = entry.turn();
        if let Entry::User { text, files, model, .. } = entry {
            return self.begin_turn(turn, text, files, model);
        }
        if turn != self.turn {
            return Err("is of a turn that has no `user` entry before it");
        }
        match entry {
            Entry::User { .. } => Ok(()),
            Entry::System { text, .. } => {
                match self.settled.last() {
                    Some(settled) if self.is_open => {
                        self.streamed.push((settled.call.id.clone(), text));
                    }
                    Some(_) | None => self.notice(at, text),
                }
                Ok(())
            }
            Entry::Assistant { text, .. } => self.say(Part::Text { text }),
            Entry::Thinking { text, .. } => self.say(Part::Thinking { text }),
            Entry::Step(step) => self.call(*step),
            Entry::BrokeOff { .. } => self.break_off(),
            Entry::Ended { how, .. } => match self.is_open {
                true => {
                    if !matches!(how, EndReason::Answered | EndReason::CutOff) {
                        self.leave_partial();
                    }
                    self.end_turn(how);
                    Ok(())
                }
                false => Err("ends a turn that has no beginning or ended before"),
            },
        }
    }

    fn begin_turn(
        &mut self,
        turn: u64,
        text: String,
        files: Vec<FileRef>,
        model: Option<String>,
    ) -> Result<(), &'static str> {
        if model.as_ref().is_some_and(|model| !is_name(model)) {
            return Err("has a `model` that is no name");
        }
        if turn <= self.turn || turn > TURN_MAX {
            return Err("has a `turn` that is not greater than the one before");
        }
        self.end_turn(EndReason::Answered);
        (self.turn, self.is_open, self.is_prepared, self.round) = (turn, true, false, 0);
        self.attempt = 0;
        self.calls.clear();
        self.events.push(ConversationEvent::Said { turn, text, files, model });
        Ok(())
    }

    fn say(&mut self, part: Part) -> Result<(), &'static str> {
        if !self.is_open {
            return Err("is an answer in a turn that has ended");
        }
        if !self.settled.is_empty() {
            self.end_round();
        }
        self.prepare();
        self.blocks.push(part.into());
        Ok(())
    }

    fn call(&mut self, step: Step) -> Result<(), &'static str> {
        let Step { call: id, tool, args, changed_from, auto, state, .. } = step;
        if !self.is_open {
            return Err("is a call in a turn that has ended");
        }
        if !is_name(&id.0)
            || !is_name(&tool)
            || !args.is_object()
            || changed_from.as_ref().is_some_and(|own| !own.is_object())
        {
            return Err("is a call without a name, an id or arguments");
        }
        if !self.calls.insert(id.clone()) {
            return Err("is a call whose id is used twice in its turn");
        }
        if auto && (self.is_prepared || !self.blocks.is_empty()) {
            return Err("is an automatic call, but comes after the answer");
        }
        let (args, edited) = match changed_from {
            Some(own) => (own, Some(args)),
            None => (args, None),
        };
        let call = Call { id, tool, args };
        if auto {
            self.end_round();
        } else {
            self.prepare();
            self.blocks.push(Part::Call(call.clone()).into());
        }
        self.settled.push(SettledCall { auto, edited, ..settled(call, state) });
        Ok(())
    }

    /// Automatic calls come first; then the turn is prepared.
    fn prepare(&mut self) {
        if !self.is_prepared {
            self.end_round();
            self.is_prepared = true;
            self.events.push(ConversationEvent::Dashboard { turn: self.turn, text: String::new() });
        }
    }

    /// The answer so far was interrupted, and the model was asked again.
    fn break_off(&mut self) -> Result<(), &'static str> {
        if !self.is_open {
            return Err("is a break in a turn that has ended");
        }
        if self.leave_partial() {
            let (turn, round, attempt) = (self.turn, self.round, self.attempt);
            self.events.push(ConversationEvent::BrokeOff { turn, round, attempt });
            self.attempt += 1;
        }
        Ok(())
    }

    /// Writes the answer that is being assembled as an incomplete one.
    fn leave_partial(&mut self) -> bool {
        if !self.settled.is_empty() {
            self.end_round();
        }
        let (turn, round, attempt) = (self.turn, self.round, self.attempt);
        let blocks = mem::take(&mut self.blocks);
        for (part, block) in (0..).zip(&blocks) {
            let (kind, text) = match &block.part {
                Part::Text { text } => (PartialKind::Text, text.clone()),
                Part::Thinking { text } => (PartialKind::Thinking, text.clone()),
                Part::Call(_)
                | Part::TornCall { .. }
                | Part::Result(_)
                | Part::Refusal { .. }
                | Part::Other { .. }
                | Part::File(_) => continue,
            };
            self.events.push(ConversationEvent::Partial { turn, round, attempt, part, kind, text });
        }
        !blocks.is_empty()
    }

    fn notice(&mut self, at: usize, text: String) {
        // A notice comes after everything else in its turn.
        self.end_turn(EndReason::Answered);
        self.events.push(ConversationEvent::Noticed { id: format!("imported.{at}"), text });
    }

    fn end_round(&mut self) {
        let turn = self.turn;
        let blocks = mem::take(&mut self.blocks);
        let has_reply = !blocks.is_empty();
        let round = self.round;
        if has_reply {
            let is_call = |block: &Block| matches!(block.part, Part::Call(_));
            let stop =
                if blocks.iter().any(is_call) { StopReason::ToolUse } else { StopReason::EndTurn };
            let (usage, model) = (Usage::default(), "imported".to_owned());
            let reply = Reply { blocks, stop, usage, model, shaped: None };
            let request = Digest::of(b"imported");
            self.events.push(ConversationEvent::Replied { turn, round, request, reply });
            self.round += 1;
            self.attempt = 0;
        }
        for (part, (call, text)) in (0..).zip(mem::take(&mut self.streamed)) {
            let channel = Channel::System;
            let round = self.round;
            self.events.push(ConversationEvent::Streamed {
                turn,
                round,
                call,
                part,
                channel,
                text,
            });
        }
        for settled in mem::take(&mut self.settled) {
            self.events.push(ConversationEvent::Settled { turn, round, settled });
        }
    }

    fn end_turn(&mut self, how: EndReason) {
        if mem::take(&mut self.is_open) {
            self.end_round();
            self.prepare();
            self.events.push(ConversationEvent::Ended { turn: self.turn, how });
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && !text.chars().any(char::is_control)
}

/// A call with its recorded outcome. A call that was waiting was not made, and will not be.
fn settled(call: Call, state: StepState) -> SettledCall {
    let (content, duration, verdict, is_error, notes) = match state {
        StepState::Done { content, duration, verdict } => {
            (content, duration, verdict, false, Vec::new())
        }
        StepState::Failed { content, duration, verdict, notes } => {
            (content, duration, verdict, true, notes)
        }
        StepState::Open
        | StepState::Asked { .. }
        | StepState::Questioned { .. }
        | StepState::InDoubt => {
            (not_made(), None, VerdictKind::Refuse.as_str().to_owned(), true, Vec::new())
        }
    };
    SettledCall {
        call,
        edited: None,
        auto: false,
        verdict,
        rule: RuleId::IMPORTED,
        content,
        is_error,
        intents: Vec::new(),
        artifacts: Vec::new(),
        duration,
        notes,
    }
}

fn not_made() -> Value {
    let message = "The conversation was exported before this call ended; it is not run.";
    json!({ "type": "PERMANENT", "message": message, "retryable": false })
}
