//! A scripted model that records its requests.

use std::collections::VecDeque;
use std::sync::Mutex;

use contract::{
    Block, Call, CallId, Deltas, FaultKind, Model, ModelFacts, ModelFault, OutputSchema, Part,
    Reply, ReplyFuture, Request, Rung, StopReason, StructuredReply, Usage,
};
use serde_json::Value;

pub(super) struct Script {
    facts: ModelFacts,
    steps: Mutex<VecDeque<Step>>,
    requests: Mutex<Vec<Request>>,
}

/// The reply to one request.
pub(super) enum Step {
    Fault(ModelFault),
    /// With the blocks that a provider would send on this rung.
    Shaped(StructuredReply, StopReason),
    /// With the given blocks.
    Blocks(Vec<Block>, StructuredReply, StopReason),
}

impl Step {
    pub(super) fn whole(value: Value) -> Self {
        Step::Shaped(StructuredReply::Whole(value), StopReason::EndTurn)
    }

    pub(super) fn torn(complete: Value, stop: StopReason) -> Self {
        Step::Shaped(StructuredReply::Torn { complete, text: "{\"flashc".to_owned() }, stop)
    }

    pub(super) fn not_json() -> Self {
        let (text, why) = ("{'a'}".to_owned(), "expected `\"` at column 2".to_owned());
        Step::Shaped(StructuredReply::NotJson { text, why }, StopReason::EndTurn)
    }

    /// The requested form was ignored.
    pub(super) fn prose() -> Self {
        let (text, why) = ("Here you are.".to_owned(), "expected a value at column 1".to_owned());
        Step::Shaped(StructuredReply::NotJson { text, why }, StopReason::EndTurn)
    }

    pub(super) fn missing(stop: StopReason) -> Self {
        Step::Shaped(StructuredReply::Missing, stop)
    }

    pub(super) fn fault(kind: FaultKind) -> Self {
        Step::Fault(ModelFault {
            kind,
            message: format!("the server says {kind}"),
            fix: "try something else".to_owned(),
            status: None,
            retry_after: None,
        })
    }
}

impl Script {
    /// `rungs` are words, best first.
    pub(super) fn new(rungs: &str, steps: Vec<Step>) -> Self {
        Self {
            facts: ModelFacts {
                provider: "script".to_owned(),
                model: "one".to_owned(),
                wire: None,
                rungs: rungs.split_whitespace().map(|rung| rung.parse().unwrap()).collect(),
                output_tokens_max: Some(6_000),
            },
            steps: Mutex::new(steps.into()),
            requests: Mutex::default(),
        }
    }

    pub(super) fn then(&self, steps: Vec<Step>) {
        self.steps.lock().unwrap().extend(steps);
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    #[track_caller]
    pub(super) fn assert_used_up(&self) {
        assert_eq!(self.steps.lock().unwrap().len(), 0, "unused steps");
    }
}

impl Model for Script {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, _deltas: Deltas<'a>) -> ReplyFuture<'a> {
        let mut requests = self.requests.lock().unwrap();
        requests.push(request.clone());
        let number = requests.len();
        let step = self.steps.lock().unwrap().pop_front().expect("the script has a step for this");
        let shape = request.shape.as_ref().expect("every request has a schema");
        let (blocks, shaped, stop) = match step {
            Step::Fault(fault) => return Box::pin(async { Err(fault) }),
            Step::Shaped(shaped, stop) => (blocks(shape, &shaped, number), shaped, stop),
            Step::Blocks(blocks, shaped, stop) => (blocks, shaped, stop),
        };
        let usage = Usage { input: 100, output: 10, cache_read: 1, cache_write: 2, thinking: 3 };
        let reply =
            Reply { blocks, stop, usage, model: "one-2026".to_owned(), shaped: Some(shaped) };
        Box::pin(async { Ok(reply) })
    }
}

fn blocks(shape: &OutputSchema, shaped: &StructuredReply, number: usize) -> Vec<Block> {
    let id = CallId(format!("call_{number}"));
    let tool = shape.name.to_string();
    let part = match (shape.rung, shaped) {
        (_, StructuredReply::Missing) => Part::Text { text: "Here are your cards.".to_owned() },
        (Rung::Native, StructuredReply::Whole(value)) => Part::Text { text: value.to_string() },
        (
            Rung::Native,
            StructuredReply::Torn { text, .. } | StructuredReply::NotJson { text, .. },
        ) => Part::Text { text: text.clone() },
        (Rung::Forced | Rung::Automatic, StructuredReply::Whole(value)) => {
            Part::Call(Call { id, tool, args: value.clone() })
        }
        (
            Rung::Forced | Rung::Automatic,
            StructuredReply::Torn { text, .. } | StructuredReply::NotJson { text, .. },
        ) => Part::TornCall { id, tool, text: text.clone(), why: "cut".to_owned() },
    };
    vec![Part::Thinking { text: "Hm.".to_owned() }.into(), part.into()]
}
