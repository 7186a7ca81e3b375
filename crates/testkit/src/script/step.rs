//! One answer of the scripted model, built in order.

use contract::{
    Block, Call, CallId, Delta, FaultKind, ModelFault, Part, Reply, Request, Rung, StopReason,
    StructuredReply, Usage,
};
use serde_json::Value;

use crate::Gate;

/// What the model does when it is asked once.
#[derive(Debug, Clone)]
pub struct Step {
    acts: Vec<Act>,
    stop: Option<StopReason>,
    usage: Usage,
    shaped: Option<StructuredReply>,
    fault: Option<ModelFault>,
}

#[derive(Debug, Clone)]
enum Act {
    Say(Block),
    /// A call whose id is not decided yet.
    Call {
        tool: String,
        args: Value,
    },
    Wait(Gate),
}

/// An answer in words.
pub fn says(text: &str) -> Step {
    Step::new().says(text)
}

/// An answer that begins with thinking.
pub fn thinks(text: &str) -> Step {
    Step::new().thinks(text)
}

/// An answer that calls a tool.
pub fn calls(tool: &str, args: Value) -> Step {
    Step::new().calls(tool, args)
}

/// No answer.
pub fn fails(fault: ModelFault) -> Step {
    Step { fault: Some(fault), ..Step::new() }
}

impl Default for Step {
    fn default() -> Self {
        Self::new()
    }
}

impl Step {
    /// An empty answer.
    pub fn new() -> Self {
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        Self { acts: Vec::new(), stop: None, usage, shaped: None, fault: None }
    }

    #[must_use]
    pub fn says(self, text: &str) -> Self {
        self.block(Block::text(text))
    }

    #[must_use]
    pub fn thinks(self, text: &str) -> Self {
        self.block(Part::Thinking { text: text.into() }.into())
    }

    /// A call; its id is numbered, `call-1`, `call-2`, … over the model's life.
    #[must_use]
    pub fn calls(mut self, tool: &str, args: Value) -> Self {
        self.acts.push(Act::Call { tool: tool.into(), args });
        self
    }

    #[must_use]
    pub fn calls_as(self, id: &str, tool: &str, args: Value) -> Self {
        self.block(Part::Call(Call { id: CallId(id.into()), tool: tool.into(), args }).into())
    }

    /// A call that `max_tokens` cut off.
    #[must_use]
    pub fn tears(self, id: &str, tool: &str, text: &str) -> Self {
        let why = "the answer was cut off by its token limit".into();
        let torn =
            Part::TornCall { id: CallId(id.into()), tool: tool.into(), text: text.into(), why };
        self.block(torn.into()).stopping(StopReason::MaxTokens)
    }

    #[must_use]
    pub fn refuses(self, text: &str) -> Self {
        self.block(Part::Refusal { text: text.into() }.into())
            .stopping(StopReason::Refusal { text: text.into() })
    }

    /// Any block, native item and all.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        self.acts.push(Act::Say(block));
        self
    }

    /// The answer pauses here until the test opens the gate.
    #[must_use]
    pub fn waits(mut self, gate: &Gate) -> Self {
        self.acts.push(Act::Wait(gate.clone()));
        self
    }

    /// Fails with this fault after the answer so far.
    #[must_use]
    pub fn then_fails(mut self, fault: ModelFault) -> Self {
        self.fault = Some(fault);
        self
    }

    #[must_use]
    pub fn stopping(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    #[must_use]
    pub fn using(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The structured answer, if it does not follow from the blocks.
    #[must_use]
    pub fn shaped(mut self, shaped: StructuredReply) -> Self {
        self.shaped = Some(shaped);
        self
    }

    pub(super) fn call_count(&self) -> usize {
        self.acts.iter().filter(|act| matches!(act, Act::Call { .. })).count()
    }

    pub(super) async fn play(
        self,
        request: &Request,
        model: &str,
        first_call: usize,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelFault> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut number = first_call;
        for act in self.acts {
            let block = match act {
                Act::Wait(gate) => {
                    gate.pass().await;
                    continue;
                }
                Act::Say(block) => block,
                Act::Call { tool, args } => {
                    number += 1;
                    let id = CallId(format!("call-{number}"));
                    Part::Call(Call { id, tool, args }).into()
                }
            };
            stream(&block, deltas);
            blocks.push(block);
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let stop = self.stop.unwrap_or_else(|| stop_of(&blocks));
        let shaped = self.shaped.or_else(|| shaped_of(request, &blocks));
        Ok(Reply { blocks, stop, usage: self.usage, model: model.into(), shaped })
    }
}

/// Text and thinking are streamed word by word; a call is announced.
fn stream(block: &Block, deltas: &mut (dyn FnMut(Delta) + Send)) {
    let words = |text: &str| -> Vec<String> { text.split_inclusive(' ').map(Into::into).collect() };
    match &block.part {
        Part::Text { text } => words(text).into_iter().for_each(|word| deltas(Delta::Text(word))),
        Part::Thinking { text } => {
            words(text).into_iter().for_each(|word| deltas(Delta::Thinking(word)));
        }
        Part::Call(Call { id, tool, .. }) | Part::TornCall { id, tool, .. } => {
            deltas(Delta::CallBegun { id: id.clone(), tool: tool.clone() });
        }
        Part::Result(_) | Part::Refusal { .. } | Part::Other { .. } | Part::File(_) => {}
    }
}

fn stop_of(blocks: &[Block]) -> StopReason {
    let calls = blocks.iter().any(|block| matches!(block.part, Part::Call(_)));
    if calls { StopReason::ToolUse } else { StopReason::EndTurn }
}

/// The structured answer of a real model: the text on the native rung, otherwise the call.
fn shaped_of(request: &Request, blocks: &[Block]) -> Option<StructuredReply> {
    let shape = request.shape.as_ref()?;
    let read = |text: &str| match serde_json::from_str(text) {
        Ok(value) => StructuredReply::Whole(value),
        Err(error) => StructuredReply::NotJson { text: text.to_owned(), why: error.to_string() },
    };
    let found = blocks.iter().find_map(|block| match shape.rung {
        Rung::Native => block.part.text().map(read),
        Rung::Forced | Rung::Automatic => {
            let call = block.part.call().filter(|call| call.tool == shape.name.as_str());
            call.map(|call| StructuredReply::Whole(call.args.clone()))
        }
    });
    Some(found.unwrap_or(StructuredReply::Missing))
}

impl From<FaultKind> for Step {
    /// A fault of this kind, with a plain message.
    fn from(kind: FaultKind) -> Self {
        fails(ModelFault {
            kind,
            message: format!("the script fails with `{kind}`"),
            fix: "this is part of the test".into(),
            status: None,
            retry_after: None,
        })
    }
}
