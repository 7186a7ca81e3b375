//! Exports spans to a collector: OTLP as JSON over HTTP.
//!
//! Must hold: a slow or unreachable collector delays nothing; spans that it does not accept
//! are dropped, with one log line for each batch.

pub(crate) mod spans;

use std::time::Duration;

use contract::Secret;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// Where to send spans, and what they may contain.
#[derive(Debug, Clone)]
pub struct Telemetry {
    /// `http://host:4318`; `/v1/traces` is appended.
    pub endpoint: String,
    /// Sent with each request.
    pub headers: Vec<(String, Secret)>,
    pub content: Content,
}

/// Whether spans contain messages, arguments and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Hidden,
    Shown,
}

/// Why the telemetry settings are invalid.
#[derive(Debug, thiserror::Error)]
pub enum BadTelemetry {
    #[error("`{0}` is not an http or https address")]
    Endpoint(String),
    #[error("`{0}` is not a valid header name, or its value cannot be sent")]
    Header(String),
}

const BATCHES_WAITING_MAX: usize = 256;
const SPANS_PER_REQUEST_MAX: usize = 512;
const REQUEST_TIME_MAX: Duration = Duration::from_secs(5);
const FLUSH_TIME_MAX: Duration = Duration::from_secs(2);

/// The export queue. It is bounded.
pub(crate) struct Exporter {
    sender: mpsc::Sender<Task>,
    pub content: Content,
}

enum Task {
    Spans(Vec<Value>),
    Flush(oneshot::Sender<()>),
}

impl Exporter {
    /// Starts the export task on the current runtime.
    pub(crate) fn start(telemetry: &Telemetry) -> Result<Self, BadTelemetry> {
        let collector = Collector::new(telemetry)?;
        let (sender, mut tasks) = mpsc::channel(BATCHES_WAITING_MAX);
        tokio::spawn(async move {
            let mut batch = Vec::new();
            while tasks.recv_many(&mut batch, BATCHES_WAITING_MAX).await > 0 {
                let (mut spans, mut waiting) = (Vec::new(), Vec::new());
                for task in batch.drain(..) {
                    match task {
                        Task::Spans(some) => spans.extend(some),
                        Task::Flush(flushed) => waiting.push(flushed),
                    }
                }
                for some in spans.chunks(SPANS_PER_REQUEST_MAX) {
                    collector.send(some).await;
                }
                for flushed in waiting {
                    // The receiver may be gone.
                    let _ = flushed.send(());
                }
            }
        });
        Ok(Self { sender, content: telemetry.content })
    }

    pub(crate) fn put(&self, spans: Vec<Value>) {
        if self.sender.try_send(Task::Spans(spans)).is_err() {
            tracing::warn!("dropped the spans of a turn: the export queue is full");
        }
    }

    /// Waits a short time for what was queued before.
    pub(crate) async fn flush(&self) {
        let (flushed, done) = oneshot::channel();
        if self.sender.try_send(Task::Flush(flushed)).is_ok() {
            let _ = tokio::time::timeout(FLUSH_TIME_MAX, done).await;
        }
    }
}

struct Collector {
    pool: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The request without its body.
    template: Request<()>,
}

impl Collector {
    fn new(telemetry: &Telemetry) -> Result<Self, BadTelemetry> {
        let bad = || BadTelemetry::Endpoint(telemetry.endpoint.clone());
        let address = format!("{}/v1/traces", telemetry.endpoint.trim_end_matches('/'));
        let uri: Uri = address.parse().map_err(|_| bad())?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
            return Err(bad());
        }
        let mut template = Request::post(uri).header("content-type", "application/json");
        for (name, value) in &telemetry.headers {
            template = template.header(name, value.expose());
            if template.headers_ref().is_none() {
                return Err(BadTelemetry::Header(name.clone()));
            }
        }
        let template = template.body(()).map_err(|_| bad())?;
        let https =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        Ok(Self { pool: Client::builder(TokioExecutor::new()).build(https), template })
    }

    async fn send(&self, spans: &[Value]) {
        let body = Full::new(Bytes::from(in_otlp(spans).to_string()));
        let request = self.template.clone().map(|()| body);
        match tokio::time::timeout(REQUEST_TIME_MAX, self.pool.request(request)).await {
            Ok(Ok(answer)) if answer.status().is_success() => {}
            Ok(Ok(answer)) => {
                tracing::warn!(status = %answer.status(), "the collector refused the spans");
            }
            Ok(Err(fault)) => tracing::warn!(%fault, "the collector cannot be reached"),
            Err(_) => tracing::warn!("the collector did not answer in time"),
        }
    }
}

fn in_otlp(spans: &[Value]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let about = [text("service.name", "ghosthand"), text("service.version", version)];
    let scope = json!({ "name": "ghosthand", "version": version });
    let scoped = json!([{ "scope": scope, "spans": spans }]);
    json!({ "resourceSpans": [{ "resource": { "attributes": about }, "scopeSpans": scoped }] })
}

#[cfg(test)]
mod tests {
    use contract::Secret;

    use super::{Collector, Content, Telemetry};

    #[test]
    fn an_invalid_address_or_header_is_refused_at_startup() {
        let check = |endpoint: &str, name: &str, value: &str, expected: Option<&str>| {
            let headers = vec![(name.to_owned(), Secret::new(value))];
            let telemetry =
                Telemetry { endpoint: endpoint.into(), headers, content: Content::Hidden };
            let fault = Collector::new(&telemetry).err().map(|bad| bad.to_string());
            assert_eq!(fault.as_deref(), expected);
        };
        check("http://localhost:4318/", "key", "x", None);
        check("https://collector.example.com/otlp", "key", "x", None);
        check(
            "localhost:4318",
            "key",
            "x",
            Some("`localhost:4318` is not an http or https address"),
        );
        let refused = "`a key` is not a valid header name, or its value cannot be sent";
        check("http://localhost:4318", "a key", "x", Some(refused));
    }
}
