//! What changes while clients are there, and how each of them hears of it.

use std::sync::Arc;

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{ErrorData, Peer, RoleServer};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use super::caller::Caller;
use super::door::Door;
use super::visit::Visit;

/// Something is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Tools,
    Prompts,
    Resources,
    /// The content at a URI.
    Resource(Arc<str>),
}

/// How much of it waits for a client that is slow; after that it hears that all has changed.
const WAITING_MAX: usize = 256;

pub(super) fn channel() -> Sender<News> {
    broadcast::channel(WAITING_MAX).0
}

/// The next news; everything, if some was missed; nothing when the door is gone.
async fn next(news: &mut Receiver<News>) -> Vec<News> {
    match news.recv().await {
        Ok(news) => vec![news],
        Err(RecvError::Lagged(_)) => vec![News::Tools, News::Prompts, News::Resources],
        Err(RecvError::Closed) => Vec::new(),
    }
}

/// Tells a client of the old era, for as long as its visit lasts.
pub(super) fn tell(door: &Door, peer: Peer<RoleServer>) {
    let (mut news, visit) = (door.0.news.subscribe(), Arc::downgrade(&door.1));
    let task = tokio::spawn(async move {
        loop {
            let all = next(&mut news).await;
            if all.is_empty() || peer.is_transport_closed() {
                return;
            }
            for one in all {
                let Some(visit) = visit.upgrade() else { return };
                say(&peer, &visit, one).await;
            }
        }
    });
    door.1.keep_telling(task.abort_handle());
}

async fn say(peer: &Peer<RoleServer>, visit: &Visit, news: News) {
    let said = match news {
        News::Tools => peer.notify_tool_list_changed().await,
        News::Prompts => peer.notify_prompt_list_changed().await,
        News::Resources => peer.notify_resource_list_changed().await,
        News::Resource(uri) => match visit.follows(&uri) {
            false => return,
            true => {
                let updated = ResourceUpdatedNotificationParam::new(uri.to_string());
                peer.notify_resource_updated(updated).await
            }
        },
    };
    if let Err(fault) = said {
        tracing::debug!(%fault, "a client did not hear of a change");
    }
}

impl Door {
    /// What a client of the new era may listen to: what it asks for, as far as it is there.
    pub(super) fn listenable(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let library = self.library();
        let there = |uri: &&String| library.find(uri).is_some();
        let uris = requested.resource_subscriptions.iter().flatten();
        let uris: Vec<_> = uris.filter(there).take(FOLLOWED_MAX).cloned().collect();
        let mut accepted = requested.clone();
        accepted.resource_subscriptions =
            requested.resource_subscriptions.is_some().then_some(uris);
        accepted
    }

    /// Tells a client of the new era, until it hangs up.
    pub(super) async fn told(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let mut news = self.0.news.subscribe();
        let caller = Caller::of(context.request_context());
        let uris = context.accepted().resource_subscriptions.iter().flatten();
        // What this caller may not see is as if it were not there.
        let _followed: Vec<_> = uris.filter_map(|uri| self.follow(uri, &caller).ok()).collect();
        let sink = context.sink();
        loop {
            let all = tokio::select! {
                () = context.cancelled() => return Ok(()),
                all = next(&mut news) => all,
            };
            if all.is_empty() {
                return Ok(());
            }
            for one in all {
                // The sink leaves out what was not asked for, and ends with its client.
                let _ = match one {
                    News::Tools => sink.notify_tool_list_changed().await,
                    News::Prompts => sink.notify_prompt_list_changed().await,
                    News::Resources => sink.notify_resource_list_changed().await,
                    News::Resource(uri) => match self.may_follow(&uri, &caller) {
                        true => sink.notify_resource_updated(uri.to_string()).await,
                        false => Ok(()),
                    },
                };
            }
        }
    }
}

/// How many resources one client follows.
pub(super) const FOLLOWED_MAX: usize = 64;
