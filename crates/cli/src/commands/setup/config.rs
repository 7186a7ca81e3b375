//! `ghosthand config`: every setting with its value and source.

use clap::Args;
use models::Key;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, cyan, dim, one_line};

/// Show every setting with its value and its source
///
/// Later layers win: defaults, the user's file, ghosthand.toml, the environment, flags.
#[derive(Args)]
pub(crate) struct ConfigArgs {}

impl ConfigArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let providers =
            config.providers.iter().map(|one| "providers.".len() + one.provider.name.len());
        let names = config.all().map(|(setting, _)| setting.name.len()).chain(providers);
        let width = names.max().unwrap_or(0);
        for (setting, sourced) in config.all() {
            let name = format!("{:<width$}", setting.name);
            let (value, source) = match sourced {
                Some(sourced) => (one_line(&sourced.value, 40), sourced.source.to_string()),
                None => ("-".to_owned(), "not set".to_owned()),
            };
            printer.data(format!("{}  {value:<40}  {}", cyan(name), dim(source)))?;
        }
        for configured in &config.providers {
            let provider = &configured.provider;
            let key = match &provider.key {
                Key::Given(_) => format!("key from {}", provider.key_name),
                Key::Missing => format!("no key: {} is not set", provider.key_name),
                Key::NotNeeded => "no key needed".to_owned(),
            };
            let name = format!("{:<width$}", format!("providers.{}", provider.name));
            printer.data(format!("{}  {:<40}  {}", cyan(name), provider.shown_url(), dim(key)))?;
        }
        Ok(ExitStatus::Success)
    }
}
