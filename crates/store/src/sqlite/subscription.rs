//! Subscriptions over the file: fetch, wait for a change, fetch again.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Look, Shared};
use crate::engine::TopicWait;
use crate::fault::StoreFault;
use crate::store::BoxFuture;
use crate::subscription::SubscriptionSource;

/// Fetches some items after a position, and returns the position after them.
pub(super) type Fetch<T, C> = fn(&Look<'_>, C) -> Result<(Vec<T>, C), StoreFault>;

/// A subscription whose position in the file is `C`.
pub(super) struct SqliteSubscription<T, C> {
    pub shared: Arc<Shared>,
    pub subscription: TopicWait,
    pub place: C,
    pub fetch: Fetch<T, C>,
    pub fetched: VecDeque<T>,
}

impl<T: Send + 'static, C: Clone + Send + 'static> SubscriptionSource<T>
    for SqliteSubscription<T, C>
{
    fn next(&mut self) -> BoxFuture<'_, Result<T, StoreFault>> {
        Box::pin(async move {
            loop {
                if let Some(item) = self.fetched.pop_front() {
                    return Ok(item);
                }
                // The mark comes first: a write during the fetch ends the wait.
                self.subscription.mark();
                let (fetch, place) = (self.fetch, self.place.clone());
                let (items, place) = self.shared.read(move |look| fetch(look, place)).await?;
                self.place = place;
                self.fetched = items.into();
                if self.fetched.is_empty() {
                    self.subscription.changed().await?;
                }
            }
        })
    }
}
