//! Submits several writes together, so that one commit can take them all.

use std::future::poll_fn;
use std::task::Poll;

use crate::store::BoxFuture;

/// Starts all writes in order, then waits for each. A write continues by itself once it was
/// polled.
pub async fn submit_all<T>(mut writes: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = writes.iter().map(|_| None).collect();
    let start = poll_fn(|context| {
        for (write, outcome) in writes.iter_mut().zip(&mut done) {
            if let Poll::Ready(ready) = write.as_mut().poll(context) {
                *outcome = Some(ready);
            }
        }
        Poll::Ready(())
    });
    // Otherwise tokio's cooperative budget would delay the later ones.
    tokio::task::unconstrained(start).await;
    let mut all = Vec::with_capacity(done.len());
    for (write, outcome) in writes.into_iter().zip(done) {
        all.push(match outcome {
            Some(ready) => ready,
            None => write.await,
        });
    }
    all
}
