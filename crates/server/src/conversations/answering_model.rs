//! Which model answers: the one of the message, of the conversation, or of the owner's default.

use std::sync::Arc;

use contract::Model;
use conversation::Conversation;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Key};

use crate::fault::{Fault, HandlerResult};
use crate::routes::snippets::read;
use crate::state::AppState;

/// What an owner chose for all conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ModelPreferences {
    /// Answers new conversations.
    pub default: Option<String>,
    pub favourites: Vec<String>,
}

/// The model of the open turn. One that is gone answers with its fault.
pub(crate) async fn answering_model(app: &AppState, conversation: &Conversation) -> Arc<dyn Model> {
    match conversation.chosen_model() {
        Some(chosen) => app.providers.open(chosen).await,
        None => app.providers.default_model().await,
    }
}

/// The model for an owner where no conversation says otherwise.
pub(crate) async fn owners_model(app: &AppState, owner: &str) -> HandlerResult<Arc<dyn Model>> {
    match usable_default(app, owner).await? {
        Some(default) => Ok(app.providers.open(&default).await),
        None => Ok(app.providers.default_model().await),
    }
}

/// The default of the owner; one that is gone does not count.
pub(crate) async fn usable_default(app: &AppState, owner: &str) -> HandlerResult<Option<String>> {
    let Some(default) = preferences_of(app, owner).await?.default else { return Ok(None) };
    Ok(app.providers.why_gone(&default).await.is_none().then_some(default))
}

/// Checks that a model can be chosen now.
pub(crate) async fn check_model(app: &AppState, model: &str) -> HandlerResult<()> {
    match app.providers.why_gone(model).await {
        None => Ok(()),
        Some(because) => {
            let message = format!("this server has no model `{model}`: {because}");
            Err(Fault::conflict(message, "GET /api/models lists them"))
        }
    }
}

pub(crate) async fn preferences_of(app: &AppState, owner: &str) -> HandlerResult<ModelPreferences> {
    let stored = read(app, &preferences_key(owner)?).await?;
    // What another version wrote and cannot be read is ignored.
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
}

pub(crate) async fn keep_preferences(
    app: &AppState,
    owner: &str,
    preferences: &ModelPreferences,
) -> HandlerResult<()> {
    let json = store::Json::of(preferences)?;
    let kv = app.engine.store().kv();
    kv.set(&preferences_key(owner)?, json, Expected::Any, Expiry::Never).await?;
    Ok(())
}

fn preferences_key(owner: &str) -> HandlerResult<Key> {
    Ok(format!("pad/{owner}/models").parse()?)
}
