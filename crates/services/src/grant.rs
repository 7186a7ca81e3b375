//! What the program gives one run of a handler, beside its arguments.

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

/// The world of one run. What of it the handler may reach stands in the contract.
#[derive(Clone)]
pub struct Grant {
    pub contract: Arc<Contract>,
    /// Keys that this run may read and not write, though its contract says `*`.
    pub guarded: Vec<KeyPrefix>,
    /// Whose keys these are: a client, or `shared`.
    pub owner: String,
    /// The folder that file paths begin at.
    pub project: PathBuf,
    /// Files and folders that decide what runs: no tool writes these, wherever they are.
    pub own_files: Arc<[PathBuf]>,
    pub network: Network,
    pub secrets: Arc<dyn Secrets>,
    pub store: Arc<dyn Store>,
    pub surface: Arc<dyn Surface>,
    /// Takes notices for other conversations.
    pub notices: Arc<dyn Notices>,
    pub clock: Arc<dyn Clock>,
    /// The conversation the run belongs to.
    pub conversation: ConversationId,
    /// Does a turn of that conversation hear the surface?
    pub in_turn: bool,
    /// Whom a tool may ask, if anybody.
    pub model: Option<Arc<dyn Model>>,
    pub limits: ServiceLimits,
    /// How much the owner's keys take already.
    pub quota: Arc<KeyQuota>,
}
