//! Notifies clients of changes to tools, prompts and resources.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{ErrorData, Peer, RoleServer};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use super::Session;
use crate::server::caller::Caller;
use crate::server::library_watch::FollowGuard;
use crate::server::mcp_server::{Inner, McpServer};

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    /// The content at a URI.
    Resource(Arc<str>),
}

/// How many changes may be pending for a slow client; after that it is notified of everything.
const WAITING_MAX: usize = 256;

pub(crate) fn channel() -> Sender<Change> {
    broadcast::channel(WAITING_MAX).0
}

/// The next change; every kind of change if some were missed; nothing when the server is gone.
async fn next(changes: &mut Receiver<Change>) -> Vec<Change> {
    match changes.recv().await {
        Ok(changes) => vec![changes],
        Err(RecvError::Lagged(_)) => vec![Change::Tools, Change::Prompts, Change::Resources],
        Err(RecvError::Closed) => Vec::new(),
    }
}

/// How often the registry is polled.
const LOOK: Duration = Duration::from_millis(250);

/// Broadcasts changes of the registry. Must be called on a runtime.
pub(crate) fn watch_tools(server: &Arc<Inner>) {
    let (mut seen, server) = (server.engine.registry().version(), Arc::downgrade(server));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(server) = server.upgrade() else { return };
            let now = server.engine.registry().version();
            if now != seen {
                seen = now;
                // There may be no subscribers.
                let _ = server.changes.send(Change::Tools);
            }
        }
    });
}

/// Notifies a session-based client until its session ends.
pub(crate) fn notify_client(server: &McpServer, peer: Peer<RoleServer>) {
    let changes = server.1.take_changes().unwrap_or_else(|| server.0.changes.subscribe());
    let (mut changes, session) = (changes, Arc::downgrade(&server.1));
    let task = tokio::spawn(async move {
        loop {
            let all = next(&mut changes).await;
            if all.is_empty() || peer.is_transport_closed() {
                return;
            }
            for one in all {
                let Some(session) = session.upgrade() else { return };
                notify(&peer, &session, one).await;
            }
        }
    });
    server.1.set_notifier(task.abort_handle());
}

async fn notify(peer: &Peer<RoleServer>, session: &Session, changes: Change) {
    let sent = match changes {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Resource(uri) => match session.follows(&uri) {
            false => return,
            true => {
                let updated = ResourceUpdatedNotificationParam::new(uri.to_string());
                peer.notify_resource_updated(updated).await
            }
        },
    };
    if let Err(fault) = sent {
        tracing::debug!(%fault, "failed to notify a client of a change");
    }
}

impl McpServer {
    /// Accepts the part of a subscription that exists. Subscribes at once, because the client may
    /// act as soon as it has the answer.
    pub(crate) fn accept_subscription(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let library = self.library();
        let there = |uri: &&String| library.find(uri).is_some();
        let mut accepted = requested.clone();
        if let Some(uris) = &requested.resource_subscriptions {
            let uris = uris.iter().filter(there).take(FOLLOWED_MAX);
            accepted.resource_subscriptions = Some(uris.cloned().collect());
        }
        self.1.store_subscription(self.subscription(&accepted));
        accepted
    }

    fn subscription(&self, filter: &SubscriptionFilter) -> Subscription {
        let changes = self.0.changes.subscribe();
        let uris = filter.resource_subscriptions.iter().flatten();
        let library_watch = self.0.library_watch.as_ref();
        let followed = uris.filter_map(|uri| library_watch?.follow(uri).ok()).collect();
        Subscription { filter: filter.clone(), changes, followed }
    }

    /// Notifies a stateless client until it disconnects.
    pub(crate) async fn notify_subscriber(
        &self,
        context: &SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let subscription = self.1.take_subscription(context.accepted());
        let mut subscription =
            subscription.unwrap_or_else(|| self.subscription(context.accepted()));
        let caller = Caller::of(context.request_context());
        let sink = context.sink();
        loop {
            let all = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.1.ended() => return Ok(()),
                all = next(&mut subscription.changes) => all,
            };
            if all.is_empty() {
                return Ok(());
            }
            for one in all {
                // The sink drops what was not subscribed to, and ends with its client.
                let _ = match one {
                    Change::Tools => sink.notify_tool_list_changed().await,
                    Change::Prompts => sink.notify_prompt_list_changed().await,
                    Change::Resources => sink.notify_resource_list_changed().await,
                    // A resource that this caller may not see does not exist for it.
                    Change::Resource(uri) => match self.may_follow(&uri, &caller) {
                        true => sink.notify_resource_updated(uri.to_string()).await,
                        false => Ok(()),
                    },
                };
            }
        }
    }
}

/// An accepted subscription of a stateless client.
pub(crate) struct Subscription {
    pub filter: SubscriptionFilter,
    changes: Receiver<Change>,
    #[expect(dead_code, reason = "keeps the resources followed")]
    followed: Vec<FollowGuard>,
}

/// How many resources one client may follow.
pub(crate) const FOLLOWED_MAX: usize = 64;
