//! Waits for several futures at once, in one task.

use std::future::poll_fn;
use std::task::Poll;

use policy::BoxFuture;

/// The outputs of all futures, in their order.
pub(crate) async fn join_all<T>(mut futures: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, outcome) in futures.iter_mut().zip(&mut done) {
            if outcome.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *outcome = Some(ready);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
