//! Folders of documents that models search: listed, made, filled, searched, deleted.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::Digest;
use knowledge::{EmbeddingProgress, Folder, FolderFile, FolderScope, KnowledgeFault, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::attachments::{MessageFile, digest_of};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

/// A folder, as the page shows it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FolderView {
    id: String,
    name: String,
    /// The conversation that it belongs to; in others it is not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    files: Vec<DocumentView>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentView {
    digest: String,
    name: String,
    media_type: String,
    bytes: u64,
    text_bytes: u64,
    pages: u64,
    /// Documents can be searched as soon as they are in a folder.
    state: &'static str,
}

impl From<Folder> for FolderView {
    fn from(folder: Folder) -> Self {
        let Folder { id, name, scope, files } = folder;
        let conversation = match scope {
            FolderScope::Owner => None,
            FolderScope::Conversation(id) => Some(id),
        };
        Self { id, name, conversation, files: files.into_iter().map(DocumentView::from).collect() }
    }
}

impl From<FolderFile> for DocumentView {
    fn from(file: FolderFile) -> Self {
        let FolderFile { digest, name, media_type, bytes, text_bytes, pages } = file;
        let digest = digest.to_string();
        Self { digest, name, media_type, bytes, text_bytes, pages, state: "ready" }
    }
}

#[derive(Deserialize)]
pub(crate) struct ListQuery {
    conversation: Option<String>,
}

/// The folders of the owner; those of another conversation are left out if one is named.
pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(ListQuery { conversation }): Query<ListQuery>,
) -> HandlerResult<Json<Vec<FolderView>>> {
    let conversation = own(&app, &owner, conversation).await?;
    let folders = app.engine.knowledge().folders(&owner).await?.into_iter();
    let is_wanted = |folder: &Folder| match &conversation {
        Some(id) => folder.is_in(Some(id)),
        None => true,
    };
    Ok(Json(folders.filter(is_wanted).map(FolderView::from).collect()))
}

/// A conversation that the owner has.
async fn own(app: &AppState, owner: &str, id: Option<String>) -> HandlerResult<Option<String>> {
    match id {
        Some(id) => Ok(Some(app.index.id(owner, &id).await?.0)),
        None => Ok(None),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFolder {
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// Without it, the folder is searched in every conversation.
    conversation: Option<String>,
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(NewFolder { name, conversation }): JsonBody<NewFolder>,
) -> HandlerResult<(StatusCode, Json<FolderView>)> {
    let scope = match conversation {
        None => FolderScope::Owner,
        Some(id) => FolderScope::Conversation(app.index.id(&owner, &id).await?.0),
    };
    let folder = app.engine.knowledge().create(&owner, &name, scope).await?;
    Ok((StatusCode::CREATED, Json(folder.into())))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    app.engine.knowledge().delete(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds a file that was uploaded as an attachment.
pub(crate) async fn add_file(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(MessageFile { digest, name }): JsonBody<MessageFile>,
) -> HandlerResult<(StatusCode, Json<FolderView>)> {
    let folder = app.engine.knowledge().add_file(&owner, &id, &digest, &name).await?;
    Ok((StatusCode::CREATED, Json(folder.into())))
}

pub(crate) async fn remove_file(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, digest)): Path<(String, String)>,
) -> HandlerResult<StatusCode> {
    let digest: Digest = digest_of(&digest)?;
    app.engine.knowledge().remove_file(&owner, &id, &digest).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub(crate) struct SearchQuery {
    q: Option<String>,
    conversation: Option<String>,
}

/// What `search_documents` would find.
pub(crate) async fn search(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(SearchQuery { q, conversation }): Query<SearchQuery>,
) -> HandlerResult<Json<Value>> {
    let conversation = own(&app, &owner, conversation).await?;
    let (knowledge, query) = (app.engine.knowledge(), q.unwrap_or_default());
    let found = knowledge.search(&owner, conversation.as_deref(), &query, 10).await?;
    Ok(Json(json!(found)))
}

/// How far the documents of an owner are embedded.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EmbeddingsView {
    /// `provider:name`.
    model: String,
    passages: usize,
    embedded: usize,
    /// Why the others have no vector yet.
    notice: Option<String>,
}

pub(crate) async fn embeddings(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Option<EmbeddingsView>>> {
    let progress = app.engine.knowledge().embedding_progress(&owner).await?;
    let view = progress.map(|EmbeddingProgress { model, passages, embedded, notice }| {
        EmbeddingsView { model, passages, embedded, notice }
    });
    Ok(Json(view))
}

#[derive(Deserialize)]
pub(crate) struct SectionQuery {
    document: Option<String>,
    conversation: Option<String>,
    first: Option<u32>,
    last: Option<u32>,
}

/// Lines of a document, which a citation names.
pub(crate) async fn section(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(SectionQuery { document, conversation, first, last }): Query<SectionQuery>,
) -> HandlerResult<Json<Value>> {
    let conversation = own(&app, &owner, conversation).await?;
    let line = |line: Option<u32>| line.and_then(|line| usize::try_from(line).ok());
    let place = Place {
        page: None,
        first_line: line(first).unwrap_or(1),
        last_line: line(last).unwrap_or(usize::MAX),
    };
    let (knowledge, document) = (app.engine.knowledge(), document.unwrap_or_default());
    let section =
        knowledge.section(&owner, conversation.as_deref(), &document, Some(place)).await?;
    Ok(Json(json!(section)))
}

impl From<KnowledgeFault> for Fault {
    fn from(fault: KnowledgeFault) -> Self {
        let message = fault.to_string();
        match fault {
            KnowledgeFault::NoFolder | KnowledgeFault::NoFile => Fault::not_found(message),
            KnowledgeFault::NoText => {
                Fault::bad_request(message, "add a file that has text; a scan needs recognition")
            }
            KnowledgeFault::BadName => Fault::bad_request(message, "give `name` a few words"),
            KnowledgeFault::TooManyFolders { .. } => {
                Fault::bad_request(message, "delete folders that you do not need")
            }
            KnowledgeFault::TooManyFiles { .. } => {
                Fault::bad_request(message, "make another folder")
            }
            KnowledgeFault::Attachment(fault) => fault.into(),
            KnowledgeFault::Store(fault) => fault.into(),
        }
    }
}
