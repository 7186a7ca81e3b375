//! The session of one client: its log level and subscriptions.
//!
//! Over HTTP, a stateless client has a session per request; other sessions last until the client
//! closes its session or its pipe.

pub(crate) mod logging;
pub(crate) mod notifications;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::SubscriptionFilter;
use tokio::sync::broadcast::Receiver;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::library_watch::FollowGuard;
use logging::Severity;
use notifications::{Change, FOLLOWED_MAX, Subscription};

#[derive(Default)]
pub(crate) struct Session {
    state: Mutex<State>,
    over: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    /// The lowest severity that the client wants to receive.
    severity: Option<Severity>,
    followed: BTreeMap<String, FollowGuard>,
    notifier: Option<AbortHandle>,
    /// Changes since the handshake began.
    since_initialize: Option<Receiver<Change>>,
    /// Subscriptions whose requests are on their way.
    subscriptions: Vec<Subscription>,
}

/// How many subscription requests may be on their way.
const PENDING_SUBSCRIPTIONS_MAX: usize = 16;

impl Session {
    pub(crate) fn severity(&self) -> Option<Severity> {
        self.state().severity
    }

    pub(crate) fn set_severity(&self, severity: Severity) {
        self.state().severity = Some(severity);
    }

    pub(crate) fn follow(&self, uri: &str, following: FollowGuard) -> Result<(), ErrorData> {
        let mut state = self.state();
        if state.followed.len() >= FOLLOWED_MAX && !state.followed.contains_key(uri) {
            let what = format!("a client may follow at most {FOLLOWED_MAX} resources");
            return Err(ErrorData::invalid_params(what, None));
        }
        state.followed.insert(uri.to_owned(), following);
        Ok(())
    }

    pub(crate) fn leave(&self, uri: &str) {
        self.state().followed.remove(uri);
    }

    pub(crate) fn follows(&self, uri: &str) -> bool {
        self.state().followed.contains_key(uri)
    }

    pub(crate) fn store_changes(&self, changes: Receiver<Change>) {
        self.state().since_initialize = Some(changes);
    }

    pub(crate) fn take_changes(&self) -> Option<Receiver<Change>> {
        self.state().since_initialize.take()
    }

    pub(crate) fn store_subscription(&self, subscription: Subscription) {
        let mut state = self.state();
        if state.subscriptions.len() < PENDING_SUBSCRIPTIONS_MAX {
            state.subscriptions.push(subscription);
        }
    }

    /// The subscription that was stored for this filter.
    pub(crate) fn take_subscription(&self, filter: &SubscriptionFilter) -> Option<Subscription> {
        let mut state = self.state();
        let at =
            state.subscriptions.iter().position(|subscription| subscription.filter == *filter)?;
        Some(state.subscriptions.remove(at))
    }

    /// The task that notifies this client of changes; it ends with the session.
    pub(crate) fn set_notifier(&self, task: AbortHandle) {
        if let Some(before) = self.state().notifier.replace(task) {
            before.abort();
        }
    }

    /// Marks the client as gone, though responses to it may still be pending.
    pub(crate) fn end(&self) {
        self.over.send_replace(true);
    }

    /// Waits until the client is gone.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as the session.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(task) = self.state().notifier.take() {
            task.abort();
        }
    }
}
