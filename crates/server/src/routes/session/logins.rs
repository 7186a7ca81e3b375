//! The logins of an owner in browsers: list them, end one, end all.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use crate::auth::logins::LoginLine;
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

/// The newest first.
pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    headers: HeaderMap,
) -> HandlerResult<Json<Vec<LoginLine>>> {
    let tokens = app.authenticator.tokens();
    Ok(Json(app.logins.list(&owner, tokens, &headers).await?))
}

pub(crate) async fn end(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    let tokens = app.authenticator.tokens();
    match app.logins.end_of(&owner, tokens, Some(&id)).await? {
        0 => Err(Fault::not_found("there is no such login")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

/// Ends every login of the owner, this browser's too.
pub(crate) async fn end_all(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    app.logins.end_of(&owner, app.authenticator.tokens(), None).await?;
    let gone = app.logins.end(&headers).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response())
}
