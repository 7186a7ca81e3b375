//! HTTP for handlers: only to declared hosts, and only to addresses that were checked.
//!
//! Every hop takes the same steps: the URL is parsed (`target.rs`) and its host must be
//! declared, the name is resolved here, every resolved address is classified (crate `addresses`),
//! and the connection goes to one of the checked addresses (`network.rs`). A redirect is a new
//! hop (`redirect.rs`). There is no proxy, cookie jar, cache or connection reuse.

mod access;
mod allow_entry;
mod decode;
mod exchange;
mod network;
mod page;
mod redirect;
mod request;
mod stub;
mod target;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use policy::ServiceFault;
use serde_json::{Map, Value, json};

pub use access::NetworkAccess;
pub use addresses::{Resolver, SystemResolver};
pub use allow_entry::{AllowEntry, AllowEntryFault};
pub use network::{Network, TlsFault};
pub use page::{FetchedPage, fetch_page};
pub use stub::{StubFault, StubReplies, StubReply};

use crate::fault::FaultCode;
use crate::handler_services::effects::Effects;
use crate::handler_services::run_state::RunState;
use crate::permissions::Access;
use crate::surface::{ConsoleLevel, HandlerEvent};
use exchange::Reply;
use network::ConnectFault;
use redirect::{Hop, Next};
use request::FetchRequest;
use target::Target;

/// Makes one request and follows its redirects.
pub(crate) async fn fetch(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let limits = run.grant.limits;
    run.meter.count_fetch(limits.fetches_max)?;
    let outgoing = FetchRequest::parse(args, &limits, &run.redactor)?;
    if !outgoing.method.is_safe_read() {
        let what = format!("fetch` with `{}", outgoing.method.name());
        Access::Write.check(&what, run.grant.contract.side_effects)?;
    }
    let _slot = run.slot().await?;
    let answered = tokio::time::timeout(limits.fetch_time_max, follow(&run, outgoing)).await;
    answered.unwrap_or_else(|_| {
        let ms = limits.fetch_time_max.as_millis();
        Err(FaultCode::TimedOut.fault(format!("`fetch` timed out after {ms} ms")))
    })
}

/// Follows redirects; every hop is checked like the first.
async fn follow(run: &RunState, mut outgoing: FetchRequest) -> Result<Value, ServiceFault> {
    let RunState { grant, effects, redactor, .. } = run;
    let limits = &grant.limits;
    for hop in 0..=limits.fetch_redirects_max {
        let target = Target::of(&outgoing.url)?;
        if redactor.found_in(&target.host.to_string()).is_some() {
            return Err(FaultCode::NotAllowed.fault("the host of the URL contains a secret"));
        }
        target.check_declared(&grant.contract.capabilities.net, &grant.network)?;
        let reply = match grant.network.stub_reply(&outgoing) {
            Some(reply) => {
                let reply = reply?;
                count_write(effects, &outgoing);
                reply
            }
            None => {
                let connected = grant.network.connect(&target, limits.connect_time_max).await;
                let stream = match connected {
                    Ok(stream) => stream,
                    Err(ConnectFault::Failed(fault)) => return Err(fault),
                    Err(ConnectFault::NotAllowed(fault)) => {
                        report_how_to_allow(run, &target).await;
                        return Err(fault);
                    }
                };
                count_write(effects, &outgoing);
                exchange::send(stream, &outgoing, &target, limits).await?
            }
        };
        match redirect::next(&outgoing, reply.status(), reply.location(), redactor)? {
            Next::Answer => {
                let hop = if hop == 0 { Hop::First } else { Hop::Later };
                return answer(reply, &outgoing, hop, limits.fetch_response_bytes_max).await;
            }
            Next::Follow(next) => outgoing = *next,
        }
    }
    let max = limits.fetch_redirects_max;
    Err(FaultCode::LimitReached.fault(format!("more than {max} redirects")))
}

/// Tells the operator which setting allows the host. The handler does not get this text, because
/// a model may read its output.
async fn report_how_to_allow(run: &RunState, target: &Target) {
    let (host, port) = (&target.host, target.port);
    let text = format!(
        "`{host}` is private or local, and not allowed for tools; the operator can allow it in \
         `ghosthand.toml` with `[net]` and `allow = [\"{host}:{port}\"]`"
    );
    let event = HandlerEvent::Console { level: ConsoleLevel::Warn, text };
    // Without a listener there is still the fault.
    let _ = run.grant.surface.event(event).await;
}

/// From here on, the server may have received the request.
fn count_write(effects: &Effects, outgoing: &FetchRequest) {
    if !outgoing.method.is_safe_read() {
        effects.begin_write();
    }
}

/// The response as JSON: the body as text if it is UTF-8, otherwise as Base64.
async fn answer(
    reply: Reply,
    outgoing: &FetchRequest,
    hop: Hop,
    max: usize,
) -> Result<Value, ServiceFault> {
    let (status, reason) = (reply.status().as_u16(), reply.reason());
    let mut headers = reply.headers().clone();
    let bytes = reply.body(max).await?;
    let (bytes, decompressed) = decode::decompress(&headers, bytes, max).await?;
    if decompressed == decode::Decompressed::Yes {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
    let mut url = outgoing.url.clone();
    url.set_fragment(None);
    let mut answer = Map::new();
    answer.insert("status".into(), json!(status));
    answer.insert("statusText".into(), json!(reason));
    answer.insert("headers".into(), pairs_of(&headers));
    answer.insert("url".into(), json!(url.as_str()));
    answer.insert("redirected".into(), json!(hop == Hop::Later));
    match String::from_utf8(bytes) {
        Ok(text) => answer.insert("body".into(), Value::String(text)),
        Err(binary) => {
            answer.insert("bodyBase64".into(), Value::String(STANDARD.encode(binary.as_bytes())))
        }
    };
    Ok(Value::Object(answer))
}

fn pairs_of(headers: &HeaderMap) -> Value {
    let pair = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
        json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())])
    };
    headers.iter().map(pair).collect()
}

#[cfg(test)]
pub(crate) mod tests;
