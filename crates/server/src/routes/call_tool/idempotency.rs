//! Records of programs' calls, so that repeated calls are recognised.

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

/// A call as a program sent it.
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

/// A call that was started, and its answer if there is one.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredCall {
    /// Over the tool and its arguments.
    what: Digest,
    #[serde(rename = "room")]
    pub origin: CallOrigin,
    pub call: CallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Envelope>,
    /// The server that runs it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runs_on: Option<String>,
}

impl StoredCall {
    pub(crate) fn new(request: &CallRequest, origin: CallOrigin, call: CallId) -> Self {
        Self { what: request.digest(), origin, call, answer: None, runs_on: None }
    }

    pub(crate) fn is_for(&self, request: &CallRequest) -> bool {
        self.what == request.digest()
    }
}

/// How long a key is remembered.
const KEY_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// How often to look whether another server has the answer.
const PAUSE: Duration = Duration::from_millis(50);

/// The record of one call in the store.
pub(crate) struct CallRecord<'a> {
    app: &'a AppState,
    key: Key,
}

impl<'a> CallRecord<'a> {
    pub(crate) fn of_key(app: &'a AppState, caller: &Caller, key: &str) -> HandlerResult<Self> {
        Self::at(app, "key", &[caller.name.as_bytes(), key.as_bytes()])
    }

    pub(crate) fn of_waiting(app: &'a AppState, request: &CallRequest) -> HandlerResult<Self> {
        let what = request.digest().to_string();
        Self::at(app, "waiting", &[request.caller.name.as_bytes(), what.as_bytes()])
    }

    fn at(app: &'a AppState, kind: &str, parts: &[&[u8]]) -> HandlerResult<Self> {
        let mut digester = Digester::default();
        parts.iter().for_each(|part| digester.part(part));
        let key = format!("http-call/{kind}/{}", digester.finish().hex(64)).parse()?;
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

    /// Records that this server runs the call. If there is a record, that one counts: with an
    /// answer, or to run again. While another server runs it, its answer is waited for.
    pub(crate) async fn claim(&self, new: StoredCall) -> HandlerResult<StoredCall> {
        let own = Some(self.app.cluster.id().to_owned());
        loop {
            let found = self.kv().get(&self.key).await?;
            let expected = match &found {
                Some(entry) => Expected::Revision(entry.revision),
                None => Expected::Absent,
            };
            let mut stored = match found {
                Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad))?,
                None => new.clone(),
            };
            if stored.answer.is_some() || stored.what != new.what {
                return Ok(stored);
            }
            if let Some(node) = stored.runs_on.as_ref().filter(|node| Some(*node) != own.as_ref())
                && self.app.cluster.is_alive(node).await?
            {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            stored.runs_on.clone_from(&own);
            let (json, expiry) = (Json::of(&stored)?, Expiry::After(KEY_TIME));
            match self.kv().set(&self.key, json, expected, expiry).await {
                Ok(_) => return Ok(stored),
                Err(StoreFault::Conflict { .. }) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// Stores the answer for repeated requests with the same key; without one, the next request
    /// runs the call again.
    pub(crate) async fn ended(&self, stored: StoredCall, answer: Option<&Envelope>) {
        let answer = answer.cloned();
        self.set(&StoredCall { answer, runs_on: None, ..stored }, KEY_TIME).await;
    }

    /// Remembers a waiting call for as long as it can be approved.
    pub(crate) async fn waits(&self, stored: &StoredCall, asked: &ApprovalRecord) {
        let left = asked.request.expires_at.0.saturating_sub(self.app.engine.now().0);
        self.set(stored, Duration::from_millis(left.max(1))).await;
    }

    /// The program has its answer: the same call again is a new one.
    pub(crate) async fn forget(&self) {
        // Otherwise it expires.
        let _ = self.kv().delete(&self.key, Expected::Any).await;
    }

    /// The call has run: a failure to store is not the program's fault.
    async fn set(&self, stored: &StoredCall, time: Duration) {
        let Ok(json) = Json::of(stored) else { return };
        let written = self.kv().set(&self.key, json, Expected::Any, Expiry::After(time)).await;
        if let Err(fault) = written {
            tracing::warn!(%fault, "cannot store the answer of a call");
        }
    }
}
