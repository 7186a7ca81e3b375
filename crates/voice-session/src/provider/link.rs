//! Keeps a connection to a provider: one task, which connects, sends and receives.
//!
//! In: orders of the session. Out: [`LinkEvent`]s, in order. Must hold: a message goes to the
//! connection for which it was made, or nowhere; what was received before a connection broke
//! comes before [`LinkEvent::Lost`]; tries are limited, with longer and longer pauses.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use models::backoff;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::ProviderRoad;
use super::connect::Socket;

/// How often a connection is tried before the session ends.
const TRIES_MAX: u32 = 8;
/// A connection that lived so long was a good one: the tries are counted anew.
const GOOD_AFTER: Duration = Duration::from_secs(30);
/// How long a message may take to be sent.
const SEND_MAX: Duration = Duration::from_secs(10);
/// How often the far side is asked for a sign of life, and how long it may owe one.
const PING_EVERY: Duration = Duration::from_secs(15);
const SILENCE_MAX: Duration = Duration::from_secs(45);
/// How long a goodbye may take.
const CLOSE_MAX: Duration = Duration::from_secs(1);
/// Messages that wait for the session.
const WAITING_MAX: usize = 256;

/// Which connection of a session, from 1.
pub(crate) type Generation = u64;

/// What happens to the connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LinkEvent {
    Connected(Generation),
    Message(Generation, String),
    /// Without a reason if we closed it.
    Lost(Generation, Option<String>),
    /// There will be no connection any more.
    GaveUp(String),
}

enum Order {
    Connect,
    Send(Generation, String),
}

/// The session's end of a link. Dropping it closes the connection.
#[derive(Clone)]
pub(crate) struct Link {
    /// Not bounded by number, but by time: a message that takes too long ends the connection.
    orders: mpsc::UnboundedSender<Order>,
}

impl Link {
    /// Starts the task. It connects at the first [`Link::connect`].
    pub(crate) fn start(road: ProviderRoad) -> (Self, mpsc::Receiver<LinkEvent>) {
        let (orders, received) = mpsc::unbounded_channel();
        let (events, happened) = mpsc::channel(WAITING_MAX);
        let keeper = Keeper { road, orders: received, events, generation: 0, failed: 0 };
        tokio::spawn(keeper.run());
        (Self { orders }, happened)
    }

    /// Opens a connection, instead of the one that is open.
    pub(crate) fn connect(&self) {
        // The task ends only when it has given up, and has said so.
        let _ = self.orders.send(Order::Connect);
    }

    pub(crate) fn send(&self, generation: Generation, text: String) {
        let _ = self.orders.send(Order::Send(generation, text));
    }
}

/// How a connection ended.
enum End {
    Lost(String),
    /// The same request would be refused again.
    Refused(String),
    /// A new one was ordered.
    Renewed,
    /// Nobody wants it any more.
    Over,
}

struct Keeper {
    road: ProviderRoad,
    orders: mpsc::UnboundedReceiver<Order>,
    events: mpsc::Sender<LinkEvent>,
    generation: Generation,
    /// Tries in a row that came to nothing.
    failed: u32,
}

impl Keeper {
    async fn run(mut self) {
        let mut is_ordered = false;
        while is_ordered || self.is_ordered().await {
            let Some(socket) = self.connected().await else { return };
            self.generation += 1;
            let began = Instant::now();
            self.tell(LinkEvent::Connected(self.generation)).await;
            let end = self.keep(socket).await;
            if began.elapsed() >= GOOD_AFTER {
                self.failed = 0;
            }
            let (why, renewed) = match end {
                End::Lost(why) => (Some(why), false),
                End::Refused(why) => return self.tell(LinkEvent::GaveUp(why)).await,
                End::Renewed => (None, true),
                End::Over => return,
            };
            self.failed += u32::from(!renewed);
            self.tell(LinkEvent::Lost(self.generation, why)).await;
            is_ordered = renewed;
        }
    }

    /// Waits for an order to connect; there is none when the session is over.
    async fn is_ordered(&mut self) -> bool {
        loop {
            match self.orders.recv().await {
                Some(Order::Connect) => return true,
                // Of a connection that is gone.
                Some(Order::Send(..)) => {}
                None => return false,
            }
        }
    }

    /// Tries until there is a connection, or until that makes no sense any more.
    async fn connected(&mut self) -> Option<Socket> {
        loop {
            let pause = match self.failed {
                0 => Duration::ZERO,
                // Spread by the number of the connection, so that sessions do not come together.
                failed => backoff(failed, (self.generation % 4) as f64 / 4.0),
            };
            tokio::select! {
                // Only the end of the session ends the wait.
                () = no_more(&mut self.orders) => return None,
                () = sleep(pause) => {}
            }
            let fault = tokio::select! {
                () = no_more(&mut self.orders) => return None,
                opened = self.road.connect() => match opened {
                    Ok(socket) => return Some(socket),
                    Err(fault) => fault,
                },
            };
            self.failed += 1;
            tracing::debug!(tries = self.failed, fault.message, "no connection to the provider");
            if fault.is_final || self.failed >= TRIES_MAX {
                self.tell(LinkEvent::GaveUp(fault.message)).await;
                return None;
            }
        }
    }

    /// Sends and receives until the connection ends.
    async fn keep(&mut self, mut socket: Socket) -> End {
        let mut heard_at = Instant::now();
        let mut pings = interval_at(heard_at + PING_EVERY, PING_EVERY);
        let mut has_message = false;
        loop {
            tokio::select! {
                received = socket.next() => {
                    heard_at = Instant::now();
                    match self.received(received, has_message) {
                        Ok(Some(text)) => {
                            has_message = true;
                            self.tell(LinkEvent::Message(self.generation, text)).await;
                        }
                        Ok(None) => {}
                        Err(end) => return end,
                    }
                }
                order = self.orders.recv() => match order {
                    Some(Order::Send(generation, text)) if generation == self.generation => {
                        if let Err(why) = send(&mut socket, Message::text(text)).await {
                            return End::Lost(self.road.shown(&why));
                        }
                    }
                    Some(Order::Send(..)) => {}
                    Some(Order::Connect) => {
                        close(socket).await;
                        return End::Renewed;
                    }
                    None => {
                        close(socket).await;
                        return End::Over;
                    }
                },
                _ = pings.tick() => {
                    if heard_at.elapsed() >= SILENCE_MAX {
                        return End::Lost(format!("{} is silent", self.road.name()));
                    }
                    if let Err(why) = send(&mut socket, Message::Ping(Vec::new().into())).await {
                        return End::Lost(self.road.shown(&why));
                    }
                }
            }
        }
    }

    /// The text of a message, if it has one.
    fn received(
        &self,
        received: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
        has_message: bool,
    ) -> Result<Option<String>, End> {
        match received {
            Some(Ok(Message::Text(text))) => Ok(Some(text.to_string())),
            // Gemini sends its JSON so.
            Some(Ok(Message::Binary(bytes))) => {
                Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(None),
            Some(Ok(Message::Close(frame))) => Err(self.closed(frame, has_message)),
            Some(Err(fault)) => Err(End::Lost(self.road.shown(&fault.to_string()))),
            None => Err(End::Lost(format!("{} closed the connection", self.road.name()))),
        }
    }

    /// The provider closes. Before its first message, the reason is our first one.
    fn closed(&self, frame: Option<CloseFrame>, has_message: bool) -> End {
        let name = self.road.name();
        let Some(CloseFrame { code, reason }) = frame else {
            return End::Lost(format!("{name} closed the connection"));
        };
        let why = self.road.shown(&reason);
        let text = format!("{name} closed the connection with {}: {why}", u16::from(code));
        let is_ours = matches!(
            code,
            CloseCode::Policy | CloseCode::Invalid | CloseCode::Unsupported | CloseCode::Protocol
        );
        match is_ours && !has_message {
            true => End::Refused(text),
            false => End::Lost(text),
        }
    }

    async fn tell(&self, event: LinkEvent) {
        // A session that is over reads nothing.
        let _ = self.events.send(event).await;
    }
}

/// Returns when no order can come any more. Others are for a connection that is not there.
async fn no_more(orders: &mut mpsc::UnboundedReceiver<Order>) {
    while orders.recv().await.is_some() {}
}

async fn send(socket: &mut Socket, message: Message) -> Result<(), String> {
    match timeout(SEND_MAX, socket.send(message)).await {
        Ok(sent) => sent.map_err(|fault| fault.to_string()),
        Err(_) => Err(format!("nothing could be sent for {} s", SEND_MAX.as_secs())),
    }
}

async fn close(mut socket: Socket) {
    let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    // A far side that does not answer is left.
    let _ = timeout(CLOSE_MAX, socket.close(Some(frame))).await;
}

#[cfg(test)]
mod tests;
