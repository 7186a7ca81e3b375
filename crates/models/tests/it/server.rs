//! A test server on loopback: sends prepared answers, and records its requests.

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
pub(crate) enum ServerAction {
    /// Answers and closes.
    Answer(String),
    /// Answers with bytes that may be split inside a character, and closes.
    Bytes(Vec<u8>),
    /// Sends only this part of the announced answer, and closes.
    Cut(String),
    /// Sends this much, then nothing more, with the connection open.
    Hang(String),
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> ServerAction {
    let length = body.len();
    ServerAction::Answer(format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))
}

pub(crate) fn json(status: &str, headers: &str, body: &str) -> ServerAction {
    answer(status, &format!("content-type: application/json\r\n{headers}"), body)
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";

fn chunks(events: &str) -> String {
    let chunk = |line: &str| format!("{:x}\r\n{line}\r\n", line.len());
    events.split_inclusive('\n').map(chunk).collect()
}

pub(crate) fn stream(events: &str) -> ServerAction {
    ServerAction::Answer(format!("{STREAM}{}0\r\n\r\n", chunks(events)))
}

pub(crate) fn cut_stream(events: &str) -> ServerAction {
    ServerAction::Cut(format!("{STREAM}{}", chunks(events)))
}

pub(crate) fn hanging_stream(events: &str) -> ServerAction {
    ServerAction::Hang(format!("{STREAM}{}", chunks(events)))
}

/// A request as the server received it.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// Method and address, as in `POST /v1/messages`.
    pub(crate) line: String,
    /// In lower case.
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl ReceivedRequest {
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
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// One action per connection, in order; then it answers no more.
    pub(crate) async fn new(deeds: Vec<ServerAction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            for action in deeds {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let request = receive(&mut stream).await;
                keep.lock().unwrap().push(request);
                let bytes = match &action {
                    ServerAction::Answer(bytes)
                    | ServerAction::Cut(bytes)
                    | ServerAction::Hang(bytes) => bytes.as_bytes(),
                    ServerAction::Bytes(bytes) => bytes,
                };
                // The client may close before it has read everything.
                let _ = stream.write_all(bytes).await;
                if matches!(action, ServerAction::Hang(_)) {
                    open.push(stream);
                }
            }
            drop(listener);
            // Hanging connections stay open as long as the server lives.
            std::future::pending::<()>().await;
        });
        Self { address, requests, task }
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(stream: &mut TcpStream) -> ReceivedRequest {
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
            return ReceivedRequest { line, headers, body: body.to_owned() };
        }
        assert!(read > 0, "the request ended in its body");
    }
}

/// Never sleeps; records the requested durations.
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

/// An HTTP client that never waits between attempts.
pub(crate) fn line(limits: Limits) -> (HttpClient, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    let shared: Arc<dyn Clock> = clock.clone();
    (HttpClient::with(limits, shared, Certificates::usual()).unwrap(), clock)
}
