//! The readers: each has its own connection and records the age of a time on arrival.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{BufReader, Lines};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::{now_us, stamp};
use crate::http::Connection;

const WAIT_MAX: Duration = Duration::from_secs(120);

/// All readers, and the speaker.
pub(crate) struct Crowd {
    speaker: Connection,
    talks: Vec<String>,
    readers: usize,
    /// The age of each time on arrival.
    ages: mpsc::UnboundedReceiver<Duration>,
}

/// The ages of the times.
pub(crate) struct Heard {
    pub count: usize,
    pub middle: Duration,
    pub p99: Duration,
}

impl Crowd {
    pub(crate) async fn gather(address: SocketAddr, talks: usize, each: usize) -> Result<Self> {
        let mut speaker = Connection::open(address).await?;
        let mut paths = Vec::new();
        for _ in 0..talks {
            let answer = speaker.post("/api/conversations", b"{}").await?;
            let answer: Value = serde_json::from_slice(&answer.body)?;
            let id =
                answer.get("id").and_then(Value::as_str).context("a conversation has an id")?;
            paths.push(format!("/api/conversations/{id}"));
        }
        let (sender, ages) = mpsc::unbounded_channel();
        for path in paths.iter().flat_map(|path| std::iter::repeat_n(path, each)) {
            let lines = Connection::open(address).await?.lines(&format!("{path}/stream")).await?;
            tokio::spawn(read(lines, sender.clone()));
        }
        Ok(Self { speaker, talks: paths, readers: talks * each, ages })
    }

    /// Starts a turn in every conversation and waits until each reader has every time.
    pub(crate) async fn hear_turns(&mut self, ticks: usize) -> Result<Heard> {
        for path in &self.talks {
            self.speaker
                .post(&format!("{path}/messages"), br#"{"text":"What time is it?"}"#)
                .await?;
        }
        let mut ages = self.hear(self.readers * ticks).await?;
        ages.sort_unstable();
        let at = |share: usize| ages.get(ages.len() * share / 100).copied();
        let (middle, p99) = at(50).zip(at(99)).context("times were heard")?;
        Ok(Heard { count: ages.len(), middle, p99 })
    }

    /// Changes a key and waits until every reader has the change.
    pub(crate) async fn hear_change(&mut self) -> Result<Duration> {
        let start = Instant::now();
        let value = json!({ "value": stamp() }).to_string();
        self.speaker.send("PUT", "/api/kv/time", value.as_bytes()).await?;
        self.hear(self.readers).await?;
        Ok(start.elapsed())
    }

    async fn hear(&mut self, count: usize) -> Result<Vec<Duration>> {
        let mut ages = Vec::with_capacity(count);
        let all = async {
            while ages.len() < count && self.ages.recv_many(&mut ages, count).await > 0 {}
        };
        let waited = tokio::time::timeout(WAIT_MAX, all).await;
        ensure!(waited.is_ok(), "{} of {count} times were heard", ages.len());
        ensure!(ages.len() == count, "{} times were heard, not {count}", ages.len());
        Ok(ages)
    }
}

async fn read(mut lines: Lines<BufReader<TcpStream>>, ages: mpsc::UnboundedSender<Duration>) {
    while let Ok(Some(line)) = lines.next_line().await {
        let is_news =
            line.starts_with("data:") && (line.contains("CONTENT") || line.contains("kv_update"));
        let stamp = line.split("t=").nth(1).and_then(|rest| rest.split(';').next());
        if let Some(then) = stamp.filter(|_| is_news).and_then(|stamp| stamp.parse().ok()) {
            let age = Duration::from_micros(now_us().saturating_sub(then));
            if ages.send(age).is_err() {
                return;
            }
        }
    }
}
