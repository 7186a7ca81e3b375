//! A far side on the loopback: answers what it was told to, and keeps what it was asked.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use contract::BoxFuture;
use models::{Certificates, Clock, HttpClient, Limits};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Deed {
    /// Answers and closes.
    Answer(String),
    /// Answers with bytes that may be cut inside of a letter, and closes.
    Bytes(Vec<u8>),
    /// Says this much of an answer that promised more, and closes.
    Cut(String),
    /// Says this much and then nothing more, with the connection open.
    Hang(String),
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Deed {
    let length = body.len();
    Deed::Answer(format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))
}

pub(crate) fn json(status: &str, headers: &str, body: &str) -> Deed {
    answer(status, &format!("content-type: application/json\r\n{headers}"), body)
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";

fn chunks(events: &str) -> String {
    let chunk = |line: &str| format!("{:x}\r\n{line}\r\n", line.len());
    events.split_inclusive('\n').map(chunk).collect()
}

pub(crate) fn stream(events: &str) -> Deed {
    Deed::Answer(format!("{STREAM}{}0\r\n\r\n", chunks(events)))
}

pub(crate) fn cut_stream(events: &str) -> Deed {
    Deed::Cut(format!("{STREAM}{}", chunks(events)))
}

pub(crate) fn hanging_stream(events: &str) -> Deed {
    Deed::Hang(format!("{STREAM}{}", chunks(events)))
}

/// A request as the server heard it.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    /// Method and address, as in `POST /v1/messages`.
    pub(crate) line: String,
    /// In lower case.
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let line = self.headers.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    }
}

pub(crate) struct Server {
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// One deed per connection, in order; then it answers no more.
    pub(crate) async fn new(deeds: Vec<Deed>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            for deed in deeds {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let request = hear(&mut stream).await;
                keep.lock().unwrap().push(request);
                let said = match &deed {
                    Deed::Answer(said) | Deed::Cut(said) | Deed::Hang(said) => said.as_bytes(),
                    Deed::Bytes(said) => said,
                };
                // Whoever does not listen to the end has closed; that is theirs to do.
                let _ = stream.write_all(said).await;
                if matches!(deed, Deed::Hang(_)) {
                    open.push(stream);
                }
            }
            drop(listener);
            // Hanging connections stay open as long as the server lives.
            std::future::pending::<()>().await;
        });
        Self { address, heard, task }
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn hear(stream: &mut TcpStream) -> Heard {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).await.unwrap_or(0);
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert!(read > 0, "the request ended in its head");
            continue;
        };
        let headers = head.to_lowercase();
        let length = headers.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        if body.len() >= length {
            let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
            return Heard { line, headers, body: body.to_owned() };
        }
        assert!(read > 0, "the request ended in its body");
    }
}

/// Never waits; remembers how long it was told to.
#[derive(Default)]
pub(crate) struct FakeClock {
    waits: Mutex<Vec<Duration>>,
}

impl FakeClock {
    pub(crate) fn waits(&self) -> Vec<u128> {
        self.waits.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.waits.lock().unwrap().push(time);
        Box::pin(std::future::ready(()))
    }

    fn dice(&self) -> f64 {
        0.0
    }
}

/// A line that never waits between tries.
pub(crate) fn line(limits: Limits) -> (HttpClient, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    let given: Arc<dyn Clock> = clock.clone();
    (HttpClient::with(limits, given, Certificates::usual()).unwrap(), clock)
}
