//! What the model of a later text turn is told about a voice session, once.

use std::collections::BTreeSet;

use contract::Block;
use voice::{Asker, CallEvent, Line, Speaker, VoiceEvent};

use super::VoiceSession;
use crate::state::Conversation;
use crate::turn::prompt::plain;
use engine::clip;

/// How much of one session, and of one result in it, the model is told.
const SESSION_BYTES_MAX: usize = 64 << 10;
const RESULT_BYTES_MAX: usize = 2 << 10;

/// The sessions since a text turn, for the message of the next one.
pub(crate) fn told(conversation: &Conversation, before: u64) -> Vec<Block> {
    let since = conversation.voice.iter().filter(|session| session.after == before);
    since.flat_map(session_blocks).collect()
}

fn session_blocks(session: &VoiceSession) -> Vec<Block> {
    let Some(state) = session.state() else { return Vec::new() };
    let mut parts: Vec<(policy::Timestamp, String)> =
        state.transcript().iter().map(|line| (line.at, spoken(line))).collect();
    let mut forms = BTreeSet::new();
    for (_, entry) in &session.entries {
        if let VoiceEvent::Call(CallEvent::Settled { call, result }) = &entry.event {
            let content = clip(&plain(&result.content), RESULT_BYTES_MAX);
            let whose = if forms.contains(call) { "the" } else { "your" };
            parts.push((entry.at, format!("[The result of {whose} call {call}:] {content}")));
        } else if let VoiceEvent::Call(CallEvent::Asked { call, by, .. }) = &entry.event {
            let (id, tool, args) = (&call.id, &call.tool, &call.args);
            let text = match by {
                Asker::Model => format!("[Your call {id} of {tool}:] {args}"),
                Asker::Form { tool, .. } => {
                    forms.insert(id.clone());
                    format!("[The user sent the form of {tool}, as the call {id}:] {args}")
                }
            };
            parts.push((entry.at, text));
        }
    }
    parts.sort_by_key(|(at, _)| *at);
    let mut blocks = Vec::new();
    if !parts.is_empty() {
        let text: Vec<_> = parts.into_iter().map(|(_, text)| text).collect();
        let text = clip(&text.join("\n"), SESSION_BYTES_MAX);
        let head =
            "[Before this message the user and you talked by voice. What was said and heard:]";
        blocks.push(Block::text(format!("{head}\n{text}")));
    }
    let waiting = state.pending().iter();
    blocks.extend(waiting.map(|text| Block::text(format!("[Left for this turn:]\n{text}"))));
    blocks
}

fn spoken(line: &Line) -> String {
    let who = match line.speaker {
        Speaker::User => "User",
        Speaker::Assistant => "You",
        Speaker::Host => "The program",
    };
    format!("{who}: {}", line.text)
}
