//! Which forms of tools a conversation shows: evaluated by one of the servers that share a store.
//!
//! Evaluating conditions runs handlers, every second. With several servers, the one that began
//! writes the digest of what it found to a key, and the others read that. If it stops, the key
//! expires and another one goes on.

use std::time::Duration;

use contract::{Digest, Digester};
use engine::CallOrigin;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, StoreFault};

use crate::fault::HandlerResult;
use crate::routes::tools::features::features_in;
use crate::state::AppState;

const KEY_TIME: Duration = Duration::from_secs(5);
/// Unchanged states are written again after this many looks, before the key expires.
const LOOKS_MAX: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Found {
    node: String,
    state: Digest,
}

/// What this server knows of a conversation's state.
#[derive(Default)]
pub(crate) struct SharedState {
    /// Looks since this server wrote the key.
    looks: u32,
}

impl SharedState {
    /// The state now; the page redraws its forms when it changes.
    pub(crate) async fn now(
        &mut self,
        app: &AppState,
        origin: &CallOrigin,
    ) -> HandlerResult<Digest> {
        if !app.cluster.has_peers() {
            return evaluate(app, origin).await;
        }
        let (kv, own) = (app.engine.store().kv(), app.cluster.id());
        let name = Digest::of(origin.conversation.0.as_bytes()).hex(32);
        let key: Key = format!("conditions/{name}").parse()?;
        let entry = kv.get(&key).await?;
        let found = entry.as_ref().and_then(|entry| entry.value.to::<Found>().ok());
        if let Some(found) = found.as_ref().filter(|found| found.node != own) {
            return Ok(found.state);
        }
        let state = evaluate(app, origin).await?;
        self.looks += 1;
        if found.is_some_and(|found| found.state == state) && self.looks <= LOOKS_MAX {
            return Ok(state);
        }
        let expected = entry.map_or(Expected::Absent, |entry| Expected::Revision(entry.revision));
        let json = Json::of(&Found { node: own.to_owned(), state })?;
        match kv.set(&key, json, expected, Expiry::After(KEY_TIME)).await {
            Ok(_) => self.looks = 0,
            // Another server began at the same moment; the next look reads its state.
            Err(StoreFault::Conflict { .. }) => {}
            Err(fault) => return Err(fault.into()),
        }
        Ok(state)
    }
}

/// The digest of the tools, their switches and their forms.
pub(crate) async fn evaluate(app: &AppState, origin: &CallOrigin) -> HandlerResult<Digest> {
    let mut digester = Digester::default();
    digester.part(app.engine.registry().version().to_string().as_bytes());
    for off in app.engine.switched_off().await? {
        digester.part(format!("{off:?}").as_bytes());
    }
    for feature in features_in(app, origin, true).await? {
        digester.part(feature.to_string().as_bytes());
    }
    Ok(digester.finish())
}
