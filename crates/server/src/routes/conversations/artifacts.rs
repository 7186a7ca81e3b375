//! The artifacts of a conversation: listed with their versions, and one version to show or save.

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::export::attachment;
use crate::artifacts::{Artifact, Kind, Version, artifacts};
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::render::highlight::highlighted;
use crate::render::markdown::to_html;
use crate::state::AppState;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ArtifactLine {
    /// Counts from 1, in the order of the first versions.
    id: usize,
    title: String,
    kind: Kind,
    language: String,
    /// A name to save it under.
    file: String,
    versions: Vec<VersionLine>,
}

/// A version, and where the conversation has it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VersionLine {
    /// The key of the entry.
    entry: String,
    /// Which artifact of the entry it is, from 0.
    block: usize,
    turn: u64,
    lines: usize,
    bytes: usize,
}

impl VersionLine {
    fn of(Version { entry, block, turn, text }: &Version) -> Self {
        let (lines, bytes) = (text.lines().count(), text.len());
        Self { entry: entry.clone(), block: *block, turn: *turn, lines, bytes }
    }
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<Vec<ArtifactLine>>> {
    let found = found(&app, &owner, &id).await?;
    let line = |(at, artifact): (usize, Artifact)| {
        let versions = artifact.versions.iter().map(VersionLine::of).collect();
        let Artifact { title, kind, language, file, .. } = artifact;
        ArtifactLine { id: at + 1, title, kind, language, file, versions }
    };
    Ok(Json(found.into_iter().enumerate().map(line).collect()))
}

#[derive(Deserialize)]
pub(crate) struct ArtifactQuery {
    /// Counts from 1; the newest if it is missing.
    version: Option<u32>,
    #[serde(rename = "as")]
    form: Option<String>,
}

/// A version of an artifact as the page shows it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownArtifact {
    id: usize,
    title: String,
    kind: Kind,
    language: String,
    file: String,
    /// Counts from 1.
    version: usize,
    versions: Vec<VersionLine>,
    text: String,
    /// The text as HTML, with colours.
    source: String,
    /// A document as HTML; the page draws the other kinds from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
}

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, artifact)): Path<(String, String)>,
    Query(ArtifactQuery { version, form }): Query<ArtifactQuery>,
) -> HandlerResult<Response> {
    let found = found(&app, &owner, &id).await?;
    let number = artifact.parse::<usize>().ok().filter(|number| *number > 0);
    let wanted = number.and_then(|number| Some((number, found.into_iter().nth(number - 1)?)));
    let (number, artifact) = wanted.ok_or_else(no_artifact)?;
    let version = version.map_or(artifact.versions.len(), |version| version as usize);
    let at = version.checked_sub(1).ok_or_else(no_artifact)?;
    let text = artifact.versions.get(at).ok_or_else(no_artifact)?.text.clone();
    match form.as_deref() {
        None => {}
        Some("file") => {
            let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned());
            let name = (header::CONTENT_DISPOSITION, attachment(&artifact.file));
            return Ok(([kind, name], text).into_response());
        }
        Some(_) => {
            return Err(Fault::bad_request("unknown form", "give `as=file`, or leave `as` out"));
        }
    }
    let shown = app.render_pool.run(move || shown(number, version, artifact, text)).await?;
    Ok(Json(shown).into_response())
}

fn shown(id: usize, version: usize, artifact: Artifact, text: String) -> ShownArtifact {
    let versions = artifact.versions.iter().map(VersionLine::of).collect();
    let Artifact { title, kind, language, file, .. } = artifact;
    let source = highlighted(&text, &language);
    let preview = (kind == Kind::Markdown).then(|| to_html(&text));
    ShownArtifact { id, title, kind, language, file, version, versions, text, source, preview }
}

fn no_artifact() -> Fault {
    Fault::not_found("there is no such artifact")
}

/// All artifacts of one of the owner's conversations.
async fn found(app: &AppState, owner: &str, id: &str) -> HandlerResult<Vec<Artifact>> {
    let line = app.index.line(owner, id).await?;
    let conversation = app.conversations.get(&ConversationId(line.id)).await?;
    Ok(app.render_pool.run(move || artifacts(&conversation)).await?)
}
