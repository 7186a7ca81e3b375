//! A connection whose client must read: one that reads nothing for a while is closed, so that
//! unread answers do not stay in memory.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A socket with a timeout on writes. Reads are unchanged.
pub(crate) struct StallTimeout<S> {
    inner: S,
    stall_time_max: Duration,
    /// Runs while the client reads nothing.
    stalls: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeout<S> {
    pub(crate) fn new(inner: S, stall_time_max: Duration) -> Self {
        Self { inner, stall_time_max, stalls: None }
    }

    fn or_stalled<T>(
        &mut self,
        polled: Poll<Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<T>> {
        if polled.is_ready() {
            self.stalls = None;
            return polled;
        }
        let time = self.stall_time_max;
        let stalls = self.stalls.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        match stalls.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::from(ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.or_stalled(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.or_stalled(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(context);
        self.or_stalled(polled, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(context);
        self.or_stalled(polled, context)
    }
}
