//! A model that answers what the test wrote, and records its requests.
//!
//! In: a list of [`Step`]s, or a closure that sees the request. Out: a [`Model`] like any
//! other: it streams deltas, calls tools, fails, waits at a [`Gate`].
//!
//! ```ignore
//! let model = ScriptedModel::new([calls("mail_send", json!({ "to": "ana@example.org" })),
//!                                 says("I may not send mail here.")]);
//! // … run the real engine with it, then:
//! assert!(model.result(1, "mail_send").is_error);
//! model.assert_used_up();
//! ```

mod step;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use contract::{
    CallResult, Deltas, FaultKind, Model, ModelFacts, ModelFault, ReplyFuture, Request, Rung,
};

pub use step::{Step, calls, fails, says, thinks};

type StepFn = Box<dyn Fn(&Request) -> Step + Send + Sync>;

/// The model. Clones share it; requests are kept in order.
pub struct ScriptedModel {
    facts: ModelFacts,
    /// Held for single steps only, never across an await.
    inner: Mutex<Inner>,
    answer: Option<StepFn>,
}

#[derive(Debug, Default)]
struct Inner {
    steps: VecDeque<Step>,
    requests: Vec<Request>,
    calls: usize,
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("facts", &self.facts)
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl ScriptedModel {
    /// Answers with these in order; an extra request is a fault.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let facts = ModelFacts {
            provider: "script".into(),
            model: "scripted".into(),
            wire: None,
            rungs: vec![Rung::Native, Rung::Forced, Rung::Automatic],
            output_tokens_max: None,
        };
        let inner = Inner { steps: steps.into_iter().collect(), ..Inner::default() };
        Self { facts, inner: Mutex::new(inner), answer: None }
    }

    /// Answers every request with the closure.
    pub fn answering(answer: impl Fn(&Request) -> Step + Send + Sync + 'static) -> Self {
        Self { answer: Some(Box::new(answer)), ..Self::new([]) }
    }

    #[must_use]
    pub fn with_facts(mut self, facts: ModelFacts) -> Self {
        self.facts = facts;
        self
    }

    /// Adds a step to the end of the script.
    pub fn then(&self, step: Step) {
        self.lock().steps.push_back(step);
    }

    pub fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// The request of this number, the first is 0.
    #[track_caller]
    pub fn request(&self, number: usize) -> Request {
        let requests = self.requests();
        let asked = requests.len();
        let request = requests.into_iter().nth(number);
        assert!(
            request.is_some(),
            "there is no request {number}; the model was asked {asked} times"
        );
        request.unwrap_or_default()
    }

    /// The result of the last call of this tool, as sent in that request.
    #[track_caller]
    pub fn result(&self, number: usize, tool: &str) -> CallResult {
        let request = self.request(number);
        let messages = request.messages.into_iter().rev();
        let mut blocks = messages.flat_map(|message| message.blocks.into_iter().rev());
        let found = blocks
            .find_map(|block| block.part.result().filter(|result| result.tool == tool).cloned());
        assert!(found.is_some(), "request {number} has no result of `{tool}`");
        found.unwrap_or_else(|| unreachable!("asserted above"))
    }

    pub fn left(&self) -> usize {
        self.lock().steps.len()
    }

    #[track_caller]
    pub fn assert_used_up(&self) {
        assert!(self.left() == 0, "{} steps of the script were not used", self.left());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the request and finds its answer; calls are numbered over the model's life.
    fn next(&self, request: &Request) -> (Step, usize) {
        let step = self.answer.as_ref().map(|answer| answer(request));
        let mut inner = self.lock();
        inner.requests.push(request.clone());
        let scripted = inner.steps.pop_front();
        let step = scripted.or(step).unwrap_or_else(|| fails(used_up(inner.requests.len())));
        let first = inner.calls;
        inner.calls += step.call_count();
        (step, first)
    }
}

fn used_up(asked: usize) -> ModelFault {
    ModelFault {
        kind: FaultKind::BadRequest,
        message: format!("the script has no answer for request {asked}"),
        fix: "add a step to the script, or ask the model less often".into(),
        status: None,
        retry_after: None,
    }
}

impl Model for ScriptedModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let (step, first_call) = self.next(request);
            step.play(request, &self.facts.model, first_call, deltas).await
        })
    }
}
