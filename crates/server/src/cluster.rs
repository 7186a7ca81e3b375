//! The servers that share a store: each announces itself and its tools.
//!
//! Servers that offered different tools would answer the same conversation differently. So a server
//! takes turns only if its tools are those of the server that has been in service longest. Must
//! hold: with one server nothing is ever refused, and after the last server with the old tools
//! ended, those with the new ones go on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Digester;
use conversation::Holder;
use engine::Engine;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, Pages, Prefix, Store, StoreFault};
use tokio::time::Instant;

use crate::fault::Fault;

const PREFIX: &str = "node/";
/// How often a server announces itself; more often would write to an idle disk.
const ANNOUNCED_EVERY: Duration = Duration::from_secs(10);
/// How long an announcement lasts.
const KEY_TIME: Duration = Duration::from_secs(35);
/// How often a server looks whether its own tools have changed.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the store may take to answer a readiness check.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);

/// One server among those that share its store.
pub(crate) struct Cluster {
    id: String,
    engine: Engine,
    /// Never held across an await.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Orders servers by the beginning of their service.
    since: Option<u64>,
    announced: Option<(String, Instant)>,
    /// Why this server takes no turns.
    refusal: Option<String>,
    is_draining: bool,
    /// How many other servers are in service.
    peers: usize,
}

/// What a server announces.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Announcement {
    /// The first revision of its key; 0 in its first announcement.
    since: u64,
    /// The digest of its tools.
    tools: String,
    version: String,
    /// Tells whether it is dead, if it was on this machine.
    process: Holder,
}

impl Cluster {
    pub(crate) fn new(id: String, engine: Engine) -> Self {
        Self { id, engine, state: Mutex::default() }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> Arc<dyn Store> {
        self.engine.shared_store()
    }

    fn key(&self) -> Result<Key, BadName> {
        format!("{PREFIX}{}", self.id).parse()
    }

    /// Whether a server has announced itself lately and has not ended.
    pub(crate) async fn is_alive(&self, id: &str) -> Result<bool, StoreFault> {
        let key: Key = format!("{PREFIX}{id}").parse()?;
        let found = self.store().kv().get(&key).await?;
        let announced = found.and_then(|entry| entry.value.to::<Announcement>().ok());
        Ok(announced.is_some_and(|announced| !announced.process.is_gone()))
    }

    /// Whether other servers share the store.
    pub(crate) fn has_peers(&self) -> bool {
        self.state().peers > 0
    }

    /// Why this server takes no turns, if it does not.
    pub(crate) fn refusal(&self) -> Option<String> {
        let state = self.state();
        match state.is_draining {
            true => Some("this server is shutting down".to_owned()),
            false => state.refusal.clone(),
        }
    }

    /// Checks that this server may take turns.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.refusal().map_or(Ok(()), |because| Err(Fault::not_ready(because)))
    }

    /// Why this server should get no requests: it takes no turns, or its store does not answer.
    pub(crate) async fn why_not_ready(&self) -> Option<String> {
        if let Some(because) = self.refusal() {
            return Some(because);
        }
        let store = self.store();
        match tokio::time::timeout(ANSWER_TIME_MAX, store.kv().revision()).await {
            Ok(Ok(_)) => None,
            Ok(Err(fault)) => {
                tracing::warn!(%fault, "the store does not answer");
                Some("the store does not answer; see the server's log".to_owned())
            }
            Err(_) => Some(format!("the store did not answer within {ANSWER_TIME_MAX:?}")),
        }
    }

    /// Announces this server for the first time. A failure is repeated by [`Self::keep`].
    pub(crate) async fn join(&self) {
        if let Err(fault) = self.renew().await {
            tracing::warn!(%fault, "cannot announce this server to others yet");
        }
    }

    /// Announces this server, and compares its tools with those of others, until it is dropped.
    pub(crate) async fn keep(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(PAUSE).await;
            let renewed = match self.is_due() {
                true => self.renew().await,
                false => Ok(()),
            };
            if let Err(fault) = renewed {
                tracing::debug!(%fault, "cannot announce this server to others");
            }
        }
    }

    fn is_due(&self) -> bool {
        let tools = self.tools();
        let state = self.state();
        let is_old = state
            .announced
            .as_ref()
            .is_none_or(|(announced, at)| *announced != tools || at.elapsed() >= ANNOUNCED_EVERY);
        is_old || state.refusal.is_some()
    }

    /// The server ends: others need not wait for its announcement to expire.
    pub(crate) async fn leave(&self) {
        let Ok(key) = self.key() else { return };
        if let Err(fault) = self.store().kv().delete(&key, Expected::Any).await {
            tracing::debug!(%fault, "the announcement of this server expires");
        }
    }

    /// It takes no turns from now on.
    pub(crate) fn drain(&self) {
        self.state().is_draining = true;
    }

    async fn renew(&self) -> Result<(), StoreFault> {
        let tools = self.tools();
        let since = self.announce(&tools).await?;
        let others = self.others().await?;
        let oldest = others.iter().min_by_key(|other| other.since);
        let refusal = oldest
            .filter(|oldest| oldest.since < since && oldest.tools != tools)
            .map(|oldest| differs(&tools, &oldest.tools));
        let mut state = self.state();
        match (&state.refusal, &refusal) {
            (None, Some(because)) => tracing::warn!("{because}"),
            (Some(_), None) => {
                tracing::info!("the tools of all servers agree; turns are taken again")
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
        state.announced = Some((tools, Instant::now()));
        state.refusal = refusal;
        state.peers = others.len();
        Ok(())
    }

    /// Returns since when this server is in service, as a revision of the store.
    async fn announce(&self, tools: &str) -> Result<u64, StoreFault> {
        let (store, key) = (self.store(), self.key()?);
        let known = self.state().since;
        let value = |since: u64| {
            let (version, process) = (env!("CARGO_PKG_VERSION").to_owned(), Holder::own());
            Json::of(&Announcement { since, tools: tools.to_owned(), version, process })
        };
        let expiry = Expiry::After(KEY_TIME);
        let first = match known {
            Some(since) => since,
            None => store.kv().set(&key, value(0)?, Expected::Any, expiry).await?.0,
        };
        self.state().since = Some(first);
        store.kv().set(&key, value(first)?, Expected::Any, expiry).await?;
        Ok(first)
    }

    /// The other servers in service.
    async fn others(&self) -> Result<Vec<Announcement>, StoreFault> {
        let (store, prefix, own) = (self.store(), PREFIX.parse::<Prefix>()?, self.key()?);
        let (mut others, mut pages) = (Vec::new(), Pages::of(500));
        while let Some(request) = pages.request() {
            for entry in pages.items(store.kv().list(&prefix, request).await?) {
                let Ok(announced) = entry.value.to::<Announcement>() else { continue };
                // A first announcement says nothing yet.
                let is_in_service = announced.since > 0 && !announced.process.is_gone();
                if is_in_service && entry.key != own {
                    others.push(announced);
                }
            }
        }
        Ok(others)
    }

    /// The digest of all tools: their contracts, documents and handlers.
    fn tools(&self) -> String {
        let lease = self.engine.registry().lease();
        let mut digester = Digester::default();
        for tool in self.engine.tools(&lease) {
            digester.part(tool.contract.tool_id.as_str().as_bytes());
            digester.part(tool.digests.whole().to_string().as_bytes());
        }
        digester.finish().hex(16)
    }
}

fn differs(own: &str, others: &str) -> String {
    format!(
        "the tools of this server ({own}) differ from those of the other servers of its store \
         ({others}); it takes no turns until they agree: give every server the same tools folder \
         and tools.lock"
    )
}
