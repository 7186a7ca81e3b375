//! HTTP to providers: connections, limits and retries.
//!
//! In: a request to one address of a provider. Out: a successful response, whose body is still
//! to be read, or a fault. Must hold: everything has a limit in bytes and time; redirects are
//! not followed, because they would receive the key.

mod body;
mod certificates;
mod exchange;
mod guarded_resolver;
mod limits;
mod request;

use std::sync::Arc;
use std::time::Duration;

use addresses::AddressGuard;
use contract::ModelFault;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use rustls::crypto::ring;

pub(crate) use body::Body;
pub use certificates::Certificates;
pub use exchange::{HttpFault, HttpRequest, HttpResponse};
use guarded_resolver::GuardedResolver;
pub use limits::Limits;

use crate::fault::{self, ErrorResponse, SentTool};
use crate::provider::Provider;
use crate::retry::{self, Advice, Clock, SystemClock};

/// The HTTP client. Made once per program; cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    pool: Pool<HttpsConnector<HttpConnector<GuardedResolver>>, Full<Bytes>>,
    resolver: GuardedResolver,
    clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
}

/// A request to a provider.
#[derive(Debug, Clone)]
pub(crate) struct ProviderRequest<'a> {
    pub(crate) method: Method,
    /// Below the provider's base address.
    pub(crate) path: &'a str,
    pub(crate) content: Content,
    /// For faults: the model, and the tools in the order of the body.
    pub(crate) model: &'a str,
    pub(crate) tools: &'a [Option<SentTool>],
    /// A limit other than the usual one.
    pub(crate) bytes_max: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    None,
    Json(Bytes),
    /// A body with its content type.
    Other(String, Bytes),
}

impl<'a> ProviderRequest<'a> {
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: Method::GET, ..Self::post(path, Content::None) }
    }

    pub(crate) fn post(path: &'a str, content: Content) -> Self {
        Self { method: Method::POST, path, content, model: "", tools: &[], bytes_max: None }
    }
}

/// Why one attempt failed.
pub(crate) struct FailedTry {
    pub(crate) fault: ModelFault,
    pub(crate) advice: Advice,
}

impl From<ModelFault> for FailedTry {
    fn from(fault: ModelFault) -> Self {
        Self { fault, advice: Advice::default() }
    }
}

/// How we speak TLS: with which cipher suites, and whom we trust.
pub fn tls_settings(trust: Certificates) -> Result<ClientConfig, ModelFault> {
    let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| fault::no_tls(&error.to_string()))?;
    Ok(versions.with_root_certificates(trust.roots).with_no_client_auth())
}

impl HttpClient {
    /// With the system clock and the certificate authorities that browsers trust.
    pub fn new(limits: Limits) -> Result<Self, ModelFault> {
        Self::with(limits, Arc::new(SystemClock), Certificates::usual())
    }

    /// Connects only to addresses that the guard allows, whatever a name leads to at the time.
    pub fn guarded(limits: Limits, guard: AddressGuard) -> Result<Self, ModelFault> {
        let resolver = GuardedResolver(Some(guard));
        Self::over(limits, Arc::new(SystemClock), Certificates::usual(), resolver)
    }

    pub fn with(
        limits: Limits,
        clock: Arc<dyn Clock>,
        trust: Certificates,
    ) -> Result<Self, ModelFault> {
        Self::over(limits, clock, trust, GuardedResolver(None))
    }

    fn over(
        limits: Limits,
        clock: Arc<dyn Clock>,
        trust: Certificates,
        resolver: GuardedResolver,
    ) -> Result<Self, ModelFault> {
        let tls = tls_settings(trust)?;
        let mut http = HttpConnector::new_with_resolver(resolver.clone());
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(limits.connect_time_max));
        let https =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let pool = Pool::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .build(https.wrap_connector(http));
        Ok(Self { pool, resolver, clock, limits })
    }

    /// Sends the request, with retries, until it succeeds or the fault is final.
    pub(crate) async fn ask(
        &self,
        provider: &Provider,
        ask: &ProviderRequest<'_>,
    ) -> Result<ProviderResponse, ModelFault> {
        self.ask_while(provider, ask, |_| true).await
    }

    /// Like [`HttpClient::ask`], for requests that must not take effect twice: retried only if the
    /// server refused.
    pub(crate) async fn create(
        &self,
        provider: &Provider,
        ask: &ProviderRequest<'_>,
    ) -> Result<ProviderResponse, ModelFault> {
        self.ask_while(provider, ask, |fault| fault.status.is_some()).await
    }

    async fn ask_while(
        &self,
        provider: &Provider,
        ask: &ProviderRequest<'_>,
        is_retried: fn(&ModelFault) -> bool,
    ) -> Result<ProviderResponse, ModelFault> {
        let mut tries = 0;
        loop {
            match self.send(provider, ask).await {
                Ok(answer) => return Ok(answer),
                Err(FailedTry { fault, .. }) if !is_retried(&fault) => return Err(fault),
                Err(failed) => self.pause(provider, &mut tries, failed).await?,
            }
        }
    }

    /// Waits before the next attempt, or returns the fault if there is none.
    pub(crate) async fn pause(
        &self,
        provider: &Provider,
        tries: &mut u32,
        failed: FailedTry,
    ) -> Result<(), ModelFault> {
        let FailedTry { fault, advice } = failed;
        *tries += 1;
        let wait = retry::wait(&fault, advice, *tries, self.clock.dice());
        let Some(wait) = wait.filter(|_| *tries <= self.limits.retries_max) else {
            return Err(fault);
        };
        tracing::debug!(provider = %provider.name, kind = %fault.kind, tries, ?wait, "asking again");
        self.clock.sleep(wait).await;
        Ok(())
    }

    /// One attempt.
    pub(crate) async fn send(
        &self,
        provider: &Provider,
        ask: &ProviderRequest<'_>,
    ) -> Result<ProviderResponse, FailedTry> {
        let bytes_max = ask.bytes_max.unwrap_or(self.limits.request_bytes_max);
        let request = request::request(provider, ask, bytes_max)?;
        let literal = self.resolver.check_literal(request.uri());
        literal.map_err(|error| fault::unreachable(provider, &error.to_string()))?;
        let idle = self.limits.idle_time_max;
        let sent = tokio::time::timeout(idle, self.pool.request(request)).await;
        let response = sent
            .map_err(|_| fault::timed_out(provider, "did not answer", idle))?
            .map_err(|error| fault::unreachable(provider, &innermost(&error)))?;
        let answer = ProviderResponse { response, limits: self.limits, provider: provider.clone() };
        if answer.response.status().is_success() {
            return Ok(answer);
        }
        Err(self.refused(ask, answer).await)
    }

    async fn refused(&self, ask: &ProviderRequest<'_>, answer: ProviderResponse) -> FailedTry {
        let provider = answer.provider.clone();
        let status = answer.response.status().as_u16();
        let headers = answer.response.headers().clone();
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let advice = Advice::read(header, self.clock.now());
        let body = answer.body().text(self.limits.fault_bytes_max).await.unwrap_or_default();
        let answered = ErrorResponse {
            status,
            body: &body,
            location: header("location"),
            retry_after: advice.retry_after,
            tools: ask.tools,
        };
        FailedTry { fault: fault::of_answer(&provider, ask.model, &answered), advice }
    }
}

/// A response with a success status.
pub(crate) struct ProviderResponse {
    response: Response<Incoming>,
    limits: Limits,
    provider: Provider,
}

impl ProviderResponse {
    /// Whether the body is one JSON document rather than a stream of events.
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

/// The innermost cause, which people can act on.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
