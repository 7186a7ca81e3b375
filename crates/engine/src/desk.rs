//! Everything a call needs to be settled, in one place: registry, store, hosts, rules.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use contract::Model;
use dialect::Unknown;
use policy::{ConfigRules, ConversationId, GuardFault, Host, Limits, Timestamp};
use registry::{HandlerKind, Lease, LiveRegistry, Tool};
use services::{KeyQuota, Network, QuotaFault, Secrets, ServiceLimits, Surface, tool_kv_prefix};
use store::{Clock, Expected, Key, Store, StoreFault};

use crate::behind::{Behind, Task};
use crate::checkers::Checkers;
use crate::gates::Gates;
use crate::keys;
use crate::limits::EngineLimits;
use crate::notes::{Notebook, Notes};
use crate::own::OwnTools;
use crate::switches::Switches;
use crate::talk::Holds;

/// What runs each kind of handler.
#[derive(Clone)]
pub struct Hosts {
    pub javascript: Arc<dyn Host>,
    pub python: Option<Arc<dyn Host>>,
    pub native: Arc<dyn Host>,
}

/// A handler of a kind that this program cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this program has no host for {0} handlers")]
pub struct NoSuchHost(&'static str);

impl Hosts {
    pub(crate) fn of(&self, kind: HandlerKind) -> Result<&Arc<dyn Host>, NoSuchHost> {
        match kind {
            HandlerKind::JavaScript => Ok(&self.javascript),
            HandlerKind::Python => self.python.as_ref().ok_or(NoSuchHost("Python")),
            HandlerKind::Native => Ok(&self.native),
        }
    }
}

/// What a desk is made of.
pub struct Wiring {
    pub registry: LiveRegistry,
    /// The directory of all tools.
    pub tools_dir: PathBuf,
    /// The root of the folders that `capabilities.files` names.
    pub project: PathBuf,
    /// Files and folders of the program itself, as far as they are in other places than usual:
    /// the tools, the store, the rules, the settings. No tool writes these.
    pub own_files: Arc<[PathBuf]>,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub hosts: Hosts,
    pub rules: ConfigRules,
    pub text_limits: Limits,
    pub voice_limits: Limits,
    pub limits: EngineLimits,
    pub secrets: Arc<dyn Secrets>,
    pub network: Network,
    pub service_limits: ServiceLimits,
    pub surface: Arc<dyn Surface>,
    /// Whom tools may ask by themselves, if anybody.
    pub model: Option<Arc<dyn Model>>,
    /// Tools that the operator switched off, with the reason.
    pub disabled: BTreeMap<String, String>,
    /// What becomes of arguments that a contract does not know.
    pub unknown_arguments: Unknown,
}

/// The one place calls are settled at. Clones share it.
#[derive(Clone)]
pub struct Desk {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub wiring: Wiring,
    pub checkers: Checkers,
    pub behind: Behind,
    pub notebook: Arc<Notebook>,
    pub own: OwnTools,
    pub gates: Gates,
    pub holds: Holds,
    pub switches: Switches,
    pub quota: Arc<KeyQuota>,
}

impl Desk {
    /// Opens a desk; must be called on a tokio runtime, where its writer lives.
    pub fn new(wiring: Wiring) -> Self {
        let notebook = Arc::new(Notebook::default());
        let behind = Behind::start(Arc::clone(&wiring.store), Arc::clone(&notebook));
        let inner = Inner {
            wiring,
            checkers: Checkers::default(),
            behind,
            notebook,
            own: OwnTools::new(),
            gates: Gates::default(),
            holds: Holds::default(),
            switches: Switches::default(),
            quota: Arc::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp(self.inner.wiring.clock.now().as_millis())
    }

    pub fn registry(&self) -> &LiveRegistry {
        &self.inner.wiring.registry
    }

    /// The tools of the registry, then the engine's own that no registry tool replaces.
    pub fn tools<'a>(&'a self, lease: &'a Lease) -> impl Iterator<Item = &'a Arc<Tool>> {
        let own = self.inner.own.all();
        let own = own.filter(|tool| lease.get(tool.contract.tool_id.as_str()).is_none());
        lease.tools().chain(own)
    }

    /// A tool by name: the registry's, else one of the engine's own.
    pub fn tool<'a>(&'a self, lease: &'a Lease, name: &str) -> Option<&'a Arc<Tool>> {
        lease.get(name).or_else(|| self.inner.own.get(name))
    }

    /// The whole id of a tool that a person names by the last part alone, or as its directory
    /// is spelled; what is no tool, or more than one, stays as it is.
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

    /// Is there room for a value of so many bytes under this key of an owner?
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

    /// A key of this owner was deleted.
    pub fn freed_space(&self, owner: &str) {
        self.inner.quota.forget(&tool_kv_prefix(owner));
    }

    pub fn store(&self) -> &dyn Store {
        self.inner.wiring.store.as_ref()
    }

    /// The same for others who keep something in it.
    pub fn shared_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.inner.wiring.store)
    }

    /// The notes of a conversation, from memory or from the store.
    pub(crate) async fn notes(
        &self,
        conversation: &ConversationId,
        turn: u64,
    ) -> Result<Notes, GuardFault> {
        if let Some(notes) = self.inner.notebook.get(conversation) {
            return Ok(notes);
        }
        let fault = |why: String| GuardFault(format!("the conversation's notes: {why}"));
        let key = keys::notes(conversation).map_err(|bad| fault(bad.to_string()))?;
        let found = self.store().kv().get(&key).await.map_err(|why| fault(why.to_string()))?;
        let notes = match found {
            Some(entry) => entry.value.to().map_err(|bad| fault(bad.to_string()))?,
            None => Notes::new(conversation, turn),
        };
        Ok(self.inner.notebook.put_first(conversation, notes))
    }

    /// Changes the notes of a conversation; the caller has loaded them before.
    pub(crate) fn change_notes(
        &self,
        conversation: &ConversationId,
        turn: u64,
        change: impl FnOnce(&mut Notes),
    ) {
        self.inner.notebook.change(conversation, turn, change);
    }

    /// Hands the notes of a conversation to the writer, so that another process finds them.
    pub(crate) async fn keep_notes(&self, conversation: &ConversationId) {
        self.inner.behind.put(Task::Notes(conversation.clone())).await;
    }

    /// Takes the notes of a conversation away, from memory and from the store.
    pub(crate) async fn forget_notes(
        &self,
        conversation: &ConversationId,
    ) -> Result<(), StoreFault> {
        self.inner.notebook.forget(conversation);
        // Nothing that was noted before is written after this.
        self.inner.behind.flush().await;
        let unusable = |bad: store::BadName| StoreFault::Unusable { because: bad.to_string() };
        let key = keys::notes(conversation).map_err(unusable)?;
        self.store().kv().delete(&key, Expected::Any).await.map(|_| ())
    }

    /// Waits until every audit line and note so far is written, and gives back the
    /// conversations that nobody answers in now.
    pub async fn flush(&self) {
        self.inner.holds.give_back().await;
        self.inner.behind.flush().await;
    }
}
