//! A relay between two WebSockets that does nothing else, for comparison.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::interval;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, client_async};

use super::far_side::{FarSide, stamp};

/// Sends frames through the relay, and gives how long each took to the server.
pub(crate) async fn delays(frames: usize) -> Result<Vec<Duration>> {
    let mut far = FarSide::start().await?;
    let target = far.base_url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let relay = tokio::spawn(relay(listener, target));
    let stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let (mut socket, _) = client_async(format!("ws://{address}/"), stream).await?;
    let sent = Arc::clone(&far.sent);
    let frame = json!({ "type": "input_audio_buffer.append", "audio": "AAAA".repeat(320) });
    let frame = frame.to_string();
    let mut clock = interval(Duration::from_millis(20));
    let mut delays = Vec::with_capacity(frames);
    for _ in 0..frames {
        clock.tick().await;
        stamp(&sent);
        socket.send(Message::text(frame.clone())).await?;
        delays.push(far.delays.recv().await.context("the relay goes on")?);
    }
    relay.abort();
    Ok(delays)
}

async fn relay(listener: TcpListener, target: String) -> Result<()> {
    let (near, _) = listener.accept().await?;
    near.set_nodelay(true)?;
    let mut near = accept_async(near).await?;
    let far = TcpStream::connect(&target).await?;
    far.set_nodelay(true)?;
    let (mut far, _) = client_async(format!("ws://{target}/"), far).await?;
    while let Some(message) = near.next().await {
        far.send(message?).await?;
    }
    Ok(())
}
