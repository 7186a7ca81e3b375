//! Tells other processes what was written, and hears what they wrote.
//!
//! One notification per batch, after its commit and in a transaction of its own: a notification
//! holds a lock of the whole database until its commit. What gathers while one is sent goes into
//! the next. The payload is the name of this process and one topic per line; a long one says only
//! that everything may have changed. Whatever gets lost is found by the next look (`look.rs`).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use store::engine::{Topic, Topics};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::connect::{Connector, Link};
use crate::fault::Trouble;

/// PostgreSQL allows 8,000.
const PAYLOAD_BYTES_MAX: usize = 7_000;
/// The pause before connecting again.
const PAUSE: Duration = Duration::from_millis(250);

/// Passes what was written on to other processes.
#[derive(Clone)]
pub(crate) struct Announcer(UnboundedSender<HashSet<Topic>>);

impl Announcer {
    pub(crate) fn new() -> (Self, UnboundedReceiver<HashSet<Topic>>) {
        let (send, receive) = unbounded_channel();
        (Self(send), receive)
    }

    pub(crate) fn announce(&self, touched: HashSet<Topic>) {
        if !touched.is_empty() {
            // Nobody listens after the store was closed.
            let _ = self.0.send(touched);
        }
    }
}

/// The state of the listener's task.
pub(crate) struct Listener {
    pub connector: Arc<Connector>,
    pub topics: Arc<Topics>,
    pub channel: String,
    /// The name of this process among the notifications.
    pub process: String,
    pub written: UnboundedReceiver<HashSet<Topic>>,
}

impl Listener {
    pub(crate) async fn work(mut self) {
        loop {
            if let Err(trouble) = self.listen().await {
                tracing::debug!(because = trouble.because(), "the listening connection is lost");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Listens until the connection is lost.
    async fn listen(&mut self) -> Result<(), Trouble> {
        let (heard_in, mut heard) = unbounded_channel();
        let link = self.connector.connect_with(Some(heard_in)).await?;
        let listen = format!("set synchronous_commit = off; listen {}", self.channel);
        link.batch(&listen).await?;
        // What was written while nobody listened.
        self.topics.touch_all();
        loop {
            tokio::select! {
                payload = heard.recv() => match payload {
                    Some(payload) => self.hear(&payload),
                    None => return Err(Trouble::lost("the connection is closed")),
                },
                touched = self.written.recv() => match touched {
                    Some(touched) => self.tell(&link, touched).await?,
                    // The store was dropped; its end comes from outside.
                    None => std::future::pending().await,
                },
            }
        }
    }

    fn hear(&self, payload: &str) {
        let mut lines = payload.lines();
        if lines.next() == Some(self.process.as_str()) {
            return;
        }
        match lines.map(topic).collect::<Option<HashSet<Topic>>>() {
            Some(touched) => self.topics.touch(&touched),
            None => self.topics.touch_all(),
        }
    }

    async fn tell(&mut self, link: &Link, mut touched: HashSet<Topic>) -> Result<(), Trouble> {
        while let Ok(more) = self.written.try_recv() {
            touched.extend(more);
        }
        let mut payload = self.process.clone();
        for topic in &touched {
            payload.push('\n');
            payload.push_str(&line(topic));
        }
        if payload.len() > PAYLOAD_BYTES_MAX {
            payload = format!("{}\n*", self.process);
        }
        link.query("select pg_notify($1, $2)", &[&self.channel, &payload]).await.map(|_| ())
    }
}

fn line(topic: &Topic) -> String {
    match topic {
        Topic::Kv => "k".to_owned(),
        Topic::Log(log) => format!("l{log}"),
        Topic::Queue(queue) => format!("q{queue}"),
    }
}

/// `None` for a line that says nothing certain.
fn topic(line: &str) -> Option<Topic> {
    match line.split_at_checked(1)? {
        ("k", "") => Some(Topic::Kv),
        ("l", name) => name.parse().ok().map(Topic::Log),
        ("q", name) => name.parse().ok().map(Topic::Queue),
        _ => None,
    }
}
