//! Opens the configured model, or the built-in rehearsal, which needs no key.

pub(crate) mod embedding_model;

use std::sync::Arc;

use contract::Model;
use models::{Client, Key};
use rehearsal::Rehearsal;

pub(crate) use crate::config::REHEARSAL;
use crate::config::{Config, Configured, model_of};
use crate::exit::Failure;
use crate::wiring::rung_file::RungFile;

/// The configured model, else the first provider with a key and a default model, else the
/// rehearsal.
pub(crate) fn open_model(config: &Config) -> Result<Arc<dyn Model>, Failure> {
    Ok(match open_client(config)? {
        Some(client) => Arc::new(client),
        None => stand_in(),
    })
}

/// Fails if the model cannot be asked because its key is missing.
pub(crate) fn check_key(config: &Config) -> Result<(), Failure> {
    let Some((configured, _)) = choose(config)? else { return Ok(()) };
    configured.provider.check_key().map_err(|fault| Failure::message(fault.message, fault.fix))
}

/// The same as a client of its provider; `None` for the rehearsal.
pub(crate) fn open_client(config: &Config) -> Result<Option<Client>, Failure> {
    let Some((configured, model)) = choose(config)? else { return Ok(None) };
    let client = Client::new(configured.provider.clone(), &model)
        .map_err(|fault| Failure::message(fault.message, fault.fix))?;
    Ok(Some(match RungFile::of(&configured.provider.base_url, &model) {
        Some(memory) => client.with_rung_memory(memory),
        None => client,
    }))
}

/// The provider and the name of the model; `None` for the rehearsal.
fn choose(config: &Config) -> Result<Option<(&Configured, String)>, Failure> {
    if let Some(wanted) = config.get("model") {
        return model_of(&config.providers, wanted);
    }
    if let Some(configured) = unnamed(config) {
        return Err(no_model_named(configured));
    }
    Ok(with_key(config).find_map(|one| Some((one, one.first_model?.to_owned()))))
}

fn with_key(config: &Config) -> impl Iterator<Item = &Configured> {
    config.providers.iter().filter(|one| matches!(one.provider.key, Key::Given(_)))
}

/// A provider whose key is there, while nothing says which of its models answers.
pub(crate) fn unnamed(config: &Config) -> Option<&Configured> {
    let is_named =
        config.get("model").is_some() || with_key(config).any(|one| one.first_model.is_some());
    with_key(config).next().filter(|_| !is_named)
}

/// Makes the calls that a person types as `/tool_name …`.
pub(crate) fn by_hand() -> Arc<dyn Model> {
    Arc::new(Rehearsal::with_clock(jiff::Zoned::now).by_hand())
}

/// Answers without a key.
pub(crate) fn stand_in() -> Arc<dyn Model> {
    Arc::new(Rehearsal::with_clock(jiff::Zoned::now))
}

fn no_model_named(configured: &Configured) -> Failure {
    let name = &configured.provider.name;
    Failure::message(
        format!("there is a key for `{name}` but no model is configured"),
        format!("pass --model {name}:NAME or set `model`; `ghosthand models` lists the names"),
    )
}
