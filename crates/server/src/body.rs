//! A JSON body, with a refusal in our own words.

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::fault::Fault;

/// What the client sent.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Self, Fault> {
        match Json::<T>::from_request(request, app).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(refused) => Err(match refused.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    Fault::too_large("the body is larger than this address takes")
                }
                StatusCode::UNSUPPORTED_MEDIA_TYPE => Fault::not_json(),
                _ => {
                    let fix = "GET /api/openapi.json shows what a good body looks like";
                    Fault::bad_request(refused.body_text(), fix)
                }
            }),
        }
    }
}
