//! What the model is sent: a pure function of the events so far.
//!
//! Must hold: whatever event is added, the messages so far stay as they are, byte for byte,
//! and new ones come after them, unless a person takes turns back. So what changes from turn
//! to turn (the dashboard, the results of auto tools) stands in the turn's own message and
//! not in the system prompt.

use contract::{Block, CallResult, Channel, Message, Part};
use serde_json::Value;

use super::event::{HowEnded, SettledCall};
use super::record::{Round, Streamed, Talk, TurnRecord};

/// The messages for the next request.
pub(crate) fn messages(talk: &Talk) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut before: Option<&TurnRecord> = None;
    for turn in &talk.turns {
        let mut blocks = said(turn, before.and_then(|turn| turn.ended.as_ref()));
        blocks.splice(1..1, noticed(talk, before.map_or(0, |turn| turn.number)));
        messages.push(Message::user(blocks));
        for (number, round) in turn.rounds.iter().enumerate() {
            let blocks = replied(round);
            if !blocks.is_empty() {
                messages.push(Message::assistant(blocks));
            }
            let mut blocks = results(round);
            let goes_on = turn.ended.is_none() || number + 1 < turn.rounds.len();
            if round.is_silent() && goes_on {
                blocks.push(Block::text(SILENT));
            }
            if !blocks.is_empty() {
                messages.push(Message::user(blocks));
            }
        }
        before = Some(turn);
    }
    messages
}

/// What a model is told that ended without a word: asked the same again, most say the same.
const SILENT: &str = "[Your answer was empty. Answer the user now, in words.]";

/// What tools left in the conversation since the turn before.
fn noticed(talk: &Talk, before: u64) -> Vec<Block> {
    let since = talk.notices.iter().filter(|notice| notice.after == before);
    since
        .map(|notice| format!("[A notice that the user has seen:]\n{}", notice.text))
        .map(Block::text)
        .collect()
}

/// The person's words, with what the host knows beside them.
fn said(turn: &TurnRecord, before: Option<&HowEnded>) -> Vec<Block> {
    // The words come first: whoever reads only one block reads them.
    let mut blocks = vec![Block::text(&turn.said)];
    if before == Some(&HowEnded::Cancelled) {
        blocks.push(Block::text("[The user stopped the answer before this one.]"));
    }
    for settled in &turn.auto {
        let SettledCall { call, content, is_error, .. } = settled;
        let state = if *is_error { " failed=\"true\"" } else { "" };
        let text = plain(content);
        blocks.push(Block::text(format!(
            "<auto_tool name=\"{}\"{state}>\n{text}\n</auto_tool>",
            call.tool
        )));
        let streamed = turn.streamed.iter().filter(|piece| piece.call == call.id);
        blocks.extend(heard(streamed, content, &call.tool));
    }
    match turn.dashboard.as_deref() {
        None | Some("") => {}
        Some(text) => {
            blocks.push(Block::text(format!("<STATUS_DASHBOARD>\n{text}\n</STATUS_DASHBOARD>")))
        }
    }
    blocks
}

/// The model's own blocks, without calls that arrived broken.
fn replied(round: &Round) -> Vec<Block> {
    let whole = |block: &&Block| !matches!(block.part, Part::TornCall { .. });
    round.reply.blocks.iter().filter(whole).cloned().collect()
}

/// A result for each call, in the order of the calls; then what else the model should know.
fn results(round: &Round) -> Vec<Block> {
    let settled = || round.reply.calls().filter_map(|call| round.settled.get(&call.id));
    let result = |settled: &SettledCall| {
        let SettledCall { call, content, is_error, .. } = settled;
        let (id, tool) = (call.id.clone(), call.tool.clone());
        Part::Result(CallResult { id, tool, content: content.clone(), is_error: *is_error }).into()
    };
    let mut blocks: Vec<Block> = settled().map(result).collect();
    for SettledCall { call, content, .. } in settled() {
        let streamed = round.streamed.iter().filter(|piece| piece.call == call.id);
        blocks.extend(heard(streamed, content, &call.tool));
    }
    if round.is_torn() {
        blocks.extend(round.reply.blocks.iter().filter_map(|block| torn(&block.part)));
    }
    blocks
}

fn torn(part: &Part) -> Option<Block> {
    let Part::TornCall { tool, why, .. } = part else { return None };
    Some(Block::text(format!(
        "[Your call of {tool} could not be read: {why}. Nothing was run; call it again.]"
    )))
}

/// What a tool said while it ran, channel by channel, unless its result says the same.
fn heard<'a>(
    streamed: impl Iterator<Item = &'a Streamed>,
    content: &Value,
    tool: &str,
) -> Vec<Block> {
    let mut texts: Vec<(Channel, String)> = Vec::new();
    for piece in streamed {
        match texts.iter_mut().find(|(channel, _)| *channel == piece.channel) {
            Some((_, text)) => text.push_str(&piece.text),
            None => texts.push((piece.channel, piece.text.clone())),
        }
    }
    let new = |(_, text): &(Channel, String)| content.as_str() != Some(text.as_str());
    let block = |(channel, text): (Channel, String)| {
        let how = match channel {
            Channel::Assistant => "has shown to the user as part of your answer",
            Channel::System => "has shown to the user as a notice",
            Channel::Context => "tells you, and not the user",
        };
        Block::text(format!("[{tool} {how}:]\n{text}"))
    };
    texts.into_iter().filter(new).map(block).collect()
}

/// A text as it is, anything else as JSON.
pub(super) fn plain(content: &Value) -> String {
    content.as_str().map_or_else(|| content.to_string(), str::to_owned)
}
