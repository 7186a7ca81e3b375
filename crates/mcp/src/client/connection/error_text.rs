//! Explains connection errors to the person who configured the server.
//!
//! Must hold: the messages contain no type names and no secrets from URLs.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::fault::ConnectionFault;
use crate::client::sanitize::sanitize;

const WHY_CHARS_MAX: usize = 500;

/// Why the server at a URL did not complete the handshake.
pub(crate) fn open_fault(url: &str, fault: &ClientInitializeError) -> ConnectionFault {
    let url = shown(url);
    match http_fault(fault).and_then(client_fault) {
        Some(client) if !client.is_decode() && client.status().is_none() => {
            ConnectionFault::Unreachable { url, why: sanitize(&root_cause(client), WHY_CHARS_MAX) }
        }
        Some(_) | None => ConnectionFault::NotUnderstood { url, why: handshake_error(fault) },
    }
}

/// What a server did instead of completing the handshake.
pub(crate) fn handshake_error(fault: &ClientInitializeError) -> String {
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = fault {
        return handshake_error(fallback);
    }
    if let ClientInitializeError::JsonRpcError(error) = fault {
        return format!(
            "it answers with the error \"{}\"",
            sanitize(&error.message, WHY_CHARS_MAX)
        );
    }
    if let ClientInitializeError::ConnectionClosed(_) = fault {
        return "it ended the connection".to_owned();
    }
    if let ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } = fault {
        let versions: Vec<_> = server_supported.iter().map(ToString::to_string).collect();
        let versions = sanitize(&versions.join(", "), WHY_CHARS_MAX);
        return format!("it supports only unknown versions of MCP: {versions}");
    }
    if let Some(http) = http_fault(fault) {
        return sanitize(&answered(http), WHY_CHARS_MAX);
    }
    if let ClientInitializeError::TransportError { error, .. } = fault {
        return sanitize(&root_cause(error.error.as_ref()), WHY_CHARS_MAX);
    }
    "its first answer is not valid MCP".to_owned()
}

/// Why a request has no response.
pub(crate) fn request_error(fault: &ServiceError) -> String {
    if let ServiceError::TransportSend(error) = fault {
        let error = error.error.as_ref();
        let words = error.downcast_ref().map_or_else(|| root_cause(error), answered);
        return sanitize(&words, WHY_CHARS_MAX);
    }
    if let ServiceError::TransportClosed = fault {
        return "it ended the connection".to_owned();
    }
    if let ServiceError::UnexpectedResponse = fault {
        return "its answer is not valid MCP".to_owned();
    }
    sanitize(&fault.to_string(), WHY_CHARS_MAX)
}

/// What an HTTP server responded.
fn answered(fault: &StreamableHttpError<reqwest::Error>) -> String {
    if let StreamableHttpError::HttpStatus(status) = fault {
        return format!("it answers with the status {}", status.status);
    }
    if let StreamableHttpError::UnexpectedServerResponse(report) = fault {
        return format!("it answers with {report}");
    }
    if let StreamableHttpError::UnexpectedContentType(kind) = fault {
        let kind = kind.as_deref().unwrap_or("no content type");
        return format!("it answers with {kind}, not with JSON or an event stream");
    }
    match client_fault(fault) {
        Some(client) => root_cause(client),
        None => fault.to_string(),
    }
}

fn http_fault(fault: &ClientInitializeError) -> Option<&StreamableHttpError<reqwest::Error>> {
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = fault {
        return http_fault(fallback);
    }
    let ClientInitializeError::TransportError { error, .. } = fault else { return None };
    error.error.downcast_ref()
}

fn client_fault(fault: &StreamableHttpError<reqwest::Error>) -> Option<&reqwest::Error> {
    if let StreamableHttpError::Client(client) = fault { Some(client) } else { None }
}

/// The innermost cause, which is the shortest and most specific.
fn root_cause(fault: &(dyn Error + 'static)) -> String {
    let mut last = fault;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let text = last.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// A URL without the parts that may contain secrets.
pub(crate) fn shown(url: &str) -> String {
    let Ok(mut parsed) = reqwest::Url::parse(url) else {
        return sanitize(url.split(['?', '#']).next().unwrap_or_default(), WHY_CHARS_MAX);
    };
    // These fail only for a URL without a host, which has no credentials.
    let _ = parsed.set_username("");
    let _ = parsed.set_password(None);
    parsed.set_query(None);
    parsed.set_fragment(None);
    parsed.to_string()
}
