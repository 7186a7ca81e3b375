//! One request and its response over one connection.

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::ext::ReasonPhrase;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, LOCATION, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use policy::ServiceFault;
use tokio::task::JoinSet;

use super::network::Stream;
use super::request::FetchRequest;
use super::target::Target;
use crate::fault::FaultCode;
use crate::handler_services::limits::ServiceLimits;

/// The smallest buffer that hyper accepts.
const BUFFER_BYTES_MIN: usize = 8 << 10;

/// From the connection, or from a stub.
type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// A response whose body has not been read yet.
pub(super) struct Reply {
    response: Response<Body>,
    /// Drives the connection; dropping the reply closes it.
    _driver: JoinSet<()>,
}

pub(super) async fn send(
    stream: Stream,
    outgoing: &FetchRequest,
    target: &Target,
    limits: &ServiceLimits,
) -> Result<Reply, ServiceFault> {
    let request = request_of(outgoing, target)?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(limits.fetch_header_bytes_max.max(BUFFER_BYTES_MIN))
        .max_headers(limits.fetch_headers_max)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| broken(target, &error))?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        let _ = connection.await; // the caller gets the same error from the response
    });
    let response = sender.send_request(request).await.map_err(|error| broken(target, &error))?;
    Ok(Reply { response: response.map(|body| body.boxed_unsync()), _driver: driver })
}

impl Reply {
    pub(super) fn stubbed(response: Response<Body>) -> Self {
        Reply { response, _driver: JoinSet::new() }
    }

    pub(super) fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(super) fn location(&self) -> Option<&HeaderValue> {
        self.response.headers().get(LOCATION)
    }

    /// The reason phrase of the status.
    pub(super) fn reason(&self) -> String {
        match self.response.extensions().get::<ReasonPhrase>() {
            Some(reason) => String::from_utf8_lossy(reason.as_bytes()).into_owned(),
            None => self.status().canonical_reason().unwrap_or_default().to_owned(),
        }
    }

    /// The body as it was sent, if it is not too large.
    pub(super) async fn body(mut self, max: usize) -> Result<Vec<u8>, ServiceFault> {
        let too_large =
            || FaultCode::TooLarge.fault(format!("the response has more than {max} bytes"));
        let mut bytes = Vec::new();
        while let Some(frame) = self.response.body_mut().frame().await {
            let frame = frame.map_err(|_| FaultCode::Unreachable.fault("the connection broke"))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > max {
                return Err(too_large());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    }
}

fn request_of(
    outgoing: &FetchRequest,
    target: &Target,
) -> Result<Request<Full<Bytes>>, ServiceFault> {
    let FetchRequest { url, method, headers, body, redirects: _ } = outgoing;
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let mut request = Request::builder()
        .method(method.name())
        .uri(path)
        .body(Full::new(body.clone()))
        .map_err(|error| FaultCode::BadRequest.fault(format!("invalid request: {error}")))?;
    let all = request.headers_mut();
    all.insert(ACCEPT, HeaderValue::from_static("*/*"));
    all.insert(USER_AGENT, HeaderValue::from_static("ghosthand"));
    for name in headers.keys() {
        all.remove(name);
    }
    all.extend(headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    all.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let host = HeaderValue::from_str(&target.authority());
    all.insert(HOST, host.map_err(|_| FaultCode::BadRequest.fault("invalid host"))?);
    Ok(request)
}

fn broken(target: &Target, error: &hyper::Error) -> ServiceFault {
    FaultCode::Unreachable.fault(format!("`{}` did not respond: {error}", target.host))
}
