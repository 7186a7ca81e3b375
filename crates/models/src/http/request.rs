//! One request to a provider: its address and its headers.
//!
//! Must hold: the key is in one header and nowhere else.

use contract::{ModelFault, Wire};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Uri};

use super::{Content, ProviderRequest};
use crate::fault;
use crate::provider::{Key, Provider};
use crate::wire::anthropic;

/// The HTTP request.
pub(crate) fn request(
    provider: &Provider,
    ask: &ProviderRequest<'_>,
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
    let bad = |why: &str| fault::bad_address(provider, why);
    let base = provider.base_url.trim_end_matches('/');
    // People write Anthropic's address with or without its version.
    let base = match provider.wire {
        Wire::Anthropic => base.strip_suffix("/v1").unwrap_or(base),
        Wire::Chat | Wire::Responses | Wire::Gemini => base,
    };
    if base.contains(['@', '?', '#']) {
        return Err(bad("it contains `@`, `?` or `#`; keys have their own setting"));
    }
    let uri: Uri = format!("{base}{path}")
        .parse()
        .map_err(|error: hyper::http::uri::InvalidUri| bad(&error.to_string()))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(uri),
        _ => Err(bad("it must begin with `https://` or `http://` and a host")),
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
        (Key::Missing | Key::NotNeeded, _) => provider.check_key()?,
    }
    for (name, value) in &provider.headers {
        put(name, value.expose())?;
    }
    Ok(headers)
}
