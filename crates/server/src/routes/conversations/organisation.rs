//! Pins, archive, tags and folders of conversations.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::auth::middleware::Owner;
use crate::conversations::conversation_folders::ConversationFolder;
use crate::conversations::organisation::OrganisationChange;
use crate::fault::HandlerResult;
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

pub(crate) async fn organise(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(change): JsonBody<OrganisationChange>,
) -> HandlerResult<StatusCode> {
    app.index.organise(&owner, &id, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn folders(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<ConversationFolder>>> {
    Ok(Json(app.index.folders(&owner).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ConversationFolderName")]
pub(crate) struct FolderName {
    #[schemars(length(max = 60), extend("pattern" = "[^\\s\\u0000-\\u001f\\u007f-\\u009f]"))]
    name: String,
}

pub(crate) async fn create_folder(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(FolderName { name }): JsonBody<FolderName>,
) -> HandlerResult<(StatusCode, Json<ConversationFolder>)> {
    Ok((StatusCode::CREATED, Json(app.index.add_folder(&owner, &name).await?)))
}

pub(crate) async fn rename_folder(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(FolderName { name }): JsonBody<FolderName>,
) -> HandlerResult<StatusCode> {
    app.index.rename_folder(&owner, &id, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The conversations in it stay.
pub(crate) async fn remove_folder(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    app.index.remove_folder(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
