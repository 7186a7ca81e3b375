//! One request to a server that is not a provider, with the same connections and certificates.
//!
//! In: an [`HttpRequest`]. Out: the response with any status, or a fault. Must hold: it is sent
//! once; a fault says whether the server can have acted on it.

use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};

use super::{HttpClient, innermost};
use crate::retry::{Advice, Clock};

/// A request. The headers may contain secrets, so there is no `Debug`.
pub struct HttpRequest<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub json: Option<&'a str>,
    /// From the connection to the last byte of the answer.
    pub time_max: Duration,
    /// Of the response.
    pub bytes_max: usize,
}

/// The response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub bytes: Vec<u8>,
}

/// Why there is no response; contains no header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpFault {
    /// The method, the address or a header cannot be sent.
    Unsendable(String),
    /// There was no connection, so nothing was sent.
    Unreachable(String),
    /// It was sent, and the response was incomplete: the server may have acted.
    Lost(String),
    /// Like `Lost`; and the server may still act.
    TimedOut,
    /// The response is larger than the limit: the server has acted.
    TooLarge,
}

impl HttpClient {
    /// Sends the request once.
    pub async fn exchange(&self, exchange: &HttpRequest<'_>) -> Result<HttpResponse, HttpFault> {
        let body = exchange.json.unwrap_or_default().to_owned();
        self.exchange_body(exchange, Bytes::from(body)).await
    }

    /// Sends the request once with a body that is not JSON; its type is one of the headers.
    pub async fn exchange_bytes(
        &self,
        exchange: &HttpRequest<'_>,
        body: Vec<u8>,
    ) -> Result<HttpResponse, HttpFault> {
        self.exchange_body(exchange, Bytes::from(body)).await
    }

    async fn exchange_body(
        &self,
        exchange: &HttpRequest<'_>,
        body: Bytes,
    ) -> Result<HttpResponse, HttpFault> {
        let request = request(exchange, body)?;
        let answered = tokio::time::timeout(exchange.time_max, self.whole(request, exchange));
        answered.await.unwrap_or(Err(HttpFault::TimedOut))
    }

    /// The clock of this client.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    async fn whole(
        &self,
        request: Request<Full<Bytes>>,
        exchange: &HttpRequest<'_>,
    ) -> Result<HttpResponse, HttpFault> {
        let literal = self.resolver.check_literal(request.uri());
        literal.map_err(|error| HttpFault::Unreachable(error.to_string()))?;
        let response = self.pool.request(request).await.map_err(|error| {
            let why = innermost(&error);
            match error.is_connect() {
                true => HttpFault::Unreachable(why),
                false => HttpFault::Lost(why),
            }
        })?;
        let (head, body) = response.into_parts();
        let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
        let advice = Advice::read(header, self.clock.now());
        let body = Limited::new(body, exchange.bytes_max).collect().await.map_err(|error| {
            match error.is::<LengthLimitError>() {
                true => HttpFault::TooLarge,
                false => HttpFault::Lost(innermost(error.as_ref())),
            }
        })?;
        Ok(HttpResponse {
            status: head.status.as_u16(),
            retry_after: advice.retry_after,
            bytes: body.to_bytes().to_vec(),
        })
    }
}

fn request(exchange: &HttpRequest<'_>, body: Bytes) -> Result<Request<Full<Bytes>>, HttpFault> {
    let bad = |what: &str| HttpFault::Unsendable(what.to_owned());
    let mut headers = HeaderMap::new();
    let kind = exchange.json.map(|_| ("content-type", "application/json"));
    let agent = ("user-agent", concat!("ghosthand/", env!("CARGO_PKG_VERSION")));
    for (name, value) in exchange.headers.iter().copied().chain(kind).chain([agent]) {
        let no_header = || bad(&format!("the header `{name}` contains invalid characters"));
        let mut value = HeaderValue::try_from(value).map_err(|_| no_header())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::try_from(name).map_err(|_| no_header())?, value);
    }
    let uri: Uri = exchange.url.parse().map_err(|_| bad("the address is invalid"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
        return Err(bad("the address must begin with `https://` or `http://` and a host"));
    }
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = exchange.method.parse::<Method>().map_err(|_| bad("no such method"))?;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    Ok(request)
}
