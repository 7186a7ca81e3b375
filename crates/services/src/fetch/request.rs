//! Parses and checks a request from a handler.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::limits::ServiceLimits;
use crate::permissions::Service;
use crate::secrets::redactor::Redactor;

const URL_BYTES_MAX: usize = 16 << 10;

/// The request of one hop.
#[derive(Debug, Clone)]
pub(super) struct FetchRequest {
    pub(super) url: Url,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) redirects: Redirects,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

/// How to handle a redirect, with the values of the web's `fetch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Redirects {
    #[default]
    Follow,
    /// Return the redirect itself as the response.
    Manual,
    /// Fail.
    Error,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            Method::Options => "OPTIONS",
        }
    }

    /// Whether it only reads. Other methods need `sideEffects: writes`.
    pub(super) fn is_safe_read(self) -> bool {
        match self {
            Method::Get | Method::Head => true,
            Method::Post | Method::Put | Method::Patch | Method::Delete | Method::Options => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FetchArgs {
    url: String,
    #[serde(default)]
    method: Option<Method>,
    #[serde(default)]
    headers: Headers,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    body_base64: Option<String>,
    #[serde(default)]
    redirect: Redirects,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Headers {
    Pairs(Vec<(String, String)>),
    Fields(Map<String, Value>),
}

impl Default for Headers {
    fn default() -> Self {
        Headers::Pairs(Vec::new())
    }
}

impl FetchRequest {
    pub(super) fn parse(
        args: Value,
        limits: &ServiceLimits,
        redactor: &Redactor,
    ) -> Result<Self, ServiceFault> {
        let asked: FetchArgs = arguments::parse(Service::Fetch, args)?;
        let method = asked.method.unwrap_or(Method::Get);
        if asked.url.len() > URL_BYTES_MAX {
            return Err(
                FaultCode::TooLarge.fault(format!("the URL has more than {URL_BYTES_MAX} bytes"))
            );
        }
        let url = Url::parse(&asked.url)
            .map_err(|error| FaultCode::BadRequest.fault(format!("invalid URL: {error}")))?;
        check_host(&url, &redactor.text(&asked.url))?;
        let body = match (asked.body, asked.body_base64) {
            (None, None) => Bytes::new(),
            (Some(text), None) => text.into(),
            (None, Some(base64)) => STANDARD
                .decode(base64)
                .map_err(|error| FaultCode::BadRequest.fault(format!("`bodyBase64`: {error}")))?
                .into(),
            (Some(_), Some(_)) => {
                return Err(FaultCode::BadRequest.fault("give `body` or `bodyBase64`, not both"));
            }
        };
        let max = limits.fetch_request_bytes_max;
        if body.len() > max {
            let bytes = body.len();
            return Err(
                FaultCode::TooLarge.fault(format!("the body has {bytes} bytes; {max} are allowed"))
            );
        }
        if method.is_safe_read() && !body.is_empty() {
            return Err(
                FaultCode::BadRequest.fault(format!("`{}` does not allow a body", method.name()))
            );
        }
        let headers = headers_of(asked.headers, limits)?;
        Ok(FetchRequest { url, method, headers, body, redirects: asked.redirect })
    }
}

/// The host must not contain a secret or a part of one: DNS servers see the name, and faults
/// contain it.
fn check_host(url: &Url, without_secrets: &str) -> Result<(), ServiceFault> {
    let stays = Url::parse(without_secrets).is_ok_and(|clean| clean.host() == url.host());
    match stays {
        true => Ok(()),
        false => Err(FaultCode::NotAllowed.fault("the host of the URL contains a secret")),
    }
}

fn headers_of(headers: Headers, limits: &ServiceLimits) -> Result<HeaderMap, ServiceFault> {
    let pairs = match headers {
        Headers::Pairs(pairs) => pairs,
        Headers::Fields(fields) => fields
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => {
                    Err(FaultCode::BadRequest.fault(format!("the header `{name}` is not text")))
                }
            })
            .collect::<Result<_, _>>()?,
    };
    let bytes: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
    if pairs.len() > limits.fetch_headers_max || bytes > limits.fetch_header_bytes_max {
        return Err(FaultCode::TooLarge.fault("there are too many headers, or they are too long"));
    }
    let mut checked = HeaderMap::new();
    for (name, value) in pairs {
        let bad = || {
            FaultCode::BadRequest
                .fault(format!("`{name}` is not a valid header name, or its value is not valid"))
        };
        let header: HeaderName = name.parse().map_err(|_| bad())?;
        if is_ours(header.as_str()) {
            return Err(FaultCode::NotAllowed.fault(format!("the header `{name}` cannot be set")));
        }
        checked.append(header, HeaderValue::from_str(&value).map_err(|_| bad())?);
    }
    Ok(checked)
}

/// Headers that control the connection, which are ours to set.
fn is_ours(name: &str) -> bool {
    name.starts_with("proxy-")
        || matches!(
            name,
            "accept-encoding"
                | "connection"
                | "content-length"
                | "expect"
                | "host"
                | "keep-alive"
                | "te"
                | "trailer"
                | "transfer-encoding"
                | "upgrade"
                | "via"
        )
}

#[cfg(test)]
mod tests;
