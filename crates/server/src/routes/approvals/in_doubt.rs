//! Calls whose outcome is unknown: a person has to check, and the page lists them in the inbox.

use axum::extract::State;
use axum::{Extension, Json};
use policy::LedgerEntry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::caller::is_own;
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::approvals::{asker, titles};
use crate::state::AppState;

/// A call in doubt.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CallInDoubt {
    /// The id for `ghosthand ledger resolve`.
    id: String,
    tool: String,
    /// The program that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    asker: Option<String>,
    /// The owner's conversation that made it, and its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Milliseconds since 1970.
    at: u64,
}

/// How many are listed; further ones follow when these are resolved.
const DOUBTS_MAX: usize = 200;

/// The newest last.
pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<CallInDoubt>>> {
    Ok(Json(calls(&app, &owner).await?))
}

/// The calls in doubt of an owner, in conversations and from programs.
pub(crate) async fn calls(app: &AppState, owner: &str) -> HandlerResult<Vec<CallInDoubt>> {
    let titles = titles(app, owner).await?;
    let is_own = |entry: &LedgerEntry| {
        let conversation = &entry.conversation.0;
        is_own(conversation, owner) || titles.contains_key(conversation)
    };
    let lines = app.engine.doubts(DOUBTS_MAX, is_own).await.map_err(|fault| Fault::ours(&fault))?;
    let doubts = lines.into_iter().map(|line| {
        let conversation = line.entry.conversation.0.clone();
        let title = titles.get(&conversation).cloned();
        CallInDoubt {
            tool: line.entry.tool.to_string(),
            asker: title.is_none().then(|| asker(&conversation)),
            conversation: title.is_some().then_some(conversation),
            title,
            at: line.entry.changed_at().0,
            id: line.id,
        }
    });
    Ok(doubts.collect())
}
