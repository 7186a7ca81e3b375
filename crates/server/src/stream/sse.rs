//! Server-sent events to one reader, with a bounded buffer.
//!
//! An event is encoded once, and all readers share the bytes. A slow reader delays only
//! itself; one that reads nothing is disconnected, and resumes with `Last-Event-ID`.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Sleep};

/// Buffered events of one connection, and their total size; a larger event is buffered alone.
const EVENTS_AHEAD_MAX: usize = 64;
const BYTES_AHEAD_MAX: u32 = 256 << 10;

/// An idle connection gets a comment, so that proxies do not close it.
const QUIET_MAX: Duration = Duration::from_secs(15);

/// The client has disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client has disconnected")]
pub struct Disconnected;

/// Sends events to one reader.
#[derive(Clone)]
pub struct SseSender {
    sender: mpsc::Sender<(Bytes, OwnedSemaphorePermit)>,
    budget: Arc<Semaphore>,
}

/// A sender, and the response that streams its events.
pub fn open() -> (SseSender, Response) {
    let (sender, receiver) = mpsc::channel(EVENTS_AHEAD_MAX);
    let budget = Arc::new(Semaphore::new(BYTES_AHEAD_MAX as usize));
    let body = SseBody { receiver, quiet: Box::pin(tokio::time::sleep(QUIET_MAX)) };
    let kind = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (SseSender { sender, budget }, (kind, Body::from_stream(body)).into_response())
}

impl SseSender {
    /// Waits until there is room in the buffer.
    pub async fn send(&self, event: Bytes) -> Result<(), Disconnected> {
        let wanted = u32::try_from(event.len()).unwrap_or(u32::MAX).min(BYTES_AHEAD_MAX);
        let budget = Arc::clone(&self.budget);
        let permit = tokio::select! {
            permit = budget.acquire_many_owned(wanted) => permit.map_err(|_| Disconnected)?,
            () = self.sender.closed() => return Err(Disconnected),
        };
        self.sender.send((event, permit)).await.map_err(|_| Disconnected)
    }

    pub async fn closed(&self) {
        self.sender.closed().await;
    }
}

/// Encodes an event. Line breaks in `data` become spaces.
pub fn event(id: Option<&str>, kind: &str, data: &str) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = data.replace(['\n', '\r'], " ");
    format!("{id}event: {kind}\ndata: {data}\n\n").into()
}

struct SseBody {
    receiver: mpsc::Receiver<(Bytes, OwnedSemaphorePermit)>,
    quiet: Pin<Box<Sleep>>,
}

impl Stream for SseBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(event) = self.receiver.poll_recv(context) {
            self.quiet.as_mut().reset(Instant::now() + QUIET_MAX);
            return Poll::Ready(event.map(|(event, _)| Ok(event)));
        }
        if self.quiet.as_mut().poll(context).is_ready() {
            self.quiet.as_mut().reset(Instant::now() + QUIET_MAX);
            return Poll::Ready(Some(Ok(Bytes::from_static(b":\n\n"))));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll};

    use axum::body::{Bytes, HttpBody};

    use super::{BYTES_AHEAD_MAX, Disconnected, EVENTS_AHEAD_MAX, event, open};

    /// How many events fit before a reader that reads nothing blocks the sender.
    async fn ahead(length: usize) -> usize {
        let (reader, _response) = open();
        let bytes = Bytes::from(vec![b'a'; length]);
        for count in 0..1_000 {
            // Do not exhaust the task's budget.
            tokio::task::yield_now().await;
            let mut sending = Box::pin(reader.send(bytes.clone()));
            let polled = |context: &mut Context<'_>| Poll::Ready(sending.as_mut().poll(context));
            if std::future::poll_fn(polled).await.is_pending() {
                return count;
            }
        }
        1_000
    }

    #[tokio::test]
    async fn a_stalled_reader_buffers_no_more_than_its_limit() {
        assert_eq!(ahead(1).await, EVENTS_AHEAD_MAX);
        assert_eq!(ahead(BYTES_AHEAD_MAX as usize / 4).await, 4);
        assert_eq!(ahead(16 << 20).await, 1);
    }

    #[tokio::test]
    async fn readers_share_the_bytes_and_a_disconnect_is_noticed() {
        let (reader, response) = open();
        let bytes = event(Some("7"), "CUSTOM", "{}");
        reader.send(bytes.clone()).await.unwrap();
        let mut body = Box::pin(response.into_body());
        let frame = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await;
        let got = frame.unwrap().unwrap().into_data().unwrap();
        assert_eq!(
            (&got[..], got.as_ptr()),
            (&b"id: 7\nevent: CUSTOM\ndata: {}\n\n"[..], bytes.as_ptr())
        );
        drop(body);
        assert_eq!(reader.send(bytes).await, Err(Disconnected));
    }
}
