//! Files of messages: added, shown, forgotten.
//!
//! Must hold: a file is read as it arrives and never whole; only its owner gets it; in a
//! browser it can neither run nor be mistaken for something else.

use std::pin::Pin;
use std::task::{Context, Poll};

use attachments::{Attachment, AttachmentFault, Attachments, Use, clean_name};
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{Digest, FileRef};
use futures_core::Stream;
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::conversations::export::percent_encoded;
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

/// A file of a message, as the page sends it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageFile {
    #[schemars(with = "String", extend("pattern" = "^sha256:[0-9a-f]{64}$"))]
    pub digest: Digest,
    #[serde(default)]
    pub name: String,
}

/// A file, as the page shows it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileView {
    digest: String,
    name: String,
    media_type: &'static str,
    is_picture: bool,
    bytes: u64,
    /// About how many tokens a model counts for it.
    tokens: u64,
    /// Pages, slides or sheets; 1 for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u64>,
    /// How much text the model gets at most, if the file has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

impl FileView {
    fn of(file: &Attachment, name: &str, prompt_bytes_max: usize) -> Self {
        let FileRef { digest, name, .. } = file.named(name);
        let max = u64::try_from(prompt_bytes_max).unwrap_or(u64::MAX);
        let is_cut = |text: &&attachments::StoredText| text.is_cut || text.bytes > max;
        Self {
            digest: digest.to_string(),
            name,
            media_type: file.kind.media_type(),
            is_picture: file.kind.is_picture(),
            bytes: file.bytes,
            tokens: file.tokens,
            pages: file.text.as_ref().map(|text| text.pages),
            cut_at: file.text.as_ref().filter(is_cut).map(|_| prompt_bytes_max),
            width: file.pixels.map(|(width, _)| width),
            height: file.pixels.map(|(_, height)| height),
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct AddQuery {
    name: Option<String>,
}

pub(crate) async fn add(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(AddQuery { name }): Query<AddQuery>,
    request: Request,
) -> HandlerResult<(StatusCode, Json<FileView>)> {
    let name = name.unwrap_or_default();
    let body = request.into_body();
    let limits = app.limits.attachments;
    let max = u64::try_from(limits.file_bytes_max).unwrap_or(u64::MAX);
    if body.size_hint().lower() > max {
        return Err(AttachmentFault::TooLarge { max: limits.file_bytes_max }.into());
    }
    let file = take_in(app.conversations.attachments(), &owner, &name, body).await?;
    Ok((StatusCode::CREATED, Json(FileView::of(&file, &name, limits.prompt_bytes_max))))
}

/// Stores a body piece by piece.
async fn take_in(
    all: &Attachments,
    owner: &str,
    name: &str,
    body: Body,
) -> HandlerResult<Attachment> {
    let mut body = std::pin::pin!(body);
    let mut upload = all.begin(owner).await?;
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        let Ok(frame) = frame else {
            upload.abort().await?;
            return Err(Fault::bad_request("the file was cut off", "send all of it"));
        };
        let Ok(bytes) = frame.into_data() else { continue };
        if let Err(fault) = upload.write(&bytes).await {
            upload.abort().await?;
            return Err(fault.into());
        }
    }
    Ok(upload.finish(name).await?)
}

/// Keeps the files of a message for its conversation.
pub(crate) async fn kept(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    files: &[MessageFile],
) -> HandlerResult<Vec<FileRef>> {
    let max = app.limits.attachments.per_message_max;
    if files.len() > max {
        return Err(AttachmentFault::TooManyInMessage { max }.into());
    }
    let mut kept = Vec::with_capacity(files.len());
    for MessageFile { digest, name } in files {
        let all = app.conversations.attachments();
        let file = all.keep(owner, digest, Use::Conversation(&id.0)).await?;
        kept.push(file.named(name));
    }
    Ok(kept)
}

#[derive(Deserialize)]
pub(crate) struct ShowQuery {
    #[serde(rename = "as")]
    form: Option<Form>,
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    File,
    Text,
    About,
}

/// Nothing in a file may act, even if it is opened by itself.
const SEALED: (HeaderName, HeaderValue) = (
    header::CONTENT_SECURITY_POLICY,
    HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'"),
);

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(digest): Path<String>,
    Query(ShowQuery { form, name }): Query<ShowQuery>,
) -> HandlerResult<Response> {
    let all = app.conversations.attachments();
    let file = all.find(&owner, &digest_of(&digest)?).await?;
    let name = name.unwrap_or_default();
    match form.unwrap_or(Form::File) {
        Form::About => {
            let max = app.limits.attachments.prompt_bytes_max;
            Ok(Json(FileView::of(&file, &name, max)).into_response())
        }
        Form::Text => match all.text(&file, app.limits.attachments.text_bytes_max).await? {
            Some(text) => {
                let headers = [text_type(), SEALED, disposition("inline", &file, &name)];
                Ok((headers, text).into_response())
            }
            None => Err(Fault::not_found("the file has no text")),
        },
        Form::File => Ok(whole_file(all, file, &name)),
    }
}

/// A file: a picture is shown in the page, everything else is saved.
pub(crate) fn whole_file(all: &Attachments, file: Attachment, name: &str) -> Response {
    let (kind, how) = match file.kind.is_picture() {
        true => (HeaderValue::from_static(file.kind.media_type()), "inline"),
        false => (HeaderValue::from_static("application/octet-stream"), "attachment"),
    };
    let headers = [(header::CONTENT_TYPE, kind), SEALED, disposition(how, &file, name)];
    let body = Body::from_stream(pieces(all.clone(), file));
    (headers, body).into_response()
}

fn text_type() -> (HeaderName, HeaderValue) {
    (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))
}

/// With the name in every script.
fn disposition(how: &str, file: &Attachment, name: &str) -> (HeaderName, HeaderValue) {
    let name = Some(clean_name(name)).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| file.name.clone());
    let escaped = percent_encoded(&name);
    let value = HeaderValue::try_from(format!("{how}; filename*=UTF-8''{escaped}"));
    (header::CONTENT_DISPOSITION, value.unwrap_or(HeaderValue::from_static("attachment")))
}

/// A digest, with or without `sha256:`.
pub(crate) fn digest_of(text: &str) -> HandlerResult<Digest> {
    let parsed = text.parse().or_else(|_| format!("sha256:{text}").parse());
    parsed.map_err(|_| AttachmentFault::NotFound.into())
}

/// The bytes of a file, read as fast as they are sent.
fn pieces(all: Attachments, file: Attachment) -> Pieces {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        for number in 0.. {
            let piece = match all.piece(&file, number).await {
                Ok(Some(piece)) => Ok(Bytes::from(piece)),
                Ok(None) => return,
                Err(fault) => Err(std::io::Error::other(fault.to_string())),
            };
            if sender.send(piece).await.is_err() {
                return;
            }
        }
    });
    Pieces(receiver)
}

struct Pieces(mpsc::Receiver<std::io::Result<Bytes>>);

impl Stream for Pieces {
    type Item = std::io::Result<Bytes>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Bytes>>> {
        self.0.poll_recv(context)
    }
}

pub(crate) async fn discard(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(digest): Path<String>,
) -> HandlerResult<StatusCode> {
    app.conversations.attachments().discard(&owner, &digest_of(&digest)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
