//! A provider on loopback: all four wires, as strict as the real ones.
//!
//! In: a script of [`Turn`]s and [`Fault`]s. Out: answers in the requested wire, streamed or
//! whole, and all requests. A request that the real provider would refuse is refused here, with
//! that provider's error body, and does not advance the script.
//!
//! ```ignore
//! let provider = FakeProvider::start().await?;
//! provider.script([
//!     Turn::new().thinking("two cities", "sig-1").call("weather", json!({ "city": "Oslo" })),
//!     Turn::says("It rains."),
//! ]);
//! let client = client_for(&provider.base_url());
//! // … then:
//! provider.assert_used_up();
//! ```
//!
//! Must hold: no clock, no sleep; waits happen at a [`crate::Gate`].

mod answer;
mod batches;
mod check;
mod delivery;
mod embeddings;
mod fault;
mod files;
mod model_families;
mod model_list;
mod model_request;
mod recorded;
mod render;
mod routes;
mod signatures;
mod state;
mod turn;
mod wire_error;

#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use delivery::{Cut, Pieces};
pub use fault::Fault;
pub use recorded::RecordedRequest;
pub use turn::{Blocked, Item, Quirk, Source, Turn};

use state::{Answering, State, Strictness};

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct FakeProvider {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

/// What the server does with one request.
#[derive(Debug, Clone)]
pub enum Step {
    Turn(Box<Turn>),
    Fault(Fault),
}

impl From<Turn> for Step {
    fn from(turn: Turn) -> Self {
        Step::Turn(Box::new(turn))
    }
}

impl From<Fault> for Step {
    fn from(fault: Fault) -> Self {
        Step::Fault(fault)
    }
}

impl FakeProvider {
    /// Anthropic, OpenAI and Gemini behind one address, each as strict as the original.
    pub async fn start() -> io::Result<Self> {
        Self::open(Strictness::Original).await
    }

    /// A compatible server, like Ollama, vLLM or OpenRouter: any model,
    /// `max_tokens` on Chat, reasoning fields back in messages, no key needed.
    pub async fn compatible() -> io::Result<Self> {
        Self::open(Strictness::Compatible).await
    }

    async fn open(strictness: Strictness) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(strictness, address));
        let accepting = tokio::spawn(routes::accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, accepting })
    }

    /// `http://127.0.0.1:PORT`, to which the wires add `/v1/…` or `/v1beta/…`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds answers, in this order.
    pub fn script<S: Into<Step>>(&self, steps: impl IntoIterator<Item = S>) -> &Self {
        steps.into_iter().for_each(|step| self.state.push(step.into()));
        self
    }

    /// Adds one answer.
    pub fn then(&self, step: impl Into<Step>) -> &Self {
        self.script([step])
    }

    /// The answer whenever the script is used up.
    pub fn otherwise(&self, step: impl Into<Step>) -> &Self {
        self.state.set_otherwise(step.into());
        self
    }

    /// Answers with the closure whenever the script is used up.
    pub fn answering(&self, answer: impl Fn(&Value) -> Step + Send + Sync + 'static) -> &Self {
        self.state.set_answering(Answering(Arc::new(answer)));
        self
    }

    /// Accepts only this key; without this call any key is accepted.
    pub fn key(&self, key: &str) -> &Self {
        self.state.set_key(key);
        self
    }

    /// Accepts this signature (or encrypted reasoning), although it did not send it.
    pub fn trust(&self, signature: &str, text: &str) -> &Self {
        self.state.signatures.add(signature, text);
        self
    }

    /// How often a batch is reported as in progress before it ends; 1 by default.
    pub fn batch_polls(&self, polls: usize) -> &Self {
        self.state.set_batch_polls(polls);
        self
    }

    /// What texts to embed mean: a text's vector has one number for each of these groups of
    /// words, namely how many words of the group it has.
    pub fn meanings(&self, groups: &[&[&str]]) -> &Self {
        let group = |words: &&[&str]| words.iter().map(|word| word.to_lowercase()).collect();
        self.state.lock().meanings = groups.iter().map(group).collect();
        self
    }

    /// Answers the next requests for embeddings with these faults.
    pub fn failing_embeddings(&self, faults: impl IntoIterator<Item = Fault>) -> &Self {
        self.state.lock().embedding_faults.extend(faults);
        self
    }

    /// The texts of all answered requests for embeddings, in their order.
    pub fn embedded(&self) -> Vec<Vec<String>> {
        self.state.lock().embedded.clone()
    }

    /// Every request so far, refused ones too.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests()
    }

    /// The bodies of all model requests as lines of `{wire, body}`, for `testkit::sdk`.
    pub fn bodies(&self) -> String {
        self.requests().iter().filter_map(RecordedRequest::body_line).collect()
    }

    /// How many answers of the script are unused.
    pub fn left(&self) -> usize {
        self.state.left()
    }

    /// Fails the test if the script was not used up, or if a request was refused.
    #[track_caller]
    pub fn assert_used_up(&self) {
        let refused: Vec<_> =
            self.requests().into_iter().flat_map(|request| request.refused).collect();
        assert!(refused.is_empty(), "the provider refused: {}", refused.join("; "));
        assert!(self.left() == 0, "{} answers of the script were not used", self.left());
    }

    /// Returns once this many answers lost their reader before their end.
    pub async fn abandoned(&self, count: usize) {
        let mut seen = self.state.abandoned.subscribe();
        // The state outlives this borrow, so the channel cannot close meanwhile.
        let _ = seen.wait_for(|seen| *seen >= count).await;
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
