//! InFlightCalls of programs of which nobody knows how they ended: a person has to find out, and the
//! page says so where it shows what programs want.

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
    /// As `ghosthand ledger resolve` takes it.
    id: String,
    tool: String,
    /// Whose call it was.
    asker: String,
    /// Milliseconds since 1970.
    at: u64,
}

/// A person has that many to find out about at once; the rest comes when these are resolved.
const DOUBTS_MAX: usize = 200;

/// The newest last. Those of a conversation stand in it.
pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<CallInDoubt>>> {
    let is_own = |entry: &Entry| is_own(&entry.conversation.0, &owner);
    let lines = app.desk.doubts(DOUBTS_MAX, is_own).await.map_err(|fault| Fault::ours(&fault))?;
    let doubts = lines.into_iter().map(|line| CallInDoubt {
        tool: line.entry.tool.to_string(),
        asker: asker(&line.entry.conversation.0),
        at: line.entry.changed_at().0,
        id: line.id,
    });
    Ok(Json(doubts.collect()))
}
