//! Messages as one wire has them: names and arguments spelled, native items only where
//! they go back.

use contract::{Block, Call, CallResult, Message, ModelFacts, Native, Part, Wire};

use crate::offered::Offered;

/// Spells the conversation so far for the model it goes to. Neighbours of one side are one
/// message, and results come first in it: they must follow their calls at once.
pub(crate) fn messages(messages: &[Message], to: &ModelFacts, offered: &Offered) -> Vec<Message> {
    let mut turns: Vec<Message> = Vec::new();
    for message in messages {
        let blocks = message.blocks.iter().map(|block| spell(block, to, offered));
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

fn spell(block: &Block, to: &ModelFacts, offered: &Offered) -> Block {
    let native = block.native.clone().filter(|native| goes_back(native, &block.part, to));
    let part = match &block.part {
        Part::Call(call) => Part::Call(wire_call(call, offered)),
        Part::Result(result) => {
            Part::Result(CallResult { tool: wire_name(&result.tool, offered), ..result.clone() })
        }
        Part::Text { .. }
        | Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Refusal { .. }
        | Part::Other { .. } => block.part.clone(),
    };
    Block { part, native }
}

/// An item goes back to the provider that sent it. Anthropic's thinking is bound to the
/// model as well.
fn goes_back(native: &Native, part: &Part, to: &ModelFacts) -> bool {
    let from_provider = native.from.split_once(':').map_or("", |(provider, _)| provider);
    let same_provider = Some(native.wire) == to.wire && from_provider == to.provider;
    let bound = native.wire == Wire::Anthropic && matches!(part, Part::Thinking { .. });
    same_provider && (!bound || native.from == to.to_string())
}

/// Arguments that the tool's plan cannot carry are sent as they are: they are history.
fn wire_call(call: &Call, offered: &Offered) -> Call {
    let encoded = offered.by_name(&call.tool).and_then(|tool| tool.plan.encode(&call.args).ok());
    Call {
        id: call.id.clone(),
        tool: wire_name(&call.tool, offered),
        args: encoded.unwrap_or_else(|| call.args.clone()),
    }
}

/// A name that is not on offer any more, or that a model made up, must still be a name.
fn wire_name(tool: &str, offered: &Offered) -> String {
    match offered.by_name(tool) {
        Some(tool) => tool.wire_name.clone(),
        None => {
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
            let name: String = tool.chars().map(plain).take(64).collect();
            if name.is_empty() { "unnamed".to_owned() } else { name }
        }
    }
}
