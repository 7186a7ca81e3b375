//! The expected meaning of an answer, and where a decoder is free.

use std::time::Duration;

use contract::{Block, FaultKind, ModelFault, Native, Part, Reply, StopReason, Usage};

/// The expected result.
#[derive(Debug, Clone, PartialEq)]
pub enum Expect {
    Reply(Expected),
    Fault(ExpectedFault),
}

/// A reply. A decoder may choose: the text of `why` and of a label, ids that the provider left out
/// (written `*`), natives that are not given, and the kind of a block without text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expected {
    pub blocks: Vec<Block>,
    /// There may be more blocks without text than the given ones.
    pub also_silent: bool,
    pub stop: Option<StopReason>,
    pub usage: Usage,
    /// The model's name; empty if it does not matter.
    pub model: String,
    /// What must be somewhere in the blocks' natives.
    pub keeps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedFault {
    pub kind: FaultKind,
    pub retry_after: Option<Duration>,
}

impl Expect {
    /// Reports where a result differs from the expectation.
    pub fn check(&self, got: &Result<Reply, ModelFault>) -> Result<(), String> {
        match (self, got) {
            (Expect::Reply(expected), Ok(reply)) => expected.check(reply),
            (Expect::Fault(expected), Err(fault)) => expected.check(fault),
            (Expect::Reply(_), Err(fault)) => {
                Err(format!("a reply was expected, not `{}`: {fault}", fault.kind))
            }
            (Expect::Fault(expected), Ok(reply)) => {
                Err(format!("`{}` was expected, not a reply: {reply:?}", expected.kind))
            }
        }
    }
}

impl ExpectedFault {
    fn check(&self, fault: &ModelFault) -> Result<(), String> {
        if self.kind != fault.kind {
            return Err(format!("`{}` was expected, not `{}`: {fault}", self.kind, fault.kind));
        }
        match self.retry_after {
            Some(wait) if fault.retry_after != Some(wait) => {
                Err(format!("a wait of {wait:?} was expected, not {:?}", fault.retry_after))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl Expected {
    fn check(&self, reply: &Reply) -> Result<(), String> {
        let extra = |block: &&Block| self.also_silent && is_silent(&block.part);
        let blocks: Vec<&Block> = reply.blocks.iter().filter(|block| !extra(block)).collect();
        if blocks.len() != self.blocks.len() {
            let (wanted, found) = (self.blocks.len(), blocks.len());
            return Err(format!("{wanted} blocks were expected, not {found}: {blocks:?}"));
        }
        for (index, (expected, block)) in self.blocks.iter().zip(&blocks).enumerate() {
            check_block(expected, block).map_err(|why| format!("block {index}: {why}"))?;
        }
        check_ids(reply)?;
        if let Some(stop) = &self.stop {
            check_stop(stop, &reply.stop)?;
        }
        if self.usage != reply.usage {
            return Err(format!("{:?} was expected, not {:?}", self.usage, reply.usage));
        }
        if !self.model.is_empty() && self.model != reply.model {
            return Err(format!("model `{}` was expected, not `{}`", self.model, reply.model));
        }
        let natives: String = reply
            .blocks
            .iter()
            .filter_map(|block| block.native.as_ref())
            .map(|native| native.item.to_string())
            .collect();
        match self.keeps.iter().find(|kept| !natives.contains(kept.as_str())) {
            Some(lost) => Err(format!("`{lost}` is kept in no native item: {natives}")),
            None => Ok(()),
        }
    }
}

/// A block with nothing for people to read.
fn is_silent(part: &Part) -> bool {
    match part {
        Part::Other { .. } => true,
        Part::Thinking { text } | Part::Text { text } => text.is_empty(),
        Part::Call(_)
        | Part::TornCall { .. }
        | Part::Result(_)
        | Part::Refusal { .. }
        | Part::File(_) => false,
    }
}

fn check_block(expected: &Block, block: &Block) -> Result<(), String> {
    let same = is_silent(&expected.part) && is_silent(&block.part)
        || loosened(&expected.part, &block.part) == block.part;
    if !same {
        return Err(format!("{:?} was expected, not {:?}", expected.part, block.part));
    }
    // The frames do not name the sender.
    let item = |native: &Option<Native>| native.as_ref().map(|one| (one.wire, one.item.clone()));
    if expected.native.is_some() && item(&expected.native) != item(&block.native) {
        return Err(format!("native {:?} was expected, not {:?}", expected.native, block.native));
    }
    Ok(())
}

/// The expectation, with the decoder's own choices filled in.
fn loosened(expected: &Part, got: &Part) -> Part {
    let mut expected = expected.clone();
    match (&mut expected, got) {
        (Part::Call(call), Part::Call(got)) if call.id.0 == "*" => call.id = got.id.clone(),
        (Part::TornCall { id, why, .. }, Part::TornCall { id: got_id, why: got_why, .. }) => {
            got_why.clone_into(why);
            if id.0 == "*" {
                *id = got_id.clone();
            }
        }
        (_, _) => {}
    }
    expected
}

/// Results are paired by id, so no two calls may share one.
fn check_ids(reply: &Reply) -> Result<(), String> {
    let mut seen = Vec::new();
    for call in reply.calls() {
        if call.id.0.is_empty() || seen.contains(&&call.id) {
            return Err(format!("call ids must be present and unique: `{}`", call.id));
        }
        seen.push(&call.id);
    }
    Ok(())
}

/// A refusal's text must only contain the given part.
fn check_stop(expected: &StopReason, got: &StopReason) -> Result<(), String> {
    let same = match (expected, got) {
        (StopReason::Refusal { text }, StopReason::Refusal { text: got }) => got.contains(text),
        (_, _) => expected == got,
    };
    if same { Ok(()) } else { Err(format!("{expected:?} was expected, not {got:?}")) }
}
