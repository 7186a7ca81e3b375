//! What the program gives one run of a handler, beside its arguments.

use std::path::PathBuf;
use std::sync::Arc;

use contract::Contract;
use store::Store;

use super::fetch::Network;
use super::limits::ServiceLimits;
use super::secret::Secrets;
use super::surface::Surface;

/// The world of one run. What of it the handler may reach stands in the contract.
#[derive(Clone)]
pub struct Grant {
    pub contract: Arc<Contract>,
    /// Whose keys these are: a client, or `shared`.
    pub owner: String,
    /// The folder that file paths begin at.
    pub project: PathBuf,
    pub network: Network,
    pub secrets: Arc<dyn Secrets>,
    pub store: Arc<dyn Store>,
    pub surface: Arc<dyn Surface>,
    pub limits: ServiceLimits,
}
