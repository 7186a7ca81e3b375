//! A model that answers from a recording.
//!
//! In: what was asked and answered before, in order. Out: the same answers, as long as the
//! same things are asked. Must hold: a request that is not the recorded one is a fault that
//! says which part differs, and gets no answer.

use std::sync::{Mutex, PoisonError};

use contract::{
    Block, BoxFuture, Delta, Digest, Model, ModelFacts, ModelFault, Part, Reply, Request,
};
use serde::{Deserialize, Serialize};

use crate::fault;

/// One request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    pub request: RequestDigest,
    pub answer: RecordedAnswer,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedAnswer {
    Reply(Reply),
    Fault(ModelFault),
}

/// A request by the digests of its parts, so that a difference has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestDigest {
    pub tools: Digest,
    pub system: Digest,
    pub messages: Digest,
    /// Choice, shape, limits, sampling, server tools and patch.
    pub rest: Digest,
}

impl RequestDigest {
    pub fn of(request: &Request) -> Self {
        let rest = Request {
            tools: Vec::new(),
            system: String::new(),
            messages: Vec::new(),
            ..request.clone()
        };
        Self {
            tools: digest(&request.tools),
            system: digest(&request.system),
            messages: digest(&request.messages),
            rest: digest(&rest),
        }
    }

    /// The first part that is not the same.
    fn difference(&self, now: &Self) -> Option<&'static str> {
        let parts = [
            (self.tools != now.tools, "its tools differ"),
            (self.system != now.system, "its system text differs"),
            (self.messages != now.messages, "its messages differ"),
            (self.rest != now.rest, "its settings differ"),
        ];
        parts.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}

fn digest(part: &impl Serialize) -> Digest {
    // Nothing in a request fails to be written; if it did, the reason would differ too.
    let bytes = serde_json::to_vec(part).unwrap_or_else(|error| error.to_string().into_bytes());
    Digest::of(&bytes)
}

/// Answers from a recording, each answer once.
#[derive(Debug)]
pub struct Replay {
    facts: ModelFacts,
    recorded: Vec<Recorded>,
    /// How many were answered. Locked only to be read and raised.
    answered: Mutex<usize>,
}

impl Replay {
    /// `facts` are those of the model that was recorded.
    pub fn new(facts: ModelFacts, recorded: Vec<Recorded>) -> Self {
        Self { facts, recorded, answered: Mutex::new(0) }
    }

    /// How many recorded answers nobody has asked for yet.
    pub fn left(&self) -> usize {
        self.recorded.len() - *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelFault> {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let total = self.recorded.len();
        let Some(next) = self.recorded.get(*answered) else {
            return Err(fault::recording_used_up(total));
        };
        if let Some(what) = next.request.difference(&RequestDigest::of(request)) {
            return Err(fault::diverged(*answered + 1, what));
        }
        *answered += 1;
        match &next.answer {
            RecordedAnswer::Reply(reply) => Ok(reply.clone()),
            RecordedAnswer::Fault(fault) => Err(fault.clone()),
        }
    }
}

impl Model for Replay {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, ModelFault>> {
        let answer = self.answer(request);
        if let Ok(reply) = &answer {
            reply.blocks.iter().filter_map(delta).for_each(deltas);
        }
        Box::pin(std::future::ready(answer))
    }
}

/// A block as if it had just arrived.
fn delta(block: &Block) -> Option<Delta> {
    match &block.part {
        Part::Text { text } | Part::Refusal { text } => Some(Delta::Text(text.clone())),
        Part::Thinking { text } => Some(Delta::Thinking(text.clone())),
        Part::Call(call) => Some(Delta::CallBegun { id: call.id.clone(), tool: call.tool.clone() }),
        Part::TornCall { id, tool, .. } => {
            Some(Delta::CallBegun { id: id.clone(), tool: tool.clone() })
        }
        Part::Result(_) | Part::Other { .. } => None,
    }
}

#[cfg(test)]
mod tests;
