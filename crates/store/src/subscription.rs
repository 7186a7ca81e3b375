//! Subscriptions: past changes first, then new ones, one at a time.

use crate::fault::StoreFault;
use crate::store::BoxFuture;

/// What an engine implements behind a [`Subscription`].
pub trait SubscriptionSource<T>: Send {
    /// Waits for the next item. Dropping the future before it is ready loses nothing.
    fn next(&mut self) -> BoxFuture<'_, Result<T, StoreFault>>;
}

/// An endless sequence of items, pulled by the reader: a slow reader costs no memory and
/// loses nothing. After a fault other than [`StoreFault::Busy`] the subscription has ended.
pub struct Subscription<T> {
    source: Box<dyn SubscriptionSource<T>>,
}

impl<T> Subscription<T> {
    pub fn new(source: impl SubscriptionSource<T> + 'static) -> Self {
        Self { source: Box::new(source) }
    }

    /// The next item, as soon as there is one. Cancel-safe: an item is either returned
    /// or still to come.
    pub async fn next(&mut self) -> Result<T, StoreFault> {
        self.source.next().await
    }
}

impl<T> std::fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Subscription")
    }
}
