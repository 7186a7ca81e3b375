//! The owner's personas, and who takes part in a conversation.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::Persona;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::{Answer, Fault};
use crate::tokens::random_name;

const PERSONAS_MAX: usize = 500;

pub(crate) async fn list(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
) -> Answer<Json<Vec<Persona>>> {
    Ok(Json(app.desk.personas(&owner).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    name: String,
    #[serde(default)]
    description: String,
}

impl Written {
    fn named(self, id: String) -> Answer<Persona> {
        let Self { name, description } = self;
        match name.trim().is_empty() {
            true => Err(Fault::bad_request("the persona has no name", "give `name`")),
            false => Ok(Persona { id, name, description }),
        }
    }
}

pub(crate) async fn create(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Body(written): Body<Written>,
) -> Answer<(StatusCode, Json<Value>)> {
    if app.desk.personas(&owner).await?.len() >= PERSONAS_MAX {
        return Err(Fault::too_many("there are too many personas"));
    }
    let persona = written.named(random_name().map_err(|fault| Fault::ours(&fault))?)?;
    app.desk.keep_persona(&owner, &persona).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": persona.id }))))
}

pub(crate) async fn change(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(written): Body<Written>,
) -> Answer<StatusCode> {
    let known = app.desk.personas(&owner).await?.iter().any(|persona| persona.id == id);
    if !known {
        return Err(Fault::not_found("there is no such persona"));
    }
    app.desk.keep_persona(&owner, &written.named(id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Chosen {
    ids: Vec<String>,
}

pub(crate) async fn choose(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(Chosen { ids }): Body<Chosen>,
) -> Answer<StatusCode> {
    let id = app.shelf.id(&owner, &id).await?;
    app.desk.choose_personas(&id, &ids).await?;
    Ok(StatusCode::NO_CONTENT)
}
