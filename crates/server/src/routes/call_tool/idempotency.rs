//! What is remembered of a program's call, so that the same call is known again.

use std::time::Duration;

use contract::{CallId, Digest, Digester, canonical_bytes};
use engine::{ApprovalRecord, CallOrigin};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Expected, Expiry, Json, Key, Kv, StoreFault};

use super::envelope::Envelope;
use crate::auth::caller::Caller;
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

/// A call as a program gave it.
pub(crate) struct CallRequest {
    pub caller: Caller,
    pub tool: String,
    pub args: Value,
}

impl CallRequest {
    fn digest(&self) -> Digest {
        let mut digester = Digester::default();
        digester.part(self.tool.as_bytes());
        digester.part(&canonical_bytes(&self.args));
        digester.finish()
    }
}

/// A call that was begun, and its answer once there is one.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredCall {
    /// Of the tool and its arguments.
    what: Digest,
    #[serde(rename = "room")]
    pub origin: CallOrigin,
    pub call: CallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Envelope>,
}

impl StoredCall {
    pub(crate) fn new(given: &CallRequest, room: Room, call: CallId) -> Self {
        Self { what: given.digest(), room, call, answer: None }
    }

    pub(crate) fn is_for(&self, given: &CallRequest) -> bool {
        self.what == given.digest()
    }
}

/// How long a key is known.
const KEY_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The place of one call in the store.
pub(crate) struct CallRecord<'a> {
    app: &'a AppState,
    key: Key,
}

impl<'a> CallRecord<'a> {
    pub(crate) fn of_key(app: &'a AppState, caller: &Caller, key: &str) -> HandlerResult<Self> {
        Self::at(app, "key", &[caller.name.as_bytes(), key.as_bytes()])
    }

    pub(crate) fn of_waiting(app: &'a AppState, given: &CallRequest) -> HandlerResult<Self> {
        let what = given.digest().to_string();
        Self::at(app, "waiting", &[given.caller.name.as_bytes(), what.as_bytes()])
    }

    fn at(app: &'a AppState, kind: &str, parts: &[&[u8]]) -> HandlerResult<Self> {
        let mut digester = Digester::default();
        parts.iter().for_each(|part| digester.part(part));
        let digest = digester.finish().to_string();
        let key = format!("http-call/{kind}/{}", digest.trim_start_matches("sha256:")).parse()?;
        Ok(Self { app, key })
    }

    pub(crate) fn name(&self) -> &str {
        self.key.as_str()
    }

    fn kv(&self) -> &dyn Kv {
        self.app.engine.store().kv()
    }

    pub(crate) async fn read(&self) -> HandlerResult<Option<StoredCall>> {
        let found = self.kv().get(&self.key).await?;
        found.map(|entry| entry.value.to().map_err(|bad| Fault::ours(&bad))).transpose()
    }

    /// Writes a call down before it runs. If another server was first, its call counts.
    pub(crate) async fn claim(&self, kept: StoredCall) -> HandlerResult<StoredCall> {
        let expiry = Expiry::After(KEY_TIME);
        match self.kv().set(&self.key, Json::of(&kept)?, Expected::Absent, expiry).await {
            Ok(_) => Ok(kept),
            Err(StoreFault::Conflict { .. }) => Ok(self.read().await?.unwrap_or(kept)),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Keeps the answer for whoever asks again under the same key.
    pub(crate) async fn answer(&self, kept: &StoredCall, answer: &Envelope) {
        let StoredCall { what, room, call, .. } = kept;
        let (room, call, answer) = (room.clone(), call.clone(), Some(answer.clone()));
        self.set(&StoredCall { what: *what, room, call, answer }, KEY_TIME).await;
    }

    /// Remembers that a call waits, for as long as a yes can count.
    pub(crate) async fn waits(&self, kept: &StoredCall, asked: &Asked) {
        let left = asked.request.expires_at.0.saturating_sub(self.app.desk.now().0);
        self.set(kept, Duration::from_millis(left.max(1))).await;
    }

    /// The program has its answer: the next call like this one is another.
    pub(crate) async fn forget(&self) {
        // What stays ends by itself.
        let _ = self.kv().delete(&self.key, Expected::Any).await;
    }

    /// The call has run: what cannot be kept is not the program's fault.
    async fn set(&self, kept: &StoredCall, time: Duration) {
        let Ok(json) = Json::of(kept) else { return };
        let written = self.kv().set(&self.key, json, Expected::Any, Expiry::After(time)).await;
        if let Err(fault) = written {
            tracing::warn!(%fault, "the answer to a call was not kept");
        }
    }
}
