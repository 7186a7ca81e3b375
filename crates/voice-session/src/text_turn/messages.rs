//! The messages of a spoken conversation, as a text model gets them.

use contract::{Block, Call, CallId, CallResult, Message, Part, Reply, Role};
use serde_json::{Value, json};
use voice::{Line, Speaker};

/// The messages so far.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    list: Vec<Message>,
    /// The calls of the newest reply, each with its result when it has one.
    calls: Vec<(Call, Option<Block>)>,
    /// Calls that could not be read; each is answered once too.
    torn: Vec<CallId>,
    /// For the next message of the user.
    notes: Vec<String>,
    /// The last message is an answer that was broken off, and nothing of it was heard yet.
    is_unheard: bool,
    is_running: bool,
}

impl Messages {
    /// After what was said before.
    pub(crate) fn of(history: &[Line]) -> Self {
        let mut messages = Self::default();
        for line in history {
            let block = Block::text(&line.text);
            match line.speaker {
                Speaker::User => messages.push(Role::User, vec![block]),
                Speaker::Assistant | Speaker::Host => messages.push(Role::Assistant, vec![block]),
            }
        }
        messages
    }

    pub(crate) fn list(&self) -> &[Message] {
        &self.list
    }

    /// The person said something: a turn begins.
    pub(crate) fn said(&mut self, texts: &[String]) {
        if std::mem::take(&mut self.is_unheard) {
            self.list.pop();
        }
        self.torn.clear();
        self.close_calls();
        let notes = std::mem::take(&mut self.notes);
        let blocks: Vec<_> = notes.iter().chain(texts).map(Block::text).collect();
        self.push(Role::User, blocks);
        self.is_running = true;
    }

    pub(crate) fn stop(&mut self) {
        self.is_running = false;
    }

    pub(crate) fn replied(&mut self, reply: &Reply) {
        let whole = |block: &&Block| !matches!(block.part, Part::TornCall { .. });
        let blocks: Vec<Block> = reply.blocks.iter().filter(whole).cloned().collect();
        self.push(Role::Assistant, blocks);
        self.calls = reply.calls().map(|call| (call.clone(), None)).collect();
        for block in &reply.blocks {
            if let Part::TornCall { id, tool, why, .. } = &block.part {
                self.torn.push(id.clone());
                self.notes.push(format!(
                    "[Your call of {tool} could not be read: {why}. Nothing was run; call it again.]"
                ));
            }
        }
    }

    /// An answer was given up while it was written; what was heard of it is still to come.
    pub(crate) fn broke_off(&mut self, written: String) {
        if !written.trim().is_empty() {
            self.push(Role::Assistant, vec![Block::text(written)]);
            self.is_unheard = true;
        }
    }

    /// The same for an answer that failed: what there is of it is spoken.
    pub(crate) fn failed(&mut self, written: String) {
        self.broke_off(written);
        self.is_unheard = false;
    }

    /// Takes the result of a call. Says whether the model has to be asked again.
    pub(crate) fn answered(&mut self, id: &CallId, content: &Value, failed: bool) -> bool {
        self.torn.retain(|torn| torn != id);
        for (call, result) in &mut self.calls {
            if call.id == *id && result.is_none() {
                let (id, tool, content) = (id.clone(), call.tool.clone(), content.clone());
                *result =
                    Some(Part::Result(CallResult { id, tool, content, is_error: failed }).into());
            }
        }
        let is_complete =
            self.torn.is_empty() && self.calls.iter().all(|(_, result)| result.is_some());
        if is_complete {
            self.close_calls();
            let notes = std::mem::take(&mut self.notes);
            self.push(Role::User, notes.iter().map(Block::text).collect());
        }
        is_complete && self.is_running
    }

    pub(crate) fn inform(&mut self, text: &str) {
        self.notes.push(format!("[{text}]"));
    }

    /// Only this much of an answer was heard; `later` answers came after it.
    pub(crate) fn heard_only(&mut self, heard: &str, later: u32) {
        let is_answer = |message: &Message| {
            message.role == Role::Assistant && !message.text().trim().is_empty()
        };
        let mut answers = (0..self.list.len()).rev().filter(|at| is_answer(&self.list[*at]));
        let Some(at) = answers.nth(later as usize) else { return };
        if later == 0 {
            self.is_unheard = false;
        }
        let message = &mut self.list[at];
        let calls = message.blocks.drain(..).filter(|block| matches!(block.part, Part::Call(_)));
        let heard = Some(heard.trim()).filter(|heard| !heard.is_empty()).map(Block::text);
        let blocks: Vec<Block> = heard.into_iter().chain(calls).collect();
        match blocks.is_empty() {
            true => drop(self.list.remove(at)),
            false => self.list[at].blocks = blocks,
        }
    }

    /// Every call has a result before anything else is said.
    fn close_calls(&mut self) {
        let results: Vec<Block> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|(call, result)| {
                result.unwrap_or_else(|| {
                    let message = "The conversation went on before this call ended.";
                    let content = json!({ "status": "in_progress", "message": message });
                    let (id, tool) = (call.id, call.tool);
                    Part::Result(CallResult { id, tool, content, is_error: false }).into()
                })
            })
            .collect();
        self.push(Role::User, results);
    }

    /// Consecutive messages of the user are one; each answer stays one of its own.
    fn push(&mut self, role: Role, blocks: Vec<Block>) {
        if blocks.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some(last) if last.role == role && role == Role::User => last.blocks.extend(blocks),
            Some(_) | None => self.list.push(Message { role, blocks }),
        }
    }
}
