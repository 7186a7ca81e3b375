//! What a person chose for one conversation: model, system prompt, tools, sampling.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::Sampling;
use conversation::ConversationSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::middleware::Owner;
use crate::conversations::answering_model::check_model;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::settings::{SamplingSettings, an_object, check_length};
use crate::state::AppState;

/// The settings of a conversation. What is missing follows the owner's settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct GivenSettings {
    /// The model that answers, as `provider:name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 300))]
    pub model: Option<String>,
    /// Instead of the owner's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100_000))]
    pub system_prompt: Option<String>,
    /// Tools that are off here: ids, or `name.*` for all tools of an MCP server or module.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub tools_off: Vec<String>,
    #[serde(deserialize_with = "an_object")]
    pub sampling: SamplingSettings,
}

const TOOLS_OFF_MAX: usize = 1_000;
const NAME_CHARS_MAX: usize = 300;

impl GivenSettings {
    pub(crate) fn of(settings: &ConversationSettings) -> Self {
        let ConversationSettings { model, system_prompt, tools_off, sampling, max_tokens } =
            settings.clone();
        let Sampling { temperature, top_p, frequency_penalty, presence_penalty, seed } = sampling;
        let sampling = SamplingSettings {
            temperature,
            top_p,
            max_tokens,
            frequency_penalty,
            presence_penalty,
            seed,
        };
        Self { model, system_prompt, tools_off, sampling }
    }

    /// Checked, as the log keeps them.
    pub(crate) fn checked(self) -> HandlerResult<ConversationSettings> {
        let Self { model, system_prompt, mut tools_off, sampling } = self;
        check_length("systemPrompt", system_prompt.as_deref().unwrap_or_default(), 100_000)?;
        check_length("model", model.as_deref().unwrap_or_default(), NAME_CHARS_MAX)?;
        sampling.check()?;
        if tools_off.len() > TOOLS_OFF_MAX {
            let fix = format!("at most {TOOLS_OFF_MAX}");
            return Err(Fault::bad_request("too many tools are off", fix));
        }
        for tool in &tools_off {
            check_length("toolsOff", tool, NAME_CHARS_MAX)?;
        }
        tools_off.sort();
        tools_off.dedup();
        Ok(ConversationSettings {
            model: model.filter(|model| !model.is_empty()),
            system_prompt: system_prompt.filter(|prompt| !prompt.trim().is_empty()),
            tools_off,
            max_tokens: sampling.max_tokens,
            sampling: sampling.sampling(),
        })
    }
}

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<GivenSettings>> {
    let id = app.index.id(&owner, &id).await?;
    Ok(Json(GivenSettings::of(&app.conversations.get(&id).await?.settings)))
}

/// They count from the next message on.
pub(crate) async fn change(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(given): JsonBody<GivenSettings>,
) -> HandlerResult<StatusCode> {
    let id = app.index.id(&owner, &id).await?;
    let wanted = given.checked()?;
    let before = app.conversations.get(&id).await?.settings.clone();
    // A model that is gone may stay chosen, but not be chosen anew.
    if let Some(model) = wanted.model.as_ref().filter(|model| before.model.as_ref() != Some(model))
    {
        check_model(&app, model).await?;
    }
    app.conversations.change_settings(&id, |settings| *settings = wanted.clone()).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChosenModel {
    /// As `provider:name`; the default if it is null.
    model: Option<String>,
}

pub(crate) async fn choose_model(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(ChosenModel { model }): JsonBody<ChosenModel>,
) -> HandlerResult<StatusCode> {
    let id = app.index.id(&owner, &id).await?;
    if let Some(model) = &model {
        check_model(&app, model).await?;
    }
    app.conversations.change_settings(&id, |settings| settings.model = model.clone()).await?;
    Ok(StatusCode::NO_CONTENT)
}
