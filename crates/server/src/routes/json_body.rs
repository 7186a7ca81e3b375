//! Reads bodies: whole, in time, within a size limit, as JSON objects.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Json;
use axum::body::{Body as HttpBody, Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use hyper::body::{Frame, SizeHint};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::Sleep;

use crate::fault::{Fault, HandlerResult};

/// A JSON object from the client.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let request = check_object(request).await?;
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refused) => Err(match refused.status() {
                StatusCode::PAYLOAD_TOO_LARGE => too_large(),
                StatusCode::UNSUPPORTED_MEDIA_TYPE => Fault::not_json(),
                _ => {
                    let fix = "GET /api/openapi.json shows a valid body";
                    Fault::bad_request(rejection_reason(&refused.body_text()), fix)
                }
            }),
        }
    }
}

/// Every body is an object. Serde would also read a list as fields.
async fn check_object(request: Request) -> HandlerResult<Request> {
    let (head, body) = request.into_parts();
    // The middleware has read and limited it.
    let bytes = axum::body::to_bytes(body, usize::MAX).await;
    let bytes = bytes.map_err(|_| Fault::bad_request("the body was cut off", "send all of it"))?;
    match bytes.trim_ascii_start().first() {
        Some(b'{') | None => Ok(Request::from_parts(head, HttpBody::from(bytes))),
        Some(_) => {
            let fix = "GET /api/openapi.json shows a valid body";
            Err(Fault::bad_request("the body must be a JSON object", fix))
        }
    }
}

/// A body without fields.
#[derive(Deserialize, JsonSchema)]
pub struct Empty {}

fn too_large() -> Fault {
    Fault::too_large("the body is too large for this path")
}

/// Reads the whole body of a request within the time limit.
pub(crate) async fn read_whole(
    request: Request,
    bytes_max: usize,
    time_max: Duration,
) -> HandlerResult<Request> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let (head, body) = request.into_parts();
    if body.size_hint().lower() > u64::try_from(bytes_max).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    let bytes = tokio::time::timeout(time_max, read(body, bytes_max)).await;
    let bytes = bytes.map_err(|_| Fault::slow_body())??;
    Ok(Request::from_parts(head, HttpBody::from(bytes)))
}

/// Adds a time limit to a body that is read later.
pub(crate) fn with_time_limit(request: Request, time_max: Duration) -> Request {
    request.map(|body| match body.is_end_stream() {
        true => body,
        false => HttpBody::new(TimedBody { body, end: Box::pin(tokio::time::sleep(time_max)) }),
    })
}

struct TimedBody {
    body: HttpBody,
    end: Pin<Box<Sleep>>,
}

impl axum::body::HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(axum::Error::new("the body did not arrive in time"))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

async fn read(body: HttpBody, bytes_max: usize) -> HandlerResult<Vec<u8>> {
    let (mut body, mut bytes) = (std::pin::pin!(body), Vec::new());
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        let cut = |_| Fault::bad_request("the body was cut off", "send all of it");
        let Ok(data) = frame.map_err(cut)?.into_data() else { continue };
        if bytes.len() + data.len() > bytes_max {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// The reason of a rejection, without the framework's wording.
fn rejection_reason(message: &str) -> String {
    match message.split_once(": ") {
        Some((how, what)) if how.starts_with("Failed to deserialize") => {
            format!("the body does not fit: {what}")
        }
        Some((how, what)) if how.starts_with("Failed to parse") => {
            format!("the body is not valid JSON: {what}")
        }
        Some(_) | None => message.to_owned(),
    }
}
