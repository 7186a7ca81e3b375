//! What changes while clients are there, and how each of them hears of it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{ErrorData, Peer, RoleServer};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use super::caller::Caller;
use super::door::{Door, Inner};
use super::offered::Following;
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

/// How often the registry is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Tells when the registry is another, whoever replaced it; must be called on a runtime.
pub(super) fn watch_tools(door: &Arc<Inner>) {
    let (mut seen, door) = (door.engine.registry().version(), Arc::downgrade(door));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(door) = door.upgrade() else { return };
            let now = door.engine.registry().version();
            if now != seen {
                seen = now;
                // Nobody may be listening.
                let _ = door.news.send(News::Tools);
            }
        }
    });
}

/// Tells a client of the old era, for as long as its visit lasts.
pub(super) fn tell(door: &Door, peer: Peer<RoleServer>) {
    let news = door.1.greeted().unwrap_or_else(|| door.0.news.subscribe());
    let (mut news, visit) = (news, Arc::downgrade(&door.1));
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
    /// From now on nothing is missed, because the client may act as soon as it has this.
    pub(super) fn listenable(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let library = self.library();
        let there = |uri: &&String| library.find(uri).is_some();
        let mut accepted = requested.clone();
        if let Some(uris) = &requested.resource_subscriptions {
            let uris = uris.iter().filter(there).take(FOLLOWED_MAX);
            accepted.resource_subscriptions = Some(uris.cloned().collect());
        }
        self.1.lend(self.ear(&accepted));
        accepted
    }

    fn ear(&self, filter: &SubscriptionFilter) -> Ear {
        let news = self.0.news.subscribe();
        let uris = filter.resource_subscriptions.iter().flatten();
        let offered = self.0.offered.as_ref();
        let followed = uris.filter_map(|uri| offered?.follow(uri).ok()).collect();
        Ear { filter: filter.clone(), news, followed }
    }

    /// Tells a client of the new era, until it hangs up.
    pub(super) async fn told(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let ear = self.1.lent(context.accepted());
        let mut ear = ear.unwrap_or_else(|| self.ear(context.accepted()));
        let caller = Caller::of(context.request_context());
        let sink = context.sink();
        loop {
            let all = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.1.ended() => return Ok(()),
                all = next(&mut ear.news) => all,
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
                    // What this caller may not see is as if it were not there.
                    News::Resource(uri) => match self.may_follow(&uri, &caller) {
                        true => sink.notify_resource_updated(uri.to_string()).await,
                        false => Ok(()),
                    },
                };
            }
        }
    }
}

/// What a client listens with, once its request was let in.
pub(super) struct Ear {
    pub filter: SubscriptionFilter,
    news: Receiver<News>,
    #[expect(dead_code, reason = "it follows for as long as it lives")]
    followed: Vec<Following>,
}

/// How many resources one client follows.
pub(super) const FOLLOWED_MAX: usize = 64;
