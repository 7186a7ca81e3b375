//! The blocks of an answer while it is being read, and their final form.
//!
//! Must hold: a call that was cut off by the token limit is torn, even if the rest happens to
//! be JSON; so is a call whose arguments are not JSON. A torn call has no native item.

use contract::{Block, Call, CallId, Native, Part, StopReason, Wire};
use serde_json::{Map, Value};

/// One part in the order of the answer.
#[derive(Debug, Clone)]
pub(super) enum PartialBlock {
    Block(Block),
    Call(CallDraft),
}

/// A call whose arguments are still text.
#[derive(Debug, Clone, Default)]
pub(super) struct CallDraft {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) native: Value,
}

impl CallDraft {
    /// The arguments as JSON; an empty text means no arguments.
    pub(super) fn parsed(&self) -> Result<Value, serde_json::Error> {
        if self.arguments.trim().is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        serde_json::from_str(&self.arguments)
    }
}

/// A block with its native item.
pub(super) fn native_block(wire: Wire, part: Part, item: Value) -> PartialBlock {
    PartialBlock::Block(Block { part, native: Some(native(wire, item)) })
}

/// The client adds the sender.
fn native(wire: Wire, item: Value) -> Native {
    Native { wire, from: String::new(), item }
}

/// The final blocks, once it is known how the answer ended.
pub(super) fn settle(wire: Wire, pieces: Vec<PartialBlock>, stop: &StopReason) -> Vec<Block> {
    let cut = matches!(stop, StopReason::MaxTokens | StopReason::ContextExceeded);
    let last = pieces.len().saturating_sub(1);
    let settled = |(index, piece)| match piece {
        PartialBlock::Block(block) => block,
        PartialBlock::Call(draft) if cut && index == last => {
            torn(draft, "the answer ended before the call did".to_owned())
        }
        PartialBlock::Call(draft) => match draft.parsed() {
            Ok(args) => {
                let CallDraft { id, name, native: item, .. } = draft;
                let part = Part::Call(Call { id: CallId(id), tool: name, args });
                Block { part, native: Some(native(wire, item)) }
            }
            Err(error) => torn(draft, format!("the arguments are not valid JSON ({error})")),
        },
    };
    pieces.into_iter().enumerate().map(settled).collect()
}

fn torn(draft: CallDraft, why: String) -> Block {
    let CallDraft { id, name, arguments, .. } = draft;
    Part::TornCall { id: CallId(id), tool: name, text: arguments, why }.into()
}
