//! The line to providers: connections, limits, and sending again.
//!
//! In: a request for one address of a provider. Out: an answer with a good status, whose
//! body is still to be read, or a fault. Must hold: everything has a limit in bytes and in
//! time; no redirect is followed, because the key would go along.

mod body;
mod limits;

use std::sync::Arc;
use std::time::Duration;

use contract::{ModelFault, Wire};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use rustls::crypto::ring;

pub(crate) use body::Body;
pub use limits::Limits;

use crate::fault::{self, Answered};
use crate::provider::{Key, Provider};
use crate::retry::{self, Advice, Clock, SystemClock};
use crate::wire::anthropic;

/// Made once for the program; cheap to clone.
#[derive(Clone)]
pub struct Line {
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
}

/// What is asked of a provider.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// Below the provider's base address.
    pub(crate) path: &'a str,
    pub(crate) content: Content,
    /// For complaints: the model, and the tools in the order of the body.
    pub(crate) model: &'a str,
    pub(crate) tools: &'a [Option<String>],
    /// Where it is not the usual limit.
    pub(crate) bytes_max: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    None,
    Json(Bytes),
    /// With a content type of its own.
    Other(String, Bytes),
}

impl<'a> Ask<'a> {
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: Method::GET, ..Self::post(path, Content::None) }
    }

    pub(crate) fn post(path: &'a str, content: Content) -> Self {
        Self { method: Method::POST, path, content, model: "", tools: &[], bytes_max: None }
    }
}

/// Why one try failed.
pub(crate) struct Failed {
    pub(crate) fault: ModelFault,
    pub(crate) advice: Advice,
}

impl From<ModelFault> for Failed {
    fn from(fault: ModelFault) -> Self {
        Self { fault, advice: Advice::default() }
    }
}

impl Line {
    /// With the system's clock and the certificate authorities that browsers trust.
    pub fn new(limits: Limits) -> Result<Self, ModelFault> {
        Self::with_clock(limits, Arc::new(SystemClock))
    }

    pub fn with_clock(limits: Limits, clock: Arc<dyn Clock>) -> Result<Self, ModelFault> {
        let roots: rustls::RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| fault::no_tls(&error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(limits.connect_time_max));
        let https =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let pool = Pool::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .build(https.wrap_connector(http));
        Ok(Self { pool, clock, limits })
    }

    /// Sends until there is a good answer, or until it is no use.
    pub(crate) async fn ask(
        &self,
        provider: &Provider,
        ask: &Ask<'_>,
    ) -> Result<Answer, ModelFault> {
        let mut tries = 0;
        loop {
            match self.send(provider, ask).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => self.pause(provider, &mut tries, failed).await?,
            }
        }
    }

    /// As [`Line::ask`], for what must not be made twice: tried again only where the server
    /// has said no.
    pub(crate) async fn create(
        &self,
        provider: &Provider,
        ask: &Ask<'_>,
    ) -> Result<Answer, ModelFault> {
        let mut tries = 0;
        loop {
            match self.send(provider, ask).await {
                Ok(answer) => return Ok(answer),
                Err(Failed { fault, .. }) if fault.status.is_none() => return Err(fault),
                Err(failed) => self.pause(provider, &mut tries, failed).await?,
            }
        }
    }

    /// Waits before the next try, or says that there is none.
    pub(crate) async fn pause(
        &self,
        provider: &Provider,
        tries: &mut u32,
        failed: Failed,
    ) -> Result<(), ModelFault> {
        let Failed { fault, advice } = failed;
        *tries += 1;
        let wait = retry::wait(&fault, advice, *tries, self.clock.dice());
        let Some(wait) = wait.filter(|_| *tries <= self.limits.retries_max) else {
            return Err(fault);
        };
        tracing::debug!(provider = %provider.name, kind = %fault.kind, tries, ?wait, "asking again");
        self.clock.sleep(wait).await;
        Ok(())
    }

    /// One try.
    pub(crate) async fn send(&self, provider: &Provider, ask: &Ask<'_>) -> Result<Answer, Failed> {
        let request =
            request(provider, ask, ask.bytes_max.unwrap_or(self.limits.request_bytes_max))?;
        let idle = self.limits.idle_time_max;
        let sent = tokio::time::timeout(idle, self.pool.request(request)).await;
        let response = sent
            .map_err(|_| fault::timed_out(provider, "did not answer", idle))?
            .map_err(|error| fault::unreachable(provider, &innermost(&error)))?;
        let answer = Answer { response, limits: self.limits, provider: provider.clone() };
        if answer.response.status().is_success() {
            return Ok(answer);
        }
        Err(self.refused(ask, answer).await)
    }

    async fn refused(&self, ask: &Ask<'_>, answer: Answer) -> Failed {
        let provider = answer.provider.clone();
        let status = answer.response.status().as_u16();
        let headers = answer.response.headers().clone();
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let advice = Advice::read(header, self.clock.now());
        let body = answer.body().text(self.limits.fault_bytes_max).await.unwrap_or_default();
        let answered = Answered {
            status,
            body: &body,
            location: header("location"),
            retry_after: advice.retry_after,
            tools: ask.tools,
        };
        Failed { fault: fault::of_answer(&provider, ask.model, &answered), advice }
    }
}

/// An answer with a good status.
pub(crate) struct Answer {
    response: Response<Incoming>,
    limits: Limits,
    provider: Provider,
}

impl Answer {
    /// Does it come as a stream of events? A server that does not say is taken at its word.
    pub(crate) fn is_whole(&self) -> bool {
        self.content_type().starts_with("application/json")
    }

    pub(crate) fn is_page(&self) -> bool {
        self.content_type().starts_with("text/html")
    }

    fn content_type(&self) -> &str {
        let value = self.response.headers().get(hyper::header::CONTENT_TYPE);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(crate) fn body(self) -> Body {
        Body::new(self.response.into_body(), self.limits.idle_time_max, self.provider)
    }
}

fn request(
    provider: &Provider,
    ask: &Ask<'_>,
    bytes_max: usize,
) -> Result<Request<Full<Bytes>>, ModelFault> {
    let (content_type, bytes) = match &ask.content {
        Content::None => (None, Bytes::new()),
        Content::Json(bytes) => (Some("application/json"), bytes.clone()),
        Content::Other(content_type, bytes) => (Some(content_type.as_str()), bytes.clone()),
    };
    if bytes.len() > bytes_max {
        return Err(fault::request_too_large(bytes.len(), bytes_max));
    }
    let mut request = Request::new(Full::new(bytes));
    *request.method_mut() = ask.method.clone();
    *request.uri_mut() = address(provider, ask.path)?;
    *request.headers_mut() = headers(provider, content_type)?;
    Ok(request)
}

fn address(provider: &Provider, path: &str) -> Result<Uri, ModelFault> {
    let base = provider.base_url.trim_end_matches('/');
    // Some write Anthropic's address with its version, some without.
    let base = match provider.wire {
        Wire::Anthropic => base.strip_suffix("/v1").unwrap_or(base),
        Wire::Chat | Wire::Responses | Wire::Gemini => base,
    };
    let uri: Uri =
        format!("{base}{path}").parse().map_err(|error: hyper::http::uri::InvalidUri| {
            fault::bad_address(provider, &error.to_string())
        })?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(uri),
        _ => Err(fault::bad_address(provider, "it must begin with `https://` or `http://`")),
    }
}

fn headers(provider: &Provider, content_type: Option<&str>) -> Result<HeaderMap, ModelFault> {
    let mut headers = HeaderMap::new();
    let mut put = |name: &str, value: &str| {
        let bad = || fault::bad_header(provider, name);
        let name = HeaderName::try_from(name).map_err(|_| bad())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(())
    };
    put("user-agent", concat!("ghosthand/", env!("CARGO_PKG_VERSION")))?;
    if let Some(content_type) = content_type {
        put("content-type", content_type)?;
    }
    if provider.wire == Wire::Anthropic {
        put("anthropic-version", anthropic::VERSION)?;
    }
    match (&provider.key, provider.wire) {
        (Key::Given(key), Wire::Gemini) => put("x-goog-api-key", key.expose())?,
        (Key::Given(key), Wire::Anthropic | Wire::Chat | Wire::Responses) => {
            put("authorization", &format!("Bearer {}", key.expose()))?;
        }
        (Key::Missing, _) => return Err(fault::no_key(provider)),
        (Key::NotNeeded, _) => {}
    }
    for (name, value) in &provider.headers {
        put(name, value.expose())?;
    }
    Ok(headers)
}

/// The cause that a person can do something about.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
