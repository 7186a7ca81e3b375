//! Limits the length of the lines that a server writes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A reader that fails when a line is too long.
pub(crate) struct LimitedLines<R> {
    inner: R,
    line_bytes: usize,
    line_bytes_max: usize,
    /// Set on failure, so that the connection can report the cause.
    exceeded: Arc<AtomicBool>,
}

impl<R> LimitedLines<R> {
    pub(crate) fn new(inner: R, line_bytes_max: usize, exceeded: Arc<AtomicBool>) -> Self {
        Self { inner, line_bytes: 0, line_bytes_max, exceeded }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LimitedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let new = buffer.filled().get(before..).unwrap_or_default();
        self.line_bytes = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => new.len() - at - 1,
            None => self.line_bytes + new.len(),
        };
        if self.line_bytes > self.line_bytes_max {
            self.exceeded.store(true, Ordering::Relaxed);
            buffer.set_filled(before);
            let max = self.line_bytes_max;
            return Poll::Ready(Err(io::Error::other(format!("a line of more than {max} bytes"))));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
