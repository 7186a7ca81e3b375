//! A Realtime server that answers at once, and knows when each frame came and went.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

/// When frames were sent, oldest first.
pub(crate) type Stamps = Arc<Mutex<VecDeque<Instant>>>;

pub(crate) fn stamp(stamps: &Stamps) {
    stamps.lock().unwrap_or_else(PoisonError::into_inner).push_back(Instant::now());
}

/// How long ago the oldest was sent.
pub(crate) fn since(stamps: &Stamps) -> Option<Duration> {
    let mut stamps = stamps.lock().unwrap_or_else(PoisonError::into_inner);
    stamps.pop_front().map(|at| at.elapsed())
}

/// The server of one session.
pub(crate) struct FarSide {
    pub base_url: String,
    /// Of frames on their way to the server.
    pub sent: Stamps,
    /// How long they took.
    pub delays: mpsc::UnboundedReceiver<Duration>,
    /// What it is asked for: `session.update`, `response.create`, …
    pub asked: mpsc::UnboundedReceiver<String>,
    orders: mpsc::UnboundedSender<Value>,
    task: JoinHandle<Result<()>>,
}

impl FarSide {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let sent = Stamps::default();
        let (delay, delays) = mpsc::unbounded_channel();
        let (ask, asked) = mpsc::unbounded_channel();
        let (orders, ordered) = mpsc::unbounded_channel();
        let task = tokio::spawn(serve(listener, Arc::clone(&sent), delay, ask, ordered));
        Ok(Self { base_url, sent, delays, asked, orders, task })
    }

    /// Sends a message to the session.
    pub(crate) fn send(&self, message: Value) -> Result<()> {
        self.orders.send(message).context("the connection is open")
    }

    /// Waits until it is asked for this.
    pub(crate) async fn asked_for(&mut self, wanted: &str) -> Result<()> {
        while self.asked.recv().await.context("the connection is open")? != wanted {}
        Ok(())
    }
}

impl Drop for FarSide {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    listener: TcpListener,
    sent: Stamps,
    delays: mpsc::UnboundedSender<Duration>,
    asked: mpsc::UnboundedSender<String>,
    mut orders: mpsc::UnboundedReceiver<Value>,
) -> Result<()> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut socket = accept_async(stream).await?;
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => socket.send(Message::text(order.to_string())).await?,
                None => return Ok(()),
            },
            message = socket.next() => {
                let Some(Ok(message)) = message else { return Ok(()) };
                let Ok(text) = message.to_text() else { continue };
                if text.contains("input_audio_buffer.append") {
                    // Nobody waits any more when enough frames were measured.
                    let _ = since(&sent).map(|delay| delays.send(delay));
                    continue;
                }
                let message: Value = serde_json::from_str(text).unwrap_or_default();
                let kind = message["type"].as_str().unwrap_or_default().to_owned();
                if kind == "session.update" {
                    let ready = json!({ "type": "session.updated" });
                    socket.send(Message::text(ready.to_string())).await?;
                }
                let _ = asked.send(kind);
            }
        }
    }
}
