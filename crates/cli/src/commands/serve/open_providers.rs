//! Opens the providers of a server: those of the settings, and those that its page adds.

use std::path::Path;
use std::sync::Arc;

use contract::Model;
use providers::{ConfiguredProvider, LOCAL_SERVERS, Providers, ProvidersSetup, Sealer};
use store::Store;

use crate::config::{Config, Configured};
use crate::exit::Failure;
use crate::wiring::open_model::{open_client, stand_in};

/// The file beside the store with the secret that seals the keys of the page.
const SEALING_KEY: &str = "provider-keys.secret";

/// The keys that the page sends are in the store, sealed with a file beside it.
pub(super) fn open(
    config: &Config,
    store: Arc<dyn Store>,
    store_file: &Path,
) -> Result<Providers, Failure> {
    let client = open_client(config)?;
    let configured = config.providers.iter().map(|Configured { provider, first_model }| {
        let first_model = first_model.map(str::to_owned);
        ConfiguredProvider { provider: provider.clone(), first_model }
    });
    let setup = ProvidersSetup {
        configured: configured.collect(),
        model: client.map(|client| Arc::new(client) as Arc<dyn Model>),
        stand_in: stand_in(),
        store,
        sealer: sealer(store_file),
        local: LOCAL_SERVERS.to_vec(),
    };
    Providers::new(setup).map_err(|fault| Failure::message(fault.message, fault.fix))
}

/// Seals every secret that the page sends.
pub(super) fn sealer(store_file: &Path) -> Sealer {
    let folder = store_file.parent().unwrap_or_else(|| Path::new(""));
    Sealer::new(folder.join(SEALING_KEY))
}
