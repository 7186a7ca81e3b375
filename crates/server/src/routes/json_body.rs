//! What a client sends: whole, in time and not too long, and as JSON with a refusal in our
//! own words.

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

/// What the client sent.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let request = an_object(request).await?;
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refused) => Err(match refused.status() {
                StatusCode::PAYLOAD_TOO_LARGE => too_large(),
                StatusCode::UNSUPPORTED_MEDIA_TYPE => Fault::not_json(),
                _ => {
                    let fix = "GET /api/openapi.json shows what a good body looks like";
                    Fault::bad_request(in_our_words(&refused.body_text()), fix)
                }
            }),
        }
    }
}

/// Every body here is an object. A list is none, though its items could be read as fields.
async fn an_object(request: Request) -> HandlerResult<Request> {
    let (head, body) = request.into_parts();
    // All of it has come, and was measured.
    let bytes = axum::body::to_bytes(body, usize::MAX).await;
    let bytes = bytes.map_err(|_| Fault::bad_request("the body was cut off", "send all of it"))?;
    match bytes.trim_ascii_start().first() {
        Some(b'{') | None => Ok(Request::from_parts(head, HttpBody::from(bytes))),
        Some(_) => {
            let fix = "GET /api/openapi.json shows what a good body looks like";
            Err(Fault::bad_request("the body must be a JSON object", fix))
        }
    }
}

/// A body that says nothing.
#[derive(Deserialize, JsonSchema)]
pub struct Empty {}

fn too_large() -> Fault {
    Fault::too_large("the body is larger than this address takes")
}

/// The request with all of its body. Nobody waits for one that does not end, and nothing is
/// done with half of one.
pub(crate) async fn whole(
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

/// The request with a body that ends in time, or breaks off. For whoever reads it later.
pub(crate) fn in_time(request: Request, time_max: Duration) -> Request {
    request.map(|body| match body.is_end_stream() {
        true => body,
        false => HttpBody::new(InTime { body, end: Box::pin(tokio::time::sleep(time_max)) }),
    })
}

struct InTime {
    body: HttpBody,
    end: Pin<Box<Sleep>>,
}

impl axum::body::HttpBody for InTime {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(axum::Error::new("the body did not come in time"))));
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

/// What is wrong with a body, without how it is read.
fn in_our_words(said: &str) -> String {
    match said.split_once(": ") {
        Some((how, what)) if how.starts_with("Failed to deserialize") => {
            format!("the body does not fit: {what}")
        }
        Some((how, what)) if how.starts_with("Failed to parse") => {
            format!("the body is not valid JSON: {what}")
        }
        Some(_) | None => said.to_owned(),
    }
}
