//! Requests to stop a turn that another server runs.
//!
//! A request is a key that expires. Every server watches these keys, and the one that runs the turn
//! stops it. A server that takes an abandoned turn over looks for a request first.

use std::time::Duration;

use contract::Digest;
use policy::ConversationId;
use serde::{Deserialize, Serialize};
use store::{BadName, Change, Expected, Expiry, Json, Key, Prefix, StoreFault};

use crate::fault::HandlerResult;
use crate::state::AppState;

const PREFIX: &str = "stop/";
/// Long enough for a turn to be taken over.
const KEY_TIME: Duration = Duration::from_secs(30);
/// How long to wait before watching again.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Serialize, Deserialize)]
struct StopRequest {
    conversation: ConversationId,
    turn: u64,
}

fn key(id: &ConversationId) -> Result<Key, BadName> {
    format!("{PREFIX}{}", Digest::of(id.0.as_bytes()).hex(32)).parse()
}

/// Asks the server that runs this turn to stop it.
pub(crate) async fn ask(app: &AppState, id: &ConversationId, turn: u64) -> HandlerResult<()> {
    let value = Json::of(&StopRequest { conversation: id.clone(), turn })?;
    let kv = app.engine.store().kv();
    kv.set(&key(id)?, value, Expected::Any, Expiry::After(KEY_TIME)).await?;
    Ok(())
}

/// Whether somebody asked to stop this turn.
pub(crate) async fn is_asked(
    app: &AppState,
    id: &ConversationId,
    turn: u64,
) -> HandlerResult<bool> {
    let found = app.engine.store().kv().get(&key(id)?).await?;
    let request = found.and_then(|entry| entry.value.to::<StopRequest>().ok());
    Ok(request.is_some_and(|request| request.turn == turn))
}

/// Stops the turns of this server that others ask to stop, until it is dropped.
pub(crate) async fn watch(app: &AppState) -> std::convert::Infallible {
    loop {
        if let Err(fault) = follow(app).await {
            tracing::debug!(%fault, "cannot watch requests to stop turns");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow(app: &AppState) -> Result<(), StoreFault> {
    let prefix: Prefix = PREFIX.parse()?;
    let kv = app.engine.store().kv();
    let mut requests = kv.watch(&prefix, kv.revision().await?).await?;
    loop {
        let change = match requests.next().await {
            Err(StoreFault::Busy { .. }) => continue,
            change => change?,
        };
        let Change::Set(entry) = change else { continue };
        let Ok(StopRequest { conversation, turn }) = entry.value.to() else { continue };
        if app.turns.is_running(&conversation) {
            let open = app.conversations.get(&conversation).await.unwrap_or_default();
            if open.open_turn().is_some_and(|open| open.number == turn) {
                app.turns.stop(&conversation);
            }
        }
    }
}
