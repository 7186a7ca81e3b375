//! Sign-in of browsers: the page, and the form that it sends.
//!
//! The printed link has the token after its `#`, which browsers do not send and logs do not
//! record; the page's script removes it from the address and posts it as a form.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::assets::words::{Language, translated};
use crate::auth::middleware::{authenticate_person, wrong_token};
use crate::auth::tokens::bearer;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::read_whole;
use crate::server::connections::Connection;
use crate::state::AppState;

/// A token has at most 256 characters.
const FORM_BYTES_MAX: usize = 4_096;

/// The sign-in page; for its script, whether this browser is signed in.
pub(crate) async fn show(State(app): State<AppState>, request: Request) -> Response {
    let (head, _) = request.into_parts();
    let accepted = head.headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    if accepted == Some("application/json") {
        let known = authenticate_person(&app, &head).await.is_ok();
        return Json(json!({ "known": known })).into_response();
    }
    match app.authenticator.tokens().is_empty() {
        true => (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response(),
        false => token_page(StatusCode::OK, Language::of_browser(&head.headers)),
    }
}

#[derive(Deserialize)]
struct Form {
    token: String,
}

/// Signs the browser in and redirects to the page.
pub(crate) async fn sign_in(
    State(app): State<AppState>,
    request: Request,
) -> HandlerResult<Response> {
    let request = read_whole(request, FORM_BYTES_MAX, app.limits.head_time_max).await?;
    let (head, body) = request.into_parts();
    let unreadable = || Fault::bad_request("the form cannot be read", "give `token`");
    let bytes = to_bytes(body, FORM_BYTES_MAX).await.map_err(|_| unreadable())?;
    let form = std::str::from_utf8(&bytes).map_err(|_| unreadable())?;
    // A form is encoded like a query.
    let address = format!("/?{form}").parse().map_err(|_| unreadable())?;
    let Query(Form { token }) = Query::try_from_uri(&address).map_err(|_| unreadable())?;
    let token = token.trim();
    let connection = head.extensions.get::<Arc<Connection>>();
    let Some(owner) = app.authenticator.tokens().owner_of_bearer(token) else {
        return Err(wrong_token(&app, connection.map(|connection| connection.peer)));
    };
    // Each login stays in the store for a month.
    if !app.write_rate.take(owner, Instant::now()) {
        return Err(Fault::too_many("too many logins at once"));
    }
    let cookie = app.logins.begin(&bearer(token), &head.headers).await?;
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The sign-in page. With the server's usual referrer policy, the browser would send the form
/// with `Origin: null`.
pub(crate) fn token_page(status: StatusCode, language: Language) -> Response {
    let policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
                  img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, translated(TOKEN_PAGE, language)).into_response()
}

const TOKEN_PAGE: &str = include_str!("sign_in.html");
