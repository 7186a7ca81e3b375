//! The parent's end of a child's channel.
//!
//! Senders write directly if the socket accepts the frame, which avoids a task switch; only the
//! rest is left to the task in [`Channel::flush`].

use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::net::UnixStream;
use tokio::sync::Notify;

use crate::js::worker::FRAME_BYTES_MAX;
use crate::protocol::frame::{Decoder, FrameFault, encode};
use crate::protocol::{FromChild, ToChild};

const READ_BYTES: usize = 32 * 1024;
/// A child with more unread data is stuck.
const WAITING_BYTES_MAX: usize = 64 << 20;

pub(crate) struct Channel {
    stream: UnixStream,
    waiting: Mutex<Vec<u8>>,
    has_waiting: Notify,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SendFault {
    #[error(transparent)]
    Frame(#[from] FrameFault),
    #[error("the child does not read what it is sent")]
    Stuck,
    #[error("the channel broke: {0}")]
    Broken(#[from] io::Error),
}

impl Channel {
    pub(crate) fn new(stream: std::os::unix::net::UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        Ok(Self { stream, waiting: Mutex::default(), has_waiting: Notify::new() })
    }

    /// The socket, for those who continue with another protocol.
    pub(crate) fn into_stream(self) -> UnixStream {
        self.stream
    }

    pub(crate) fn send(&self, message: &ToChild) -> Result<(), SendFault> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = !waiting.is_empty();
        encode(message, &mut waiting, FRAME_BYTES_MAX)?;
        if must_wait {
            return if waiting.len() > WAITING_BYTES_MAX { Err(SendFault::Stuck) } else { Ok(()) };
        }
        match self.stream.try_write(&waiting) {
            Ok(count) => drop(waiting.drain(..count)),
            Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => {}
            Err(fault) => return Err(fault.into()),
        }
        if !waiting.is_empty() {
            self.has_waiting.notify_one();
        }
        Ok(())
    }

    /// Writes buffered data forever.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        loop {
            self.has_waiting.notified().await;
            while self.write_some()? {
                self.stream.writable().await?;
            }
        }
    }

    /// Returns whether data is left.
    fn write_some(&self) -> io::Result<bool> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match self.stream.try_write(&waiting) {
            Ok(count) => drop(waiting.drain(..count)),
            Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => {}
            Err(fault) => return Err(fault),
        }
        Ok(!waiting.is_empty())
    }

    pub(crate) fn reader(&self) -> ChannelReader<'_> {
        ChannelReader { stream: &self.stream, decoder: Decoder::new(FRAME_BYTES_MAX) }
    }
}

/// Reads frames. The error says why no more will come.
pub(crate) struct ChannelReader<'a> {
    stream: &'a UnixStream,
    decoder: Decoder,
}

impl ChannelReader<'_> {
    pub(crate) async fn next(&mut self) -> Result<FromChild, String> {
        loop {
            if let Some(frame) = self.decoder.next().map_err(garbage)? {
                return serde_json::from_slice(frame).map_err(garbage);
            }
            self.stream.readable().await.map_err(|fault| fault.to_string())?;
            let read = self.stream.try_read(self.decoder.room(READ_BYTES));
            self.decoder.filled(READ_BYTES - read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Err("its channel ended".to_owned()),
                Ok(_) => {}
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => {}
                Err(fault) => return Err(fault.to_string()),
            }
        }
    }
}

fn garbage(fault: impl std::fmt::Display) -> String {
    format!("it sent an invalid message: {fault}")
}
