//! An HTTP client without knowledge of the wires.

use contract::Wire;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::provider::FakeProvider;

pub(super) struct Client {
    address: std::net::SocketAddr,
    headers: Vec<(&'static str, String)>,
}

/// An answer, piece by piece.
#[derive(Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) pieces: Vec<Vec<u8>>,
    /// Whether the connection broke before the end.
    pub(super) broken: bool,
}

impl HttpAnswer {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.pieces.concat()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The data of each event; `[DONE]` becomes that string.
    pub(super) fn events(&self) -> Vec<Value> {
        let text = self.text().replace("\r\n", "\n");
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into())).collect()
    }

    /// The error's message, in any wire's format.
    pub(super) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    pub(super) fn new(provider: &FakeProvider) -> Self {
        let headers = vec![
            ("authorization", "Bearer sk-test".into()),
            ("x-goog-api-key", "sk-test".into()),
            ("anthropic-version", "2026-10-21".into()),
            ("content-type", "application/json".into()),
        ];
        Client { address: provider.address(), headers }
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(found, _)| *found != name);
        self
    }

    pub(super) fn with(self, name: &'static str, value: &str) -> Self {
        let mut client = self.without(name);
        client.headers.push((name, value.to_owned()));
        client
    }

    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        body: Vec<u8>,
    ) -> hyper::Result<HttpAnswer> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let driver = tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        let mut response = sender.send_request(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let (mut pieces, mut broken) = (Vec::new(), false);
        while let Some(frame) = response.body_mut().frame().await {
            match frame.map(|frame| frame.into_data().unwrap().to_vec()) {
                Ok(piece) => pieces.push(piece),
                Err(_) => broken = true,
            }
        }
        driver.abort();
        Ok(HttpAnswer { status, headers, pieces, broken })
    }

    pub(super) async fn get(&self, path: &str) -> HttpAnswer {
        self.send("GET", path, Vec::new()).await.unwrap()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> HttpAnswer {
        self.send("POST", path, body.to_string().into_bytes()).await.unwrap()
    }

    /// Asks on a wire, whole or streamed.
    pub(super) async fn ask(&self, wire: Wire, body: &Value, streamed: bool) -> HttpAnswer {
        let mut body = body.clone();
        if streamed && wire != Wire::Gemini {
            body["stream"] = true.into();
        }
        if streamed && wire == Wire::Chat {
            body["stream_options"] = json!({ "include_usage": true });
        }
        self.post(path(wire, streamed), &body).await
    }
}

pub(super) fn path(wire: Wire, streamed: bool) -> &'static str {
    match (wire, streamed) {
        (Wire::Anthropic, _) => "/v1/messages",
        (Wire::Chat, _) => "/v1/chat/completions",
        (Wire::Responses, _) => "/v1/responses",
        (Wire::Gemini, false) => "/v1beta/models/gemini-3-pro:generateContent",
        (Wire::Gemini, true) => "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    }
}

/// The smallest valid request of a wire.
pub(super) fn body(wire: Wire) -> Value {
    match wire {
        Wire::Anthropic => json!({
            "model": "claude-sonnet-5-5", "max_tokens": 1000,
            "messages": [{ "role": "user", "content": "Weather?" }],
        }),
        Wire::Chat => json!({
            "model": "gpt-5.4", "messages": [{ "role": "user", "content": "Weather?" }],
        }),
        Wire::Responses => json!({ "model": "gpt-5.4", "input": "Weather?", "store": false }),
        Wire::Gemini => json!({
            "contents": [{ "role": "user", "parts": [{ "text": "Weather?" }] }],
        }),
    }
}

pub(super) const WIRES: [Wire; 4] = [Wire::Anthropic, Wire::Chat, Wire::Responses, Wire::Gemini];
