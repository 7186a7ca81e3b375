//! The messages for the model: a pure function of the events so far.
//!
//! Must hold: when an event is added, the earlier messages stay the same, byte for byte, and
//! new ones come after them, unless a person takes turns back. So what changes from turn to
//! turn (the dashboard, the results of auto tools) is in the turn's own message and not in the
//! system prompt.

use contract::{Artifact, Block, CallResult, Channel, Chunk, FileContent, FilePart, Message, Part};
use serde_json::{Map, Value, json};

use crate::event::{EndReason, PromptForm, SettledCall};
use crate::state::{Conversation, Round, Streamed, TurnState};
use crate::voice::told::told;
use engine::clip;

/// The messages for the next request.
pub(crate) fn messages(conversation: &Conversation) -> Vec<Message> {
    let form =
        conversation.opened.as_ref().map_or_else(PromptForm::default, |opened| opened.prompt);
    let mut messages = Vec::new();
    let mut before: Option<&TurnState> = None;
    for turn in &conversation.turns {
        let mut blocks = user_blocks(turn, before, form);
        let since = before.map_or(0, |turn| turn.number);
        blocks.splice(
            1..1,
            told(conversation, since).into_iter().chain(noticed(conversation, since)),
        );
        messages.push(Message::user(blocks));
        for (at, round) in turn.rounds.iter().enumerate() {
            messages.extend(broken_off(turn, at));
            let blocks = replied(round);
            if !blocks.is_empty() {
                messages.push(Message::assistant(blocks));
            }
            let mut blocks = results(round, form);
            let continues = turn.ended.is_none() || at + 1 < turn.rounds.len();
            if round.is_silent() && continues {
                blocks.push(Block::text(SILENT));
            }
            if !blocks.is_empty() {
                messages.push(Message::user(blocks));
            }
        }
        messages.extend(broken_off(turn, turn.rounds.len()));
        before = Some(turn);
    }
    messages
}

/// Sent after an empty answer: asked the same again, most models answer the same.
const SILENT: &str = "[Your answer was empty. Answer the user now, in words.]";

/// The notices that tools left since the previous turn.
fn noticed(conversation: &Conversation, before: u64) -> Vec<Block> {
    let since = conversation.notices.iter().filter(|notice| notice.after == before);
    since
        .map(|notice| format!("[A notice that the user has seen:]\n{}", notice.text))
        .map(Block::text)
        .collect()
}

/// The person's message, followed by the dashboard and the results of auto tools.
fn user_blocks(turn: &TurnState, before: Option<&TurnState>, form: PromptForm) -> Vec<Block> {
    // The message comes first, for readers that read only one block.
    let mut blocks = vec![Block::text(&turn.message)];
    blocks.extend(turn.files.iter().map(|file| {
        let content = FileContent::NotLoaded;
        Part::File(FilePart { file: file.clone(), content }).into()
    }));
    blocks.extend(before.and_then(interrupted).map(Block::text));
    for settled in &turn.auto {
        let SettledCall { call, content, is_error, .. } = settled;
        let state = if *is_error { " failed=\"true\"" } else { "" };
        let chunks = chunks(turn.streamed.iter().filter(|piece| piece.call == call.id), content);
        let text = match form {
            PromptForm::Beside => plain(content),
            PromptForm::InResult => plain(&whole_result(settled, &chunks)),
        };
        blocks.push(Block::text(format!(
            "<auto_tool name=\"{}\"{state}>\n{text}\n</auto_tool>",
            call.tool
        )));
        if form == PromptForm::Beside {
            blocks.extend(chunks.into_iter().map(|chunks| beside(chunks, &call.tool)));
            blocks.extend(artifacts_beside(settled));
        }
    }
    match turn.dashboard.as_deref() {
        None | Some("") => {}
        Some(text) => {
            blocks.push(Block::text(format!("<STATUS_DASHBOARD>\n{text}\n</STATUS_DASHBOARD>")))
        }
    }
    blocks
}

/// A note if the answer of a turn was interrupted.
fn interrupted(turn: &TurnState) -> Option<&'static str> {
    let is_partial = turn.open_partial().is_some_and(|partial| !partial.text().is_empty());
    match (turn.ended.as_ref()?, is_partial) {
        (EndReason::Cancelled, true) => {
            Some("[The user stopped the answer above before it was finished.]")
        }
        (EndReason::Cancelled, false) => Some("[The user stopped the answer before this one.]"),
        (EndReason::Answered, _) => None,
        (_, true) => Some("[The answer above broke off before it was finished.]"),
        (_, false) => None,
    }
}

/// The text of interrupted answers in a round, as far as people have seen it. It has no thinking
/// and no incomplete calls: providers accept these only as they sent them.
fn broken_off(turn: &TurnState, round: usize) -> Vec<Message> {
    let mut messages = Vec::new();
    for partial in turn.partial.iter().filter(|partial| partial.round == round) {
        let text = partial.text();
        // An answer that is still being written is not a message yet.
        if text.is_empty() || (partial.broke_off.is_none() && turn.ended.is_none()) {
            continue;
        }
        messages.push(Message::assistant(vec![Block::text(text)]));
        if partial.broke_off.is_some() {
            messages.push(Message::user(vec![Block::text(ASKED_AGAIN)]));
        }
    }
    messages
}

const ASKED_AGAIN: &str = "[Your answer broke off here, and the user has seen it so far. Please \
                           answer again.]";

/// The model's own blocks, without incomplete calls.
fn replied(round: &Round) -> Vec<Block> {
    let whole = |block: &&Block| !matches!(block.part, Part::TornCall { .. });
    round.reply.blocks.iter().filter(whole).cloned().collect()
}

/// A result for each call, in the order of the calls; then further notes for the model.
fn results(round: &Round, form: PromptForm) -> Vec<Block> {
    let settled = || round.reply.calls().filter_map(|call| round.settled.get(&call.id));
    let of = |settled: &SettledCall| {
        let streamed = round.streamed.iter().filter(|piece| piece.call == settled.call.id);
        chunks(streamed, &settled.content)
    };
    let result = |settled: &SettledCall| {
        let SettledCall { call, content, is_error, .. } = settled;
        let content = match form {
            PromptForm::Beside => content.clone(),
            PromptForm::InResult => whole_result(settled, &of(settled)),
        };
        let (id, tool) = (call.id.clone(), call.tool.clone());
        Part::Result(CallResult { id, tool, content, is_error: *is_error }).into()
    };
    let mut blocks: Vec<Block> = settled().map(result).collect();
    if form == PromptForm::Beside {
        for one in settled() {
            blocks.extend(one.edited.as_ref().map(|args| changed(&one.call.tool, args)));
            blocks.extend(of(one).into_iter().map(|chunks| beside(chunks, &one.call.tool)));
            blocks.extend(artifacts_beside(one));
        }
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

/// The chunks of a tool, joined by channel, unless its result is the same text.
fn chunks<'a>(
    streamed: impl Iterator<Item = &'a Streamed>,
    content: &Value,
) -> Vec<(Channel, String)> {
    let mut texts: Vec<(Channel, String)> = Vec::new();
    for piece in streamed {
        match texts.iter_mut().find(|(channel, _)| *channel == piece.channel) {
            Some((_, text)) => text.push_str(&piece.text),
            None => texts.push((piece.channel, piece.text.clone())),
        }
    }
    texts.retain(|(_, text)| content.as_str() != Some(text.as_str()));
    texts
}

/// The chunks of a tool as a separate text block.
fn beside((channel, text): (Channel, String), tool: &str) -> Block {
    let how = match channel {
        Channel::Assistant => "has shown to the user as part of your answer",
        Channel::System => "has shown to the user as a notice",
        Channel::Context => "tells you, and not the user",
    };
    Block::text(format!("[{tool} {how}:]\n{text}"))
}

/// A note about arguments that a person changed.
fn changed(tool: &str, args: &Value) -> Block {
    Block::text(format!("[The user changed the arguments of {tool}. It ran with:]\n{args}"))
}

/// How much of one channel of a tool the model gets.
const TOLD_BYTES_MAX: usize = 64 << 10;

/// A result together with the arguments that a person entered instead of the model's, and with
/// the chunks of its tool; the names of the fields say who has seen them.
fn whole_result(settled: &SettledCall, chunks: &[(Channel, String)]) -> Value {
    let content = &settled.content;
    if chunks.is_empty() && settled.edited.is_none() && settled.artifacts.is_empty() {
        return content.clone();
    }
    // The model knows the fields of an error.
    let mut whole = match (settled.is_error, content) {
        (true, Value::Object(fields)) => fields.clone(),
        (_, Value::Null) => Map::new(),
        (_, content) => Map::from_iter([("result".to_owned(), content.clone())]),
    };
    if let Some(args) = &settled.edited {
        whole.insert("arguments_changed_by_user".to_owned(), args.clone());
    }
    for (channel, text) in chunks {
        let name = match channel {
            Channel::Assistant => "shown_to_user_in_your_answer",
            Channel::System => "shown_to_user_as_notice",
            Channel::Context => "for_you_and_not_the_user",
        };
        whole.insert(name.to_owned(), clip(text, TOLD_BYTES_MAX).into());
    }
    if !settled.artifacts.is_empty() {
        whole.insert("files_shown_to_user".to_owned(), told_artifacts(settled));
    }
    Value::Object(whole)
}

/// The files of a tool as a separate text block.
fn artifacts_beside(settled: &SettledCall) -> Option<Block> {
    let told = told_artifacts(settled);
    let tool = &settled.call.tool;
    (!settled.artifacts.is_empty())
        .then(|| Block::text(format!("[{tool} has shown these files to the user:]\n{told}")))
}

/// The files of a tool: what each is, and its text unless the result has it already. Together
/// they are as long as a result may be.
fn told_artifacts(settled: &SettledCall) -> Value {
    let bytes_max = TOLD_BYTES_MAX / settled.artifacts.len().max(1);
    let told = settled.artifacts.iter().map(|Artifact { name, language, text }| {
        let mut told = json!({ "name": name, "language": language, "bytes": text.len() });
        if !has_text(&settled.content, text) {
            told["text"] = clip(text, bytes_max).into();
        }
        told
    });
    told.collect()
}

/// Whether a value has this text in it, itself or in one of its fields.
fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found == text,
        Value::Array(items) => items.iter().any(|item| item == text),
        Value::Object(fields) => fields.values().any(|field| field == text),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A result as the model gets it, with what its tool sent while it ran.
pub(crate) fn result_with_chunks(settled: &SettledCall, sent: Vec<Chunk>) -> Value {
    let call = &settled.call.id;
    let streamed: Vec<Streamed> = sent
        .into_iter()
        .map(|Chunk { channel, text }| Streamed { call: call.clone(), channel, text, event: 0 })
        .collect();
    whole_result(settled, &chunks(streamed.iter(), &settled.content))
}

/// A string unchanged, anything else as JSON.
pub(crate) fn plain(content: &Value) -> String {
    content.as_str().map_or_else(|| content.to_string(), str::to_owned)
}
