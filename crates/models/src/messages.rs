//! Messages for one wire: names and arguments encoded, native items only for their own
//! provider, files in words unless they are pictures that the model sees.

use contract::{Block, Call, CallResult, Message, ModelFacts, Native, Part, Role, Sight, Wire};
use serde_json::Value;

use crate::tools::WireTools;

/// Encodes the conversation for one model. Consecutive messages of one role are joined, and
/// results come first in them, because they must directly follow their calls.
pub(crate) fn messages(
    messages: &[Message],
    to: &ModelFacts,
    sight: Sight,
    offered: &WireTools,
) -> Vec<Message> {
    let encode = |block, role| encode(block, role, to, sight, offered);
    let mut turns: Vec<Message> = Vec::new();
    for message in messages {
        let blocks = message.blocks.iter().map(|block| encode(block, message.role));
        match turns.last_mut().filter(|turn| turn.role == message.role) {
            Some(turn) => turn.blocks.extend(blocks),
            None => turns.push(Message { role: message.role, blocks: blocks.collect() }),
        }
    }
    for turn in &mut turns {
        turn.blocks.sort_by_key(|block| !matches!(block.part, Part::Result(_)));
    }
    turns
}

fn encode(block: &Block, role: Role, to: &ModelFacts, sight: Sight, offered: &WireTools) -> Block {
    let native = block.native.clone().filter(|native| goes_back(native, &block.part, to));
    let part = match &block.part {
        Part::Call(call) => Part::Call(wire_call(call, offered)),
        Part::Result(result) => Part::Result(CallResult {
            tool: wire_name(&result.tool, offered),
            content: match result.is_error {
                true => renamed(&result.content, offered),
                false => result.content.clone(),
            },
            ..result.clone()
        }),
        Part::Text { text } if role == Role::User => {
            Part::Text { text: respelled_heading(text, offered) }
        }
        Part::File(file) => match file.in_words(sight) {
            Some(text) => Part::Text { text },
            None => block.part.clone(),
        },
        Part::Text { .. }
        | Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Refusal { .. }
        | Part::Other { .. } => block.part.clone(),
    };
    Block { part, native }
}

/// An item is sent back only to the provider that sent it. Anthropic's thinking is bound to
/// the model as well.
fn goes_back(native: &Native, part: &Part, to: &ModelFacts) -> bool {
    let from_provider = native.from.split_once(':').map_or("", |(provider, _)| provider);
    let same_provider = Some(native.wire) == to.wire && from_provider == to.provider;
    let bound = native.wire == Wire::Anthropic && matches!(part, Part::Thinking { .. });
    same_provider && (!bound || native.from == to.to_string())
}

/// Arguments that the tool's plan cannot encode are sent unchanged: they are history.
fn wire_call(call: &Call, offered: &WireTools) -> Call {
    let encoded = offered.by_name(&call.tool).and_then(|tool| tool.plan.encode(&call.args).ok());
    Call {
        id: call.id.clone(),
        tool: wire_name(&call.tool, offered),
        args: encoded.unwrap_or_else(|| call.args.clone()),
    }
}

/// A tool that is no longer offered, or that a model invented, still needs a valid name.
fn wire_name(tool: &str, offered: &WireTools) -> String {
    match offered.by_name(tool) {
        Some(tool) => tool.wire_name.clone(),
        None => {
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
            let name: String = tool.chars().map(plain).take(64).collect();
            if name.is_empty() { "unnamed".to_owned() } else { name }
        }
    }
}

/// Replaces tool names in our own messages by the names that the model knows.
fn renamed(content: &Value, offered: &WireTools) -> Value {
    match content {
        Value::String(text) => Value::String(renamed_text(text, offered)),
        Value::Array(list) => list.iter().map(|one| renamed(one, offered)).collect(),
        Value::Object(map) => {
            let one = |(key, value): (&String, &Value)| (key.clone(), renamed(value, offered));
            Value::Object(map.iter().map(one).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => content.clone(),
    }
}

fn renamed_text(text: &str, offered: &WireTools) -> String {
    let mut text = text.to_owned();
    for tool in offered.renamed().filter(|tool| tool.name.contains('.')) {
        if text.contains(&tool.name) {
            text = replace_word(&text, &tool.name, &tool.wire_name);
        }
    }
    text
}

/// Replaces a name as a whole word, not inside a longer one.
fn replace_word(text: &str, name: &str, by: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(name) {
        let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        out.push_str(before);
        out.push_str(if whole { by } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Replaces the name in the first line, which is ours; the rest is the tool's own text.
fn respelled_heading(text: &str, offered: &WireTools) -> String {
    if !text.starts_with('[') && !text.starts_with("<auto_tool ") {
        return text.to_owned();
    }
    let (heading, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
    format!("{}{rest}", renamed_text(heading, offered))
}
