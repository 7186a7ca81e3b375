//! A feed over the file: fetches what is there, then waits to be woken, and again.

use std::collections::VecDeque;
use std::sync::Arc;

use super::topics::TopicWait;
use super::{Look, Shared};
use crate::fault::StoreFault;
use crate::store::BoxFuture;
use crate::subscription::SubscriptionSource;

/// What lies after a place, some of it, and the place after that.
pub(super) type Fetch<T, C> = fn(&Look<'_>, C) -> Result<(Vec<T>, C), StoreFault>;

/// A feed whose place in the file is `C`.
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
                // The mark comes first: what is written during the look ends the wait.
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
