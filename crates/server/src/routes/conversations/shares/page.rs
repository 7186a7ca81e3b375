//! The page behind a shared link. It needs no token and runs no script.
//!
//! Must hold: it has only what the owner chose; a link that ended, was revoked or never existed
//! gives the same answer; wrong links are counted like wrong tokens.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{Digest, FileRef};
use conversation::{Conversation, Entry, view};
use policy::ConversationId;

use super::html::{self, Reading, Refusal};
use crate::assets::words::Language;
use crate::conversations::shares::Share;
use crate::fault::HandlerResult;
use crate::routes::attachments::{digest_of, whole_file};
use crate::server::connections::Connection;
use crate::state::AppState;

/// How many entries a page has, from the end.
const ENTRIES_MAX: usize = 2_000;

pub(crate) async fn show(
    State(app): State<AppState>,
    connection: Option<Extension<Arc<Connection>>>,
    Path(secret): Path<String>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let reader = Language::of_browser(&headers);
    let opened = match open(&app, connection, &secret, reader).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal),
    };
    let Opened { share, mut entries, .. } = opened;
    let earlier = entries.len().saturating_sub(ENTRIES_MAX);
    entries.drain(..earlier);
    let page = app.render_pool.run(move || {
        let reading = Reading { share: &share, secret: &secret, reader };
        html::page(&reading, &entries, earlier > 0)
    });
    Ok(answer(StatusCode::OK, page.await?))
}

/// A file of a message, if the owner shares files.
pub(crate) async fn file(
    State(app): State<AppState>,
    connection: Option<Extension<Arc<Connection>>>,
    Path((secret, digest)): Path<(String, String)>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let reader = Language::of_browser(&headers);
    let Opened { owner, share, entries } = match open(&app, connection, &secret, reader).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal),
    };
    let wanted = digest_of(&digest)?;
    match files_of(&entries).find(|file| share.files && file.digest == wanted) {
        Some(FileRef { digest, name, .. }) => {
            let all = app.conversations.attachments();
            let file = all.find(&owner, digest).await?;
            let mut response = whole_file(all, file, name);
            response.headers_mut().extend(closed_headers());
            Ok(response)
        }
        None => Ok(refused(Refusal::NoFile, reader)),
    }
}

fn files_of(entries: &[Entry]) -> impl Iterator<Item = &FileRef> {
    entries.iter().flat_map(|entry| {
        if let Entry::User { files, .. } = entry { files.as_slice() } else { &[] }
    })
}

/// What a link opens.
struct Opened {
    owner: String,
    share: Share,
    entries: Vec<Entry>,
}

/// The conversation as it was when it was shared, or a quiet refusal.
async fn open(
    app: &AppState,
    connection: Option<Extension<Arc<Connection>>>,
    secret: &str,
    reader: Language,
) -> HandlerResult<Result<Opened, Response>> {
    let peer = connection.map(|Extension(one)| one.peer.to_string()).unwrap_or_default();
    let now = Instant::now();
    if !app.shared_rate.take(&peer, now) {
        return Ok(Err(refused(Refusal::TooMany, reader)));
    }
    let opened = app.shares.opened_by(secret).await?;
    let tokens = app.authenticator.tokens();
    let opened = opened.filter(|(owner, _)| tokens.has_owner(owner));
    let Some((owner, share)) = opened else {
        return Ok(Err(match app.wrong_token_rate.take(&peer, now) {
            true => refused(Refusal::Gone, reader),
            false => refused(Refusal::TooMany, reader),
        }));
    };
    let id = ConversationId(share.conversation.clone());
    let records = app.conversations.events(&id).await?;
    let shared = records.iter().take_while(|record| record.sequence <= share.last_event);
    let conversation = Conversation::read(shared.map(|record| &record.event));
    // It was deleted a moment ago, and its links are next.
    if conversation.opened.is_none() {
        return Ok(Err(refused(Refusal::Gone, reader)));
    }
    Ok(Ok(Opened { owner, share, entries: view(&conversation) }))
}

fn refused(refusal: Refusal, reader: Language) -> Response {
    let status = match refusal {
        Refusal::Gone => StatusCode::GONE,
        Refusal::NoFile => StatusCode::NOT_FOUND,
        Refusal::TooMany => StatusCode::TOO_MANY_REQUESTS,
    };
    let mut response = answer(status, html::quiet(refusal, reader));
    if status == StatusCode::TOO_MANY_REQUESTS {
        let (name, value) = (header::RETRY_AFTER, HeaderValue::from_static("1"));
        response.headers_mut().insert(name, value);
    }
    response
}

fn answer(status: StatusCode, page: String) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                          base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let kind = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    ];
    let mut response = (status, kind, page).into_response();
    response.headers_mut().extend(closed_headers());
    response
}

/// Nothing keeps a copy, lists it, or learns where it was.
fn closed_headers() -> [(HeaderName, HeaderValue); 3] {
    [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (
            HeaderName::from_static("x-robots-tag"),
            HeaderValue::from_static("noindex, nofollow, noarchive"),
        ),
    ]
}

/// The path of a file below a link.
pub(super) fn file_path(secret: &str, digest: &Digest) -> String {
    format!("/s/{secret}/files/{}", digest.hex(64))
}
