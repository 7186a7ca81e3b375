//! Calls of programs whose outcome is unknown: a person has to check, and the page lists them
//! next to the programs' requests.

use axum::extract::State;
use axum::{Extension, Json};
use policy::LedgerEntry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::caller::is_own;
use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::approvals::asker;
use crate::state::AppState;

/// A call in doubt.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CallInDoubt {
    /// The id for `ghosthand ledger resolve`.
    id: String,
    tool: String,
    /// Who made the call.
    asker: String,
    /// Milliseconds since 1970.
    at: u64,
}

/// How many are listed; further ones follow when these are resolved.
const DOUBTS_MAX: usize = 200;

/// The newest last. Calls of conversations are shown there.
pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<CallInDoubt>>> {
    Ok(Json(calls(&app, &owner).await?))
}

/// The calls in doubt of an owner's programs.
pub(crate) async fn calls(app: &AppState, owner: &str) -> HandlerResult<Vec<CallInDoubt>> {
    let is_own = |entry: &LedgerEntry| is_own(&entry.conversation.0, owner);
    let lines = app.engine.doubts(DOUBTS_MAX, is_own).await.map_err(|fault| Fault::ours(&fault))?;
    let doubts = lines.into_iter().map(|line| CallInDoubt {
        tool: line.entry.tool.to_string(),
        asker: asker(&line.entry.conversation.0),
        at: line.entry.changed_at().0,
        id: line.id,
    });
    Ok(doubts.collect())
}
