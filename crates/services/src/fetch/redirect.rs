//! Handles redirects: the next hop, and which headers and body it keeps.

use hyper::StatusCode;
use hyper::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE,
    HeaderName, HeaderValue, USER_AGENT,
};
use policy::ServiceFault;
use url::{Origin, Url};

use super::request::{FetchRequest, Method, Redirects};
use crate::fault::FaultCode;
use crate::secrets::redactor::Redactor;

#[derive(Debug)]
pub(super) enum Next {
    /// This response is the result.
    Answer,
    /// Send this request next; it is checked like the first.
    Follow(Box<FetchRequest>),
}

/// Whether a redirect was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hop {
    First,
    Later,
}

/// Headers that may go to another origin: none that identifies the caller.
const CROSS_ORIGIN_HEADERS: [HeaderName; 4] = [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, USER_AGENT];
const BODY_HEADERS: [HeaderName; 4] =
    [CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE];

pub(super) fn next(
    sent: &FetchRequest,
    status: StatusCode,
    location: Option<&HeaderValue>,
    redactor: &Redactor,
) -> Result<Next, ServiceFault> {
    let (301 | 302 | 303 | 307 | 308, Some(location)) = (status.as_u16(), location) else {
        return Ok(Next::Answer);
    };
    match sent.redirects {
        Redirects::Follow => {}
        Redirects::Manual => return Ok(Next::Answer),
        Redirects::Error => {
            return Err(
                FaultCode::Unreachable.fault("the server redirects, and `redirect` is `error`")
            );
        }
    }
    let url = url_of(&sent.url, location)?;
    let mut next = sent.clone();
    // As browsers do: a POST becomes a GET after 301, 302 and 303; other requests are repeated.
    match (status.as_u16(), sent.method) {
        (303, Method::Get | Method::Head) | (307 | 308, _) => {}
        (303, _) | (301 | 302, Method::Post) => {
            next.method = Method::Get;
            next.body.clear();
            for name in BODY_HEADERS {
                next.headers.remove(name);
            }
        }
        _ => {}
    }
    if !is_same_origin(&sent.url.origin(), &url.origin()) {
        let mut headers_left = hyper::HeaderMap::new();
        for name in CROSS_ORIGIN_HEADERS {
            let harmless = |value: &&HeaderValue| match value.to_str() {
                Ok(text) => redactor.found_in(text).is_none(),
                Err(_) => false,
            };
            if let Some(value) = next.headers.get(&name).filter(harmless) {
                headers_left.insert(name, value.clone());
            }
        }
        next.headers = headers_left;
        if redactor.found_in(&String::from_utf8_lossy(&next.body)).is_some() {
            return Err(FaultCode::NotAllowed
                .fault("the server redirects a body with a secret in it to another host"));
        }
    }
    next.url = url;
    Ok(Next::Follow(Box::new(next)))
}

fn url_of(base: &Url, location: &HeaderValue) -> Result<Url, ServiceFault> {
    let bad = || FaultCode::Unreachable.fault("the server redirects to an invalid URL");
    let location = str::from_utf8(location.as_bytes()).map_err(|_| bad())?;
    base.join(location).map_err(|_| bad())
}

/// An opaque origin is not equal to any other.
fn is_same_origin(left: &Origin, right: &Origin) -> bool {
    left.is_tuple() && left == right
}

#[cfg(test)]
mod tests;
