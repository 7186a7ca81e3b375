//! A minimal server: one response per connection, from a function of the request.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::super::Network;
use super::super::NetworkAccess;

/// What the server sends.
pub(crate) enum Page {
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// These bytes, then nothing more.
    Stall(Vec<u8>),
    /// These bytes again and again.
    Endless(Vec<u8>),
}

impl Page {
    pub(crate) fn ok(body: &str) -> Self {
        Self::with("200 OK", "", body)
    }

    pub(super) fn with(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n");
        Page::Bytes(format!("{head}{body}").into_bytes())
    }

    pub(super) fn redirect(status: u16, location: &str) -> Self {
        Self::with(&format!("{status} Go"), &format!("location: {location}\r\n"), "gone")
    }
}

pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// `answer` gets the whole request as text.
    pub(crate) async fn start(answer: impl Fn(&str) -> Page + Send + Sync + 'static) -> Self {
        Self::start_with(answer, async |stream| Some(stream)).await
    }

    pub(super) async fn start_with<S, F>(
        answer: impl Fn(&str) -> Page + Send + Sync + 'static,
        accept: impl Fn(tokio::net::TcpStream) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
        F: Future<Output = Option<S>> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer, accept) = (Arc::clone(&requests), Arc::new(answer), Arc::new(accept));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer, accept) =
                    (Arc::clone(&seen), Arc::clone(&answer), Arc::clone(&accept));
                connections.spawn(async move {
                    let Some(mut stream) = accept(stream).await else { return };
                    let Some(request) = read_request(&mut stream).await else { return };
                    let page = answer(&request);
                    seen.lock().unwrap().push(request);
                    send(&mut stream, page).await;
                });
            }
        });
        Server { port, requests, _tasks: tasks }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A network that may reach this server and nothing else on this machine.
    pub(crate) fn network(&self) -> Network {
        Network::new(NetworkAccess::this_machine(&[self.port])).unwrap()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some(text);
            }
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

async fn send(stream: &mut (impl AsyncWrite + AsyncRead + Unpin), page: Page) {
    match page {
        Page::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await; // the client may have gone
            let _ = stream.shutdown().await;
        }
        Page::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.read(&mut [0; 1]).await; // until the client gives up
        }
        Page::Endless(bytes) => while stream.write_all(&bytes).await.is_ok() {},
    }
}
