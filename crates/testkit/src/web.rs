//! A web server on loopback: a function from requests to answers.
//!
//! In: a function. Out: its answers over a real socket, and all requests. Must hold: no clock, no
//! sleep; waits happen at a [`Gate`].

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::Gate;
use fake_providers::RecordedRequest;

const BODY_BYTES_MAX: usize = 8 << 20;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub enum WebAnswer {
    Reply(WebResponse),
    /// The connection breaks before the answer.
    Lost,
    /// No answer until the gate opens; then the connection breaks.
    Silent(Gate),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebResponse {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl WebAnswer {
    pub fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        WebAnswer::Reply(WebResponse { status, headers, body: body.to_string().into_bytes() })
    }

    /// Adds a header to a reply.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if let WebAnswer::Reply(reply) = &mut self {
            reply.headers.push((name, value.to_owned()));
        }
        self
    }
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct Web {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    accepting: JoinHandle<()>,
}

type Answering = dyn Fn(&RecordedRequest) -> WebAnswer + Send + Sync;

impl Web {
    pub async fn start(
        answer: impl Fn(&RecordedRequest) -> WebAnswer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let requests = Arc::default();
        let accepting = tokio::spawn(accept(listener, Arc::new(answer), Arc::clone(&requests)));
        Ok(Self { address, requests, accepting })
    }

    /// `http://127.0.0.1:PORT`
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    answer: Arc<Answering>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
        connections.spawn(async move {
            let service = service_fn(|request| one(answer.as_ref(), &requests, request));
            // A client that disconnects is not a fault of the server.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn one(
    answer: &Answering,
    requests: &Mutex<Vec<RecordedRequest>>,
    request: Request<Incoming>,
) -> io::Result<Response<Full<Bytes>>> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map_err(io::Error::other)?;
    let recorded = RecordedRequest::new(&head, &body.to_bytes(), None);
    requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded.clone());
    match answer(&recorded) {
        WebAnswer::Reply(reply) => response(reply),
        WebAnswer::Lost => Err(io::Error::other("lost, as the test requests")),
        WebAnswer::Silent(gate) => {
            gate.pass().await;
            Err(io::Error::other("lost, as the test requests"))
        }
    }
}

fn response(reply: WebResponse) -> io::Result<Response<Full<Bytes>>> {
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = StatusCode::from_u16(reply.status).map_err(io::Error::other)?;
    for (name, value) in reply.headers {
        let value = HeaderValue::from_str(&value).map_err(io::Error::other)?;
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    Ok(response)
}
