//! One client's stay at the door: what it set and what it follows, until it goes.
//!
//! Over HTTP a client of the new era stays for one request; every other stays until it closes
//! its session or its pipe.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::SubscriptionFilter;
use tokio::sync::broadcast::Receiver;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::logging::Severity;
use super::news::{Ear, FOLLOWED_MAX, News};
use super::offered::Following;

#[derive(Default)]
pub(super) struct Visit {
    state: Mutex<State>,
    over: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    /// From which severity on the client wants to hear.
    severity: Option<Severity>,
    followed: BTreeMap<String, Following>,
    teller: Option<AbortHandle>,
    /// What changes since the handshake began.
    since_hello: Option<Receiver<News>>,
    /// What changes since a request to listen came in.
    ears: Vec<Ear>,
}

/// How many requests to listen may be on their way.
const EARS_MAX: usize = 16;

impl Visit {
    pub(super) fn severity(&self) -> Option<Severity> {
        self.state().severity
    }

    pub(super) fn set_severity(&self, severity: Severity) {
        self.state().severity = Some(severity);
    }

    pub(super) fn follow(&self, uri: &str, following: Following) -> Result<(), ErrorData> {
        let mut state = self.state();
        if state.followed.len() >= FOLLOWED_MAX && !state.followed.contains_key(uri) {
            let what = format!("a client follows at most {FOLLOWED_MAX} resources");
            return Err(ErrorData::invalid_params(what, None));
        }
        state.followed.insert(uri.to_owned(), following);
        Ok(())
    }

    pub(super) fn leave(&self, uri: &str) {
        self.state().followed.remove(uri);
    }

    pub(super) fn follows(&self, uri: &str) -> bool {
        self.state().followed.contains_key(uri)
    }

    pub(super) fn greet(&self, news: Receiver<News>) {
        self.state().since_hello = Some(news);
    }

    pub(super) fn greeted(&self) -> Option<Receiver<News>> {
        self.state().since_hello.take()
    }

    pub(super) fn lend(&self, ear: Ear) {
        let mut state = self.state();
        if state.ears.len() < EARS_MAX {
            state.ears.push(ear);
        }
    }

    /// The ear that was lent for this filter.
    pub(super) fn lent(&self, filter: &SubscriptionFilter) -> Option<Ear> {
        let mut state = self.state();
        let at = state.ears.iter().position(|ear| ear.filter == *filter)?;
        Some(state.ears.remove(at))
    }

    /// The task that tells this client what changes; it ends with the visit.
    pub(super) fn keep_telling(&self, task: AbortHandle) {
        if let Some(before) = self.state().teller.replace(task) {
            before.abort();
        }
    }

    /// The client has gone, though answers to it may still be on their way.
    pub(super) fn end(&self) {
        self.over.send_replace(true);
    }

    /// Waits for that.
    pub(super) async fn ended(&self) {
        // The sender lives as long as we do.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(task) = self.state().teller.take() {
            task.abort();
        }
    }
}
