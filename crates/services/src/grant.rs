//! What one run of a handler gets besides its arguments.

use std::path::PathBuf;
use std::sync::Arc;

use contract::{Contract, KeyPrefix, Model};
use policy::ConversationId;
use store::{Clock, Store};

use crate::fetch::Network;
use crate::handler_services::limits::ServiceLimits;
use crate::kv::quota::KeyQuota;
use crate::notices::Notices;
use crate::secrets::Secrets;
use crate::surface::Surface;

/// The resources of one run. The contract limits which of them the handler may use.
#[derive(Clone)]
pub struct Grant {
    pub contract: Arc<Contract>,
    /// Keys that this run may read but not write, although its contract says `*`.
    pub guarded: Vec<KeyPrefix>,
    /// The owner of the keys: a client, or `shared`.
    pub owner: String,
    /// The root of file paths.
    pub project: PathBuf,
    /// Files and folders that control what runs: tools cannot write them.
    pub own_files: Arc<[PathBuf]>,
    pub network: Network,
    pub secrets: Arc<dyn Secrets>,
    pub store: Arc<dyn Store>,
    pub surface: Arc<dyn Surface>,
    /// Receives notices for other conversations.
    pub notices: Arc<dyn Notices>,
    pub clock: Arc<dyn Clock>,
    /// The conversation of the run.
    pub conversation: ConversationId,
    /// Whether a turn of that conversation receives the events of the surface.
    pub in_turn: bool,
    /// The model that a tool may ask, if any.
    pub model: Option<Arc<dyn Model>>,
    pub limits: ServiceLimits,
    /// The storage used by the keys of owners.
    pub quota: Arc<KeyQuota>,
}
