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
/// The variable with that secret, where several machines need the same.
const SEALING_VARIABLE: &str = "GHOSTHAND_SEALING_KEY";

/// The keys that the page sends are in the store, sealed.
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
        sealer: sealer(store_file)?,
        local: LOCAL_SERVERS.to_vec(),
    };
    Providers::new(setup).map_err(|fault| Failure::message(fault.message, fault.fix))
}

/// Seals every secret that the page sends: with the key that all servers of a store are given, or
/// with a file of this machine.
pub(super) fn sealer(store_file: &Path) -> Result<Sealer, Failure> {
    let folder = store_file.parent().unwrap_or_else(|| Path::new(""));
    let file = folder.join(SEALING_KEY);
    #[expect(clippy::disallowed_methods, reason = "it is a secret, and no setting")]
    match std::env::var(SEALING_VARIABLE).ok().filter(|key| !key.is_empty()) {
        None => Ok(Sealer::new(file)),
        Some(key) => Sealer::with_key(file, &key).map_err(|fault| {
            let fix = "set it to the output of `openssl rand -base64 32`, the same on all servers";
            Failure::message(format!("${SEALING_VARIABLE}: {fault}"), fix)
        }),
    }
}
