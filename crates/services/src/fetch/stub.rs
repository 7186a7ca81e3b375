//! A stub for the network: fixed replies to known requests, and nothing else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use policy::ServiceFault;
use url::Url;

use super::exchange::Reply;
use super::request::FetchRequest;
use crate::fault::FaultCode;

/// Replies instead of the network, for tests of a tool.
///
/// Replies to the same request are used in their order; the last one is repeated.
#[derive(Debug, Default)]
pub struct StubReplies {
    replies: Vec<StubReply>,
    refused: Mutex<Vec<String>>,
}

/// The reply to one request.
#[derive(Debug)]
pub struct StubReply {
    method: String,
    url: Url,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    is_given: AtomicBool,
}

/// Why a stub reply is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StubFault {
    #[error("`{0}` is not a valid address: {1}")]
    Url(String, String),
    #[error("{0} is not a status; it must be a number from 100 to 999")]
    Status(u16),
    #[error("`{0}` is not a valid header name, or its value is not valid")]
    Header(String),
}

impl StubReply {
    pub fn new<'a>(
        method: &str,
        url: &str,
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: impl Into<Vec<u8>>,
    ) -> Result<Self, StubFault> {
        let bad_url = |fault: url::ParseError| StubFault::Url(url.to_owned(), fault.to_string());
        let mut checked = HeaderMap::new();
        for (name, value) in headers {
            let header: Result<hyper::header::HeaderName, _> = name.parse();
            match (header, value.parse()) {
                (Ok(header), Ok(value)) => drop(checked.append(header, value)),
                _ => return Err(StubFault::Header(name.to_owned())),
            }
        }
        Ok(Self {
            method: method.to_uppercase(),
            url: plain(&Url::parse(url).map_err(bad_url)?),
            status: StatusCode::from_u16(status).map_err(|_| StubFault::Status(status))?,
            headers: checked,
            body: body.into().into(),
            is_given: AtomicBool::new(false),
        })
    }

    fn answers(&self, outgoing: &FetchRequest) -> bool {
        self.method == outgoing.method.name() && self.url == plain(&outgoing.url)
    }
}

impl StubReplies {
    pub fn new(replies: Vec<StubReply>) -> Self {
        Self { replies, refused: Mutex::default() }
    }

    /// Requests without a reply, as in `GET https://api.example.com/a`.
    pub fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn reply(&self, outgoing: &FetchRequest) -> Result<Reply, ServiceFault> {
        let mut known = self.replies.iter().filter(|reply| reply.answers(outgoing));
        let fresh = known.clone().find(|reply| !reply.is_given.swap(true, Ordering::SeqCst));
        let Some(reply) = fresh.or_else(|| known.next_back()) else {
            let asked = format!("{} {}", outgoing.method.name(), plain(&outgoing.url));
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
            return Err(FaultCode::NotAllowed.fault(format!("there is no stub reply for {asked}")));
        };
        let body = Full::new(reply.body.clone()).map_err(|never| match never {});
        let mut response = Response::new(body.boxed_unsync());
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers.clone();
        Ok(Reply::stubbed(response))
    }
}

/// The URL without its fragment, which is not sent.
fn plain(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests;
