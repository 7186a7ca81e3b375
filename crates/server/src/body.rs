//! What a client sends: whole, in time and not too long, and as JSON with a refusal in our
//! own words.

use std::time::Duration;

use axum::Json;
use axum::body::{Body as HttpBody, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::fault::{Answer, Fault};

/// What the client sent.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Self, Fault> {
        match Json::<T>::from_request(request, app).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refused) => Err(match refused.status() {
                StatusCode::PAYLOAD_TOO_LARGE => too_large(),
                StatusCode::UNSUPPORTED_MEDIA_TYPE => Fault::not_json(),
                _ => {
                    let fix = "GET /api/openapi.json shows what a good body looks like";
                    Fault::bad_request(refused.body_text(), fix)
                }
            }),
        }
    }
}

fn too_large() -> Fault {
    Fault::too_large("the body is larger than this address takes")
}

/// The request with all of its body. Nobody waits for one that does not end, and nothing is
/// done with half of one.
pub(crate) async fn whole(
    request: Request,
    bytes_max: usize,
    time_max: Duration,
) -> Answer<Request> {
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

async fn read(body: HttpBody, bytes_max: usize) -> Answer<Vec<u8>> {
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
