//! One recorded request; its keys are never printed.

use std::fmt;

use contract::Wire;
use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use serde_json::{Value, json};

#[derive(Clone)]
pub struct RecordedRequest {
    pub method: String,
    /// With the query.
    pub path: String,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
    /// The body as JSON, or `null` if it is not JSON.
    pub body: Value,
    /// The wire, if this asked a model.
    pub wire: Option<Wire>,
    /// Why the server refused it, a line for each reason; empty if it was accepted.
    pub refused: Vec<String>,
}

const SECRET: &[&str] = &["authorization", "x-api-key", "x-goog-api-key", "proxy-authorization"];

impl RecordedRequest {
    pub fn new(head: &Parts, bytes: &[u8], wire: Option<Wire>) -> Self {
        Self {
            method: head.method.to_string(),
            path: head.uri.to_string(),
            headers: head.headers.clone(),
            bytes: bytes.to_vec(),
            body: serde_json::from_slice(bytes).unwrap_or_default(),
            wire,
            refused: Vec::new(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Its key, from the header that the provider uses.
    pub(crate) fn key(&self, wire: Wire) -> Option<&str> {
        let bearer = self.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        match wire {
            Wire::Anthropic => self.header("x-api-key").or(bearer),
            Wire::Chat | Wire::Responses => bearer,
            Wire::Gemini => self.header("x-goog-api-key"),
        }
    }

    pub(crate) fn body_line(&self) -> Option<String> {
        let wire = self.wire?;
        Some(format!("{}\n", json!({ "wire": wire.as_str(), "body": self.body })))
    }
}

impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.headers.iter().map(|(name, value)| {
            let secret = SECRET.contains(&name.as_str());
            let value = if secret { "[secret]" } else { value.to_str().unwrap_or("[no text]") };
            (name.as_str(), value.to_owned())
        });
        f.debug_struct("RecordedRequest")
            .field("method", &self.method)
            .field("path", &without_key(&self.path))
            .field("headers", &shown.collect::<Vec<_>>())
            .field("body", &self.body)
            .field("wire", &self.wire)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

fn without_key(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name @ ("key" | "access_token"), _)) => format!("{name}=[secret]"),
        _ => pair.to_owned(),
    };
    let query: Vec<_> = query.split('&').map(hide).collect();
    format!("{path}?{}", query.join("&"))
}
