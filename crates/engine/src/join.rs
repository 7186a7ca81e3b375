//! Submits several writes together.

use std::future::poll_fn;
use std::task::Poll;

use policy::BoxFuture;

/// Begins all in their order, then waits for each: for writes, which go on by themselves once
/// they are handed in, so that one commit can take them all.
pub(crate) async fn submit_all<T>(mut futures: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    let begin = poll_fn(|context| {
        for (future, outcome) in futures.iter_mut().zip(&mut done) {
            if let Poll::Ready(ready) = future.as_mut().poll(context) {
                *outcome = Some(ready);
            }
        }
        Poll::Ready(())
    });
    // Else the runtime would make the later ones wait for a turn of their own.
    tokio::task::unconstrained(begin).await;
    let mut all = Vec::with_capacity(done.len());
    for (future, outcome) in futures.into_iter().zip(done) {
        all.push(match outcome {
            Some(ready) => ready,
            None => future.await,
        });
    }
    all
}
