//! The parts that the program hands to the engine: registry, store, hosts, rules, limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::Model;
use dialect::UnknownArguments;
use policy::{ConfigRules, Host, Limits};
use registry::{HandlerKind, LiveRegistry};
use services::{
    DropEvents, Network, NetworkAccess, NoSecrets, Notices, Secrets, ServiceLimits, Surface,
    TlsFault,
};
use store::{Clock, Store, SystemClock};

use crate::limits::EngineLimits;

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

/// What an engine is made of.
pub struct Wiring {
    pub registry: LiveRegistry,
    /// The directory of all tools.
    pub tools_dir: PathBuf,
    /// The root of the folders that `capabilities.files` names.
    pub project: PathBuf,
    /// Files and folders of the program itself that are not in their usual places: the tools,
    /// the store, the rules, the settings. Tools cannot write these.
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
    /// Where tools leave notices in conversations.
    pub notices: Arc<dyn Notices>,
    /// The model that tools may ask, if there is one.
    pub model: Option<Arc<dyn Model>>,
    /// Tools whose service is not set up, with the reason. They are not offered; a call runs
    /// anyway, and its handler says what is missing.
    pub not_set_up: BTreeMap<String, String>,
    /// What to do with arguments that are not in the contract.
    pub unknown_arguments: UnknownArguments,
}

impl Wiring {
    /// The ordinary limits, and neither rules nor secrets nor a model; change the fields that
    /// should differ. `folder` is the project and the directory of its tools.
    pub fn usual(
        (registry, folder): (LiveRegistry, &Path),
        store: Arc<dyn Store>,
        hosts: Hosts,
        notices: Arc<dyn Notices>,
    ) -> Result<Self, TlsFault> {
        Ok(Self {
            registry,
            tools_dir: folder.to_owned(),
            project: folder.to_owned(),
            own_files: Arc::default(),
            store,
            clock: Arc::new(SystemClock),
            hosts,
            rules: ConfigRules::none(),
            text_limits: Limits::text(),
            voice_limits: Limits::voice(),
            limits: EngineLimits::machine(),
            secrets: Arc::new(NoSecrets),
            network: Network::new(NetworkAccess::Public)?,
            service_limits: ServiceLimits::ORDINARY,
            surface: Arc::new(DropEvents),
            notices,
            model: None,
            not_set_up: BTreeMap::new(),
            unknown_arguments: UnknownArguments::Refuse,
        })
    }
}
