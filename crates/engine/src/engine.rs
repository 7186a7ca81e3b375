//! The engine: everything that is needed to settle a call.

use std::sync::Arc;

use attachments::{AttachmentLimits, Attachments};
use knowledge::{Knowledge, KnowledgeLimits};
use policy::Timestamp;
use registry::{Lease, LiveRegistry, Tool};
use services::{KeyQuota, Network, QuotaFault, tool_kv_prefix};
use store::{Clock, Key, KeyedLock, Store};

use crate::background_writer::BackgroundWriter;
use crate::limits::EngineLimits;
use crate::session::SessionStates;
use crate::tools::builtin::BuiltinTools;
use crate::tools::prepared::PreparedTools;
use crate::tools::switches::Switches;
use crate::wiring::Wiring;

/// Settles calls. Clones are handles to the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub wiring: Wiring,
    pub prepared: PreparedTools,
    pub writer: BackgroundWriter,
    pub sessions: Arc<SessionStates>,
    pub builtin: BuiltinTools,
    /// Held while a call is judged.
    pub conversation_locks: KeyedLock,
    pub switches: Switches,
    pub quota: Arc<KeyQuota>,
    pub knowledge: Knowledge,
}

impl Engine {
    /// Must be called on a tokio runtime, which runs the background writer.
    pub fn new(wiring: Wiring) -> Self {
        let sessions = Arc::new(SessionStates::default());
        let writer = BackgroundWriter::start(Arc::clone(&wiring.store), Arc::clone(&sessions));
        let knowledge = knowledge_of(&wiring);
        let inner = Inner {
            wiring,
            prepared: PreparedTools::default(),
            writer,
            sessions,
            builtin: BuiltinTools::new(),
            conversation_locks: KeyedLock::default(),
            switches: Switches::default(),
            quota: Arc::default(),
            knowledge,
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp(self.inner.wiring.clock.now().as_millis())
    }

    /// The folders of documents that tools search.
    pub fn knowledge(&self) -> &Knowledge {
        &self.inner.knowledge
    }

    pub fn registry(&self) -> &LiveRegistry {
        &self.inner.wiring.registry
    }

    /// The tools of the registry, then the built-in tools that no registry tool replaces.
    pub fn tools<'a>(&'a self, lease: &'a Lease) -> impl Iterator<Item = &'a Arc<Tool>> {
        let own = self.inner.builtin.all();
        let own = own.filter(|tool| lease.get(tool.contract.tool_id.as_str()).is_none());
        lease.tools().chain(own)
    }

    /// A tool by name: from the registry, else a built-in one.
    pub fn tool<'a>(&'a self, lease: &'a Lease, name: &str) -> Option<&'a Arc<Tool>> {
        lease.get(name).or_else(|| self.inner.builtin.get(name))
    }

    /// The full id of a tool that a person names by its last part or by its directory. A name
    /// that fits no tool, or several, is returned unchanged.
    pub fn full_name(&self, name: &str) -> String {
        let lease = self.registry().lease();
        if self.tool(&lease, name).is_some() {
            return name.to_owned();
        }
        let plain = name.replace('-', "_");
        let is_meant = |id: &&str| *id == plain || id.rsplit('.').next() == Some(plain.as_str());
        let ids = self.tools(&lease).map(|tool| tool.contract.tool_id.as_str());
        let mut meant = ids.filter(is_meant);
        match (meant.next(), meant.next()) {
            (Some(only), None) => only.to_owned(),
            _ => name.to_owned(),
        }
    }

    pub(crate) fn wiring(&self) -> &Wiring {
        &self.inner.wiring
    }

    /// Whether a value of this size fits into the owner's quota under this key.
    pub async fn check_space(
        &self,
        owner: &str,
        key: &Key,
        bytes: usize,
    ) -> Result<(), QuotaFault> {
        let Wiring { store, service_limits, .. } = &self.inner.wiring;
        let (home, now) = (tool_kv_prefix(owner), self.now().0);
        self.inner.quota.check(store.as_ref(), service_limits, &home, (key, bytes), now).await
    }

    /// Counts the keys of this owner again, after one was deleted.
    pub fn freed_space(&self, owner: &str) {
        self.inner.quota.forget(&tool_kv_prefix(owner));
    }

    /// The network as tools may reach it.
    pub fn network(&self) -> &Network {
        &self.inner.wiring.network
    }

    pub fn store(&self) -> &dyn Store {
        self.inner.wiring.store.as_ref()
    }

    /// The store as a shared handle.
    pub fn shared_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.inner.wiring.store)
    }

    /// The limits of every call.
    pub fn limits(&self) -> &EngineLimits {
        &self.inner.wiring.limits
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.inner.wiring.clock)
    }

    /// Waits until every audit line and session state so far is written.
    pub async fn flush(&self) {
        self.inner.writer.flush().await;
    }
}

fn knowledge_of(wiring: &Wiring) -> Knowledge {
    let (store, clock) = (Arc::clone(&wiring.store), Arc::clone(&wiring.clock));
    let attachments = Attachments::new(Arc::clone(&store), clock, AttachmentLimits::machine());
    Knowledge::new(attachments, store, KnowledgeLimits::machine())
}
