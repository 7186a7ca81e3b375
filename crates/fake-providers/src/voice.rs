//! Speech models on loopback: Realtime, Live and Gemini behind real WebSockets.
//!
//! In: a script of [`VoiceStep`]s, and what its recogniser hears. Out: the messages of the real
//! servers, and everything that was received. Speech is found by loudness, in the time of the
//! audio; nothing here reads a clock. What a real server would refuse is refused.
//!
//! ```ignore
//! let voice = FakeVoice::start(VoiceWire::Realtime).await?;
//! voice.hears(["book a table"]).script([
//!     VoiceStep::calls("call-1", "book", json!({})),
//!     VoiceStep::says("It is booked.", 1_000),
//! ]);
//! ```

mod connection;
mod ears;
mod gemini;
mod live;
mod realtime;
mod server;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::gate::Gate;

/// Which protocol it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoiceWire {
    Realtime,
    /// Realtime with the message names of the beta.
    RealtimeBeta,
    Live,
    Gemini,
}

/// What the model does.
#[derive(Debug, Clone)]
pub enum VoiceStep {
    /// When it is asked: says this, as long as that.
    Says { text: String, ms: u64 },
    /// When it is asked: calls a tool.
    Calls { id: String, tool: String, arguments: Value },
    /// When a person has spoken, on Live: hands over. Without a step, it does so once.
    Delegates { times: usize },
    /// Right after the step before it: breaks the connection without a word.
    Cut,
    /// Right after the step before it: waits.
    Pass(Gate),
    /// Right after the step before it: sends this as it is.
    Sends(Value),
}

impl VoiceStep {
    pub fn says(text: &str, ms: u64) -> Self {
        VoiceStep::Says { text: text.to_owned(), ms }
    }

    pub fn calls(id: &str, tool: &str, arguments: Value) -> Self {
        VoiceStep::Calls { id: id.to_owned(), tool: tool.to_owned(), arguments }
    }

    fn is_immediate(&self) -> bool {
        match self {
            VoiceStep::Cut | VoiceStep::Pass(_) | VoiceStep::Sends(_) => true,
            VoiceStep::Says { .. } | VoiceStep::Calls { .. } | VoiceStep::Delegates { .. } => false,
        }
    }
}

/// One message that was received.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceMessage {
    /// Counted from 1.
    pub connection: usize,
    pub message: Value,
}

/// One handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceHandshake {
    pub target: String,
    pub headers: Vec<(String, String)>,
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct FakeVoice {
    address: SocketAddr,
    state: Arc<VoiceState>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct VoiceState {
    wire: VoiceWire,
    inner: Mutex<Inner>,
    /// Counts what was received.
    received: watch::Sender<usize>,
    /// Counts the orders to cut.
    cuts: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Inner {
    steps: VecDeque<VoiceStep>,
    heard: VecDeque<String>,
    messages: Vec<VoiceMessage>,
    handshakes: Vec<VoiceHandshake>,
    refusals: VecDeque<u16>,
    key: Option<String>,
    /// What was wrong with the client's messages.
    faults: Vec<String>,
    /// Gemini's calls that wait for a response, over all connections of a session.
    open_calls: Vec<String>,
}

impl FakeVoice {
    pub async fn start(wire: VoiceWire) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let inner = Mutex::default();
        let (received, cuts) = (watch::Sender::new(0), watch::Sender::new(0));
        let state = Arc::new(VoiceState { wire, inner, received, cuts });
        let accepting = tokio::spawn(server::accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, accepting })
    }

    /// As a provider's address in the settings.
    pub fn base_url(&self) -> String {
        match self.state.wire {
            VoiceWire::Gemini => format!("http://{}/v1beta", self.address),
            VoiceWire::Realtime | VoiceWire::RealtimeBeta | VoiceWire::Live => {
                format!("http://{}/v1", self.address)
            }
        }
    }

    /// Adds steps.
    pub fn script(&self, steps: impl IntoIterator<Item = VoiceStep>) -> &Self {
        self.state.lock().steps.extend(steps);
        self
    }

    /// Adds what its recogniser writes down, one text for each speech.
    pub fn hears<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> &Self {
        self.state.lock().heard.extend(texts.into_iter().map(str::to_owned));
        self
    }

    /// Every answer of the script so far is so long.
    pub fn stretch(&self, length_ms: u64) -> &Self {
        for step in &mut self.state.lock().steps {
            if let VoiceStep::Says { ms, .. } = step {
                *ms = length_ms;
            }
        }
        self
    }

    /// Accepts only this key.
    pub fn key(&self, key: &str) -> &Self {
        self.state.lock().key = Some(key.to_owned());
        self
    }

    /// Refuses the next handshakes with these statuses.
    pub fn refuse(&self, statuses: impl IntoIterator<Item = u16>) -> &Self {
        self.state.lock().refusals.extend(statuses);
        self
    }

    /// Breaks every open connection without a word.
    pub fn cut(&self) {
        self.state.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Everything that was received, audio too.
    pub fn messages(&self) -> Vec<VoiceMessage> {
        self.state.lock().messages.clone()
    }

    pub fn handshakes(&self) -> Vec<VoiceHandshake> {
        self.state.lock().handshakes.clone()
    }

    /// Returns when something like this was received; gives it.
    pub async fn received(&self, wanted: impl Fn(&VoiceMessage) -> bool) -> VoiceMessage {
        let mut seen = self.state.received.subscribe();
        loop {
            if let Some(found) = self.messages().into_iter().find(&wanted) {
                return found;
            }
            // The state outlives this borrow, so the channel cannot close meanwhile.
            let _ = seen.changed().await;
        }
    }

    /// Fails the test if steps are left, or if the client sent what a real server refuses.
    #[track_caller]
    pub fn assert_used_up(&self) {
        let inner = self.state.lock();
        assert!(inner.faults.is_empty(), "the provider refused: {}", inner.faults.join("; "));
        assert!(inner.steps.is_empty(), "these steps were not used: {:?}", inner.steps);
    }
}

impl Drop for FakeVoice {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl VoiceState {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, what: String) {
        self.lock().faults.push(what);
    }

    /// What was said in the speech that has just ended.
    fn next_heard(&self) -> String {
        self.lock().heard.pop_front().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
