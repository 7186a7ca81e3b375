//! The owner's personas, and those of a conversation.

use services::Persona;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::middleware::Owner;
use crate::auth::tokens::random_name;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::persona_properties::move_properties;
use crate::routes::snippets::Created;
use crate::state::AppState;

const PERSONAS_MAX: usize = 500;
const NAME_CHARS_MAX: usize = 100;

/// A persona, with its name as in the keys of its properties.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Persona")]
pub(crate) struct PersonaView {
    id: String,
    name: String,
    description: String,
    slug: String,
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<PersonaView>>> {
    let shown = |persona: Persona| {
        let slug = persona.slug();
        let Persona { id, name, description } = persona;
        PersonaView { id, name, description, slug }
    };
    Ok(Json(
        services::personas_of(app.engine.store(), &owner).await?.into_iter().map(shown).collect(),
    ))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenPersona {
    name: String,
    #[serde(default)]
    description: String,
}

impl WrittenPersona {
    fn named(self, id: String) -> HandlerResult<Persona> {
        let Self { name, description } = self;
        let name = name.trim().to_owned();
        match name.chars().count() {
            1..=NAME_CHARS_MAX => Ok(Persona { id, name, description }),
            _ => {
                let fix = format!("give `name` with 1 to {NAME_CHARS_MAX} characters");
                Err(Fault::bad_request("invalid name", fix))
            }
        }
    }
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(written): JsonBody<WrittenPersona>,
) -> HandlerResult<(StatusCode, Json<Created>)> {
    let known = services::personas_of(app.engine.store(), &owner).await?;
    if known.len() >= PERSONAS_MAX {
        return Err(Fault::too_many("there are too many personas"));
    }
    let persona = written.named(random_name().map_err(|fault| Fault::ours(&fault))?)?;
    check_slug(&known, &persona)?;
    services::keep_persona(app.engine.store(), &owner, &persona).await?;
    Ok((StatusCode::CREATED, Json(Created { id: persona.id })))
}

/// Two personas with one slug would share their properties.
fn check_slug(known: &[Persona], persona: &Persona) -> HandlerResult<()> {
    let slug = persona.slug();
    let taken = |other: &Persona| other.id != persona.id && other.slug() == slug;
    match slug == "user" || known.iter().any(taken) {
        true => Err(Fault::conflict("another persona has this name", "choose another name")),
        false => Ok(()),
    }
}

/// The properties of a renamed persona move with it.
pub(crate) async fn change(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(written): JsonBody<WrittenPersona>,
) -> HandlerResult<StatusCode> {
    let known = services::personas_of(app.engine.store(), &owner).await?;
    let before = one(&known, &id)?.slug();
    let persona = written.named(id)?;
    check_slug(&known, &persona)?;
    services::keep_persona(app.engine.store(), &owner, &persona).await?;
    if before != persona.slug() {
        move_properties(&app, &owner, &before, &persona.slug()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

fn one<'a>(known: &'a [Persona], id: &str) -> HandlerResult<&'a Persona> {
    let found = known.iter().find(|persona| persona.id == id);
    found.ok_or_else(|| Fault::not_found("there is no such persona"))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    let known = services::personas_of(app.engine.store(), &owner).await?;
    one(&known, &id)?;
    if known.len() == 1 {
        let fix = "create another one first, or edit this one";
        return Err(Fault::conflict("the last persona cannot be deleted", fix));
    }
    services::remove_persona(app.engine.store(), &owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The ids of the personas; empty for the default.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChosenPersonas {
    ids: Vec<String>,
}

pub(crate) async fn chosen(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<ChosenPersonas>> {
    let id = app.index.id(&owner, &id).await?;
    Ok(Json(ChosenPersonas { ids: services::chosen_personas(app.engine.store(), &id).await? }))
}

pub(crate) async fn choose(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(ChosenPersonas { ids }): JsonBody<ChosenPersonas>,
) -> HandlerResult<StatusCode> {
    let id = app.index.id(&owner, &id).await?;
    let known = services::personas_of(app.engine.store(), &owner).await?;
    for id in &ids {
        one(&known, id)?;
    }
    services::choose_personas(app.engine.store(), &id, &ids).await?;
    Ok(StatusCode::NO_CONTENT)
}
