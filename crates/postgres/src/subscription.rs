//! Subscriptions: fetch, wait for a change, fetch again.

use std::collections::VecDeque;
use std::sync::Arc;

use store::engine::TopicWait;
use store::{BoxFuture, StoreFault, SubscriptionSource};

use crate::Shared;

/// Where a subscription is.
pub(crate) trait Position: Sized + Send + Sync + 'static {
    type Item: Send;

    /// Some items after this position, and the position after them.
    fn fetch<'a>(
        &'a self,
        shared: &'a Shared,
    ) -> BoxFuture<'a, Result<(Vec<Self::Item>, Self), StoreFault>>;
}

/// A subscription. After [`StoreFault::Busy`] it goes on where it was.
pub(crate) struct PostgresSubscription<P: Position> {
    pub shared: Arc<Shared>,
    pub wait: TopicWait,
    pub place: P,
    pub fetched: VecDeque<P::Item>,
}

impl<P: Position> SubscriptionSource<P::Item> for PostgresSubscription<P> {
    fn next(&mut self) -> BoxFuture<'_, Result<P::Item, StoreFault>> {
        Box::pin(async move {
            loop {
                if let Some(item) = self.fetched.pop_front() {
                    return Ok(item);
                }
                // The mark comes first: a write during the fetch ends the wait.
                self.wait.mark();
                let (items, place) = self.place.fetch(&self.shared).await?;
                self.place = place;
                self.fetched = items.into();
                if self.fetched.is_empty() {
                    self.wait.changed().await?;
                }
            }
        })
    }
}
