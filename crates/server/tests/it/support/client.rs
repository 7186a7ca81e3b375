//! An HTTP client with a new connection for each request.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;

#[derive(Clone)]
pub(crate) struct Client {
    pub address: SocketAddr,
    pub token: Option<String>,
}

pub(crate) struct TextResponse {
    pub status: StatusCode,
    pub headers: hyper::HeaderMap,
    pub text: String,
}

impl TextResponse {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }
}

impl Client {
    pub(crate) async fn raw(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        let socket = tokio::net::TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(socket)).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.unwrap()
    }

    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", self.address.to_string())
            .header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
    }

    pub(crate) async fn respond(&self, request: Request<Full<Bytes>>) -> TextResponse {
        let (head, body) = self.raw(request).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        TextResponse { status: head.status, headers: head.headers, text }
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Value) -> TextResponse {
        self.respond(self.request(method, path, &body.to_string())).await
    }

    pub(crate) async fn get(&self, path: &str) -> TextResponse {
        self.respond(self.request("GET", path, "")).await
    }

    /// The events of the answer to a POST.
    pub(crate) async fn posted_stream(&self, path: &str, body: Value) -> Events {
        let response = self.raw(self.request("POST", path, &body.to_string())).await;
        assert_eq!(response.status(), 200);
        Events { body: response.into_body(), text: String::new() }
    }

    pub(crate) async fn stream(&self, path: &str, last: Option<&str>) -> Events {
        let mut request = self.request("GET", path, "");
        if let Some(last) = last {
            request.headers_mut().insert("last-event-id", last.parse().unwrap());
        }
        let response = self.raw(request).await;
        assert_eq!(response.status(), 200);
        Events { body: response.into_body(), text: String::new() }
    }
}

/// One event of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub id: String,
    pub kind: String,
    pub data: Value,
}

impl Event {
    /// `CUSTOM` events by their own names.
    pub(crate) fn name(&self) -> &str {
        self.data["name"].as_str().unwrap_or(&self.kind)
    }
}

pub(crate) struct Events {
    body: Incoming,
    text: String,
}

impl Events {
    /// The next event; none at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                let event = parse(event);
                self.text = rest.to_owned();
                if event.is_some() {
                    return event;
                }
            }
            let frame = self.body.frame().await?.ok()?;
            let bytes = frame.into_data().unwrap_or_default();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// Everything up to and including the first event of this name.
    pub(crate) async fn until(&mut self, name: &str) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let Some(event) = self.next().await else { panic!("no {name} in {events:#?}") };
            let found = event.name() == name;
            events.push(event);
            if found {
                return events;
            }
        }
    }
}

fn parse(text: &str) -> Option<Event> {
    let field = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned))
    };
    let data = serde_json::from_str(&field("data")?).unwrap();
    Some(Event { id: field("id").unwrap_or_default(), kind: field("event")?, data })
}
