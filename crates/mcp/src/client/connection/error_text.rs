//! Why no connection came about, in words for whoever wrote the settings.
//!
//! Must hold: no name of a type and no secret of an address is in them.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::clean::clean;
use super::line_fault::LineFault;

const WHY_CHARS_MAX: usize = 500;

/// Why a server at an address did not begin to talk with us.
pub(super) fn why_not_opened(url: &str, fault: &ClientInitializeError) -> LineFault {
    let url = shown(url);
    match http_fault(fault).and_then(client_fault) {
        Some(client) if !client.is_decode() && client.status().is_none() => {
            LineFault::Unreachable { url, why: clean(&innermost(client), WHY_CHARS_MAX) }
        }
        Some(_) | None => LineFault::NotUnderstood { url, why: why_not_heard(fault) },
    }
}

/// What a server did instead of beginning to talk with us.
pub(super) fn why_not_heard(fault: &ClientInitializeError) -> String {
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = fault {
        return why_not_heard(fallback);
    }
    if let ClientInitializeError::JsonRpcError(error) = fault {
        return format!("it answers with the error \"{}\"", clean(&error.message, WHY_CHARS_MAX));
    }
    if let ClientInitializeError::ConnectionClosed(_) = fault {
        return "it ended the connection".to_owned();
    }
    if let ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } = fault {
        let versions: Vec<_> = server_supported.iter().map(ToString::to_string).collect();
        let versions = clean(&versions.join(", "), WHY_CHARS_MAX);
        return format!("it speaks only versions of MCP that are not known here: {versions}");
    }
    if let Some(http) = http_fault(fault) {
        return clean(&answered(http), WHY_CHARS_MAX);
    }
    if let ClientInitializeError::TransportError { error, .. } = fault {
        return clean(&innermost(error.error.as_ref()), WHY_CHARS_MAX);
    }
    "its first answer is not one of MCP".to_owned()
}

/// What became of a request that has no answer.
pub(super) fn why_not_answered(fault: &ServiceError) -> String {
    if let ServiceError::TransportSend(error) = fault {
        let error = error.error.as_ref();
        let words = error.downcast_ref().map_or_else(|| innermost(error), answered);
        return clean(&words, WHY_CHARS_MAX);
    }
    if let ServiceError::TransportClosed = fault {
        return "it ended the connection".to_owned();
    }
    if let ServiceError::UnexpectedResponse = fault {
        return "its answer is not one of MCP".to_owned();
    }
    clean(&fault.to_string(), WHY_CHARS_MAX)
}

/// What came back over HTTP.
fn answered(fault: &StreamableHttpError<reqwest::Error>) -> String {
    if let StreamableHttpError::HttpStatus(status) = fault {
        return format!("it answers with the status {}", status.status);
    }
    if let StreamableHttpError::UnexpectedServerResponse(said) = fault {
        return format!("it answers with {said}");
    }
    if let StreamableHttpError::UnexpectedContentType(kind) = fault {
        let kind = kind.as_deref().unwrap_or("no content type");
        return format!("it answers with {kind}, not with JSON or a stream of events");
    }
    match client_fault(fault) {
        Some(client) => innermost(client),
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

/// The cause of all causes: it says most with the fewest words.
fn innermost(fault: &(dyn Error + 'static)) -> String {
    let mut last = fault;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let text = last.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// An address without what may be a secret in it.
pub(super) fn shown(url: &str) -> String {
    let Ok(mut parsed) = reqwest::Url::parse(url) else {
        return clean(url.split(['?', '#']).next().unwrap_or_default(), WHY_CHARS_MAX);
    };
    // Only an address without a host refuses this, and then there is nothing to take out.
    let _ = parsed.set_username("");
    let _ = parsed.set_password(None);
    parsed.set_query(None);
    parsed.set_fragment(None);
    parsed.to_string()
}
