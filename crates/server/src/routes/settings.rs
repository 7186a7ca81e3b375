//! An owner's settings, and the schema for the page's form.

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::Sampling;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use services::tool_kv_prefix;
use store::{Expected, Expiry, Key};

use crate::assets::words::Language;
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::snippets::read;
use crate::state::AppState;

/// An owner's settings. They take effect with the next answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Replaces {{user}}.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Your name", length(max = 100))]
    pub user_name: Option<String>,
    /// Sent to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "About you", length(max = 4000))]
    pub user_description: Option<String>,
    /// The first instructions for the model; {{user}} and {{char}} are replaced.
    #[serde(skip_serializing_if = "Option::is_none", alias = "system")]
    #[schemars(title = "System prompt", length(max = 100_000))]
    pub system_prompt: Option<String>,
    /// More prompts, each with a title; those that are on follow the system prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(title = "More system prompts", length(max = 100))]
    pub system_prompts: Vec<SystemPrompt>,
    /// Prevents prompt caching across turns.
    #[schemars(title = "Tell the model the date and time")]
    pub date_time: bool,
    #[schemars(title = "Sampling")]
    #[serde(deserialize_with = "an_object")]
    pub sampling: SamplingSettings,
    /// Of the page; without it, that of the browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Language")]
    pub language: Option<Language>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SystemPrompt {
    #[schemars(length(max = 200))]
    pub title: String,
    #[schemars(length(max = 100_000))]
    pub content: String,
    #[serde(default = "yes")]
    pub on: bool,
}

fn yes() -> bool {
    true
}

/// Sampling parameters; a model ignores those that it does not support.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct SamplingSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -2, max = 2))]
    pub frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -2, max = 2))]
    pub presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

impl SamplingSettings {
    pub(crate) fn sampling(&self) -> Sampling {
        let Self { temperature, top_p, frequency_penalty, presence_penalty, seed, .. } = *self;
        Sampling { temperature, top_p, frequency_penalty, presence_penalty, seed }
    }
}

impl Settings {
    fn check(&self) -> HandlerResult<()> {
        let texts = [
            ("userName", &self.user_name, 100),
            ("userDescription", &self.user_description, 4_000),
            ("systemPrompt", &self.system_prompt, 100_000),
        ];
        for (name, text, max) in texts {
            check_length(name, text.as_deref().unwrap_or_default(), max)?;
        }
        if self.system_prompts.len() > 100 {
            return Err(Fault::bad_request("there are too many prompts", "at most 100"));
        }
        for SystemPrompt { title, content, .. } in &self.system_prompts {
            check_length("title", title, 200)?;
            check_length("content", content, 100_000)?;
        }
        self.sampling.check()
    }
}

impl SamplingSettings {
    pub(crate) fn check(&self) -> HandlerResult<()> {
        let numbers = [
            ("temperature", self.temperature, 0.0, 2.0),
            ("topP", self.top_p, 0.0, 1.0),
            ("frequencyPenalty", self.frequency_penalty, -2.0, 2.0),
            ("presencePenalty", self.presence_penalty, -2.0, 2.0),
            ("maxTokens", self.max_tokens.map(f64::from), 1.0, f64::from(u32::MAX)),
        ];
        for (name, value, min, max) in numbers {
            if value.is_some_and(|value| !(min..=max).contains(&value)) {
                let fix = format!("give a number from {min} to {max}");
                return Err(Fault::bad_request(format!("`{name}` is out of its range"), fix));
            }
        }
        Ok(())
    }
}

pub(crate) fn check_length(name: &str, text: &str, max: usize) -> HandlerResult<()> {
    match text.chars().count() > max {
        true => Err(Fault::bad_request(
            format!("`{name}` is too long"),
            format!("at most {max} characters"),
        )),
        false => Ok(()),
    }
}

/// The settings, and the schema of their form.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SettingsForm {
    schema: Value,
    values: Settings,
}

pub(crate) async fn settings(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<SettingsForm>> {
    let mut whole = SchemaSettings::draft2020_12();
    whole.inline_subschemas = true;
    let schema = whole.into_generator().into_root_schema_for::<Settings>();
    Ok(Json(SettingsForm { schema: json!(schema), values: settings_of(&app, &owner).await? }))
}

pub(crate) async fn set_settings(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(mut settings): JsonBody<Settings>,
) -> HandlerResult<StatusCode> {
    settings.check()?;
    let kv = app.engine.store().kv();
    // Tools read the name from this key, so it is stored only there.
    let name = settings.user_name.take().filter(|name| !name.trim().is_empty());
    match name {
        Some(name) => {
            let json = store::Json::of(&name.trim())?;
            kv.set(&name_key(&owner)?, json, Expected::Any, Expiry::Never).await?;
        }
        None => drop(kv.delete(&name_key(&owner)?, Expected::Any).await?),
    }
    let json = store::Json::of(&settings)?;
    kv.set(&settings_key(&owner)?, json, Expected::Any, Expiry::Never).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn settings_of(app: &AppState, owner: &str) -> HandlerResult<Settings> {
    let stored = read(app, &settings_key(owner)?).await?;
    // Settings of another version that cannot be read are ignored.
    let stored = stored.and_then(|stored| serde_json::from_value(stored).ok());
    let name = read(app, &name_key(owner)?).await?;
    let user_name = name.and_then(|name| name.as_str().map(str::to_owned));
    Ok(Settings { user_name, ..stored.unwrap_or_default() })
}

/// The owner's system prompt, or the server's.
pub(crate) async fn system_of(app: &AppState, owner: &str) -> HandlerResult<String> {
    let settings = settings_of(app, owner).await?;
    Ok(settings.system_prompt.unwrap_or_else(|| app.system_prompt.clone()))
}

fn settings_key(owner: &str) -> HandlerResult<Key> {
    Ok(format!("pad/{owner}/settings").parse()?)
}

fn name_key(owner: &str) -> HandlerResult<Key> {
    Ok(format!("{}user_name", tool_kv_prefix(owner)).parse()?)
}

/// The same for a field that may be missing or null.
pub(crate) fn an_optional_object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(from)?;
    match value.is_null() {
        true => Ok(None),
        false => an_object(value).map(Some).map_err(serde::de::Error::custom),
    }
}

/// Serde would also read a list as fields.
pub(crate) fn an_object<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(from)?;
    match value.is_object() {
        true => serde_json::from_value(value).map_err(serde::de::Error::custom),
        false => Err(serde::de::Error::custom("expected an object")),
    }
}
