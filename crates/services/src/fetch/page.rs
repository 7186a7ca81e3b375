//! A page that a person names by its address, read with the rules and limits of tools.
//!
//! Every hop is checked as in [`super::fetch`]: only addresses of the public internet, and what
//! `[net] allow` opens. There is no contract, because no tool asks; nothing but a GET is sent.

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use policy::ServiceFault;
use url::Url;

use super::network::{ConnectFault, Network};
use super::redirect::{self, Next};
use super::request::{FetchRequest, Method, Redirects};
use super::target::Target;
use super::{decode, exchange};
use crate::fault::FaultCode;
use crate::handler_services::limits::ServiceLimits;
use crate::secrets::redactor::Redactor;

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// The address after all redirects.
    pub url: String,
    /// As the server says it: `text/html; charset=utf-8`.
    pub media_type: Option<String>,
    pub bytes: Vec<u8>,
}

/// Reads the page at an `http` or `https` address.
pub async fn fetch_page(
    network: &Network,
    url: &str,
    limits: &ServiceLimits,
) -> Result<FetchedPage, ServiceFault> {
    let url = Url::parse(url)
        .map_err(|error| FaultCode::BadRequest.fault(format!("`{url}` is not a URL: {error}")))?;
    let read = tokio::time::timeout(limits.fetch_time_max, follow(network, url, limits)).await;
    read.unwrap_or_else(|_| {
        let seconds = limits.fetch_time_max.as_secs();
        Err(FaultCode::TimedOut.fault(format!("the page did not come within {seconds} seconds")))
    })
}

async fn follow(
    network: &Network,
    url: Url,
    limits: &ServiceLimits,
) -> Result<FetchedPage, ServiceFault> {
    let mut headers = HeaderMap::new();
    let wanted = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5";
    headers.insert(ACCEPT, HeaderValue::from_static(wanted));
    let mut outgoing = FetchRequest {
        url,
        method: Method::Get,
        headers,
        body: hyper::body::Bytes::new(),
        redirects: Redirects::Follow,
    };
    for _ in 0..=limits.fetch_redirects_max {
        let target = Target::of(&outgoing.url)?;
        let connected = network.connect(&target, limits.connect_time_max).await;
        let stream = connected.map_err(|fault| match fault {
            ConnectFault::Failed(fault) => fault,
            ConnectFault::NotAllowed(_) => not_allowed(&target),
        })?;
        let reply = exchange::send(stream, &outgoing, &target, limits).await?;
        let (status, location) = (reply.status(), reply.location());
        match redirect::next(&outgoing, status, location, &Redactor::default())? {
            Next::Follow(next) => outgoing = *next,
            Next::Answer if !status.is_success() => {
                let what = format!("`{}` answers {}", target.authority(), status.as_u16());
                return Err(FaultCode::NotFound.fault(what));
            }
            Next::Answer => {
                let headers = reply.headers().clone();
                let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
                let max = limits.fetch_response_bytes_max;
                let bytes = reply.body(max).await?;
                let (bytes, _) = decode::decompress(&headers, bytes, max).await?;
                outgoing.url.set_fragment(None);
                let media_type = media_type.map(str::to_owned);
                return Ok(FetchedPage { url: outgoing.url.into(), media_type, bytes });
            }
        }
    }
    let max = limits.fetch_redirects_max;
    Err(FaultCode::LimitReached.fault(format!("more than {max} redirects")))
}

/// The person who asks is told how to open it.
fn not_allowed(target: &Target) -> ServiceFault {
    let (host, port) = (&target.host, target.port);
    FaultCode::NotAllowed.fault(format!(
        "`{host}` is private or local, which is not read; the operator can allow it in \
         `ghosthand.toml` with `[net]` and `allow = [\"{host}:{port}\"]`"
    ))
}
