//! Opens the configured model, or the built-in rehearsal, which needs no key.

use std::sync::Arc;

use contract::Model;
use models::{Client, Key};
use rehearsal::Rehearsal;

use crate::config::{Config, Configured, provider_of};
use crate::exit::Failure;
use crate::wiring::rung_file::RungFile;

/// The name of the built-in rehearsal.
pub(crate) const REHEARSAL: &str = "rehearsal";

/// The configured model, else the first provider with a key and a default model, else the
/// rehearsal.
pub(crate) fn open_model(config: &Config) -> Result<Arc<dyn Model>, Failure> {
    Ok(match open_client(config)? {
        Some(client) => Arc::new(client),
        None => rehearsal(),
    })
}

/// The same as a client of its provider; `None` for the rehearsal.
pub(crate) fn open_client(config: &Config) -> Result<Option<Client>, Failure> {
    let (configured, model) = match config.get("model") {
        Some(REHEARSAL | "rehearsal:rehearsal") => return Ok(None),
        Some(wanted) => {
            let (configured, model) = provider_of(&config.providers, wanted)?;
            let model = model.or_else(|| configured.first_model.map(str::to_owned));
            let model = model.ok_or_else(|| no_model_named(configured))?;
            (configured, model)
        }
        None => {
            let ready = |one: &&Configured| matches!(one.provider.key, Key::Given(_));
            match config.providers.iter().find(ready) {
                None => return Ok(None),
                Some(configured) => match configured.first_model {
                    Some(model) => (configured, model.to_owned()),
                    None => return Err(no_model_named(configured)),
                },
            }
        }
    };
    let client = Client::new(configured.provider.clone(), &model)
        .map_err(|fault| Failure::message(fault.message, fault.fix))?;
    Ok(Some(match RungFile::of(&configured.provider.base_url, &model) {
        Some(memory) => client.with_rung_memory(memory),
        None => client,
    }))
}

/// Makes the calls that a person types as `/tool_name …`.
pub(crate) fn by_hand() -> Arc<dyn Model> {
    Arc::new(Rehearsal::with_clock(jiff::Zoned::now).by_hand())
}

fn rehearsal() -> Arc<dyn Model> {
    Arc::new(Rehearsal::with_clock(jiff::Zoned::now))
}

fn no_model_named(configured: &Configured) -> Failure {
    let name = &configured.provider.name;
    Failure::message(
        format!("there is a key for `{name}` but no model is configured"),
        format!("pass --model {name}:NAME or set `model`; `ghosthand models` lists the names"),
    )
}
