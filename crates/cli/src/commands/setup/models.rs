//! `ghosthand models`: lists available models, and why others are unavailable.

use clap::Args;
use models::{HttpClient, Key, Limits, list_models};

use crate::config::{Config, provider_of};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim};
use crate::wiring::open_model::REHEARSAL;
use crate::wiring::runtime::on_runtime;

/// List the available models, and why others are unavailable
#[derive(Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider
    provider: Option<String>,
}

impl ModelsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let names = config.providers.iter().map(|one| one.provider.name.len());
        let width = names.chain([REHEARSAL.len()]).max().unwrap_or(0);
        if let Some(name) = &self.provider {
            provider_of(&config.providers, name)?;
        }
        if self.provider.is_none() {
            let what = dim("built in; tries tools without a model");
            printer.data(format!("{}  {what}", cyan(format!("{REHEARSAL:<width$}"))))?;
        }
        on_runtime(async {
            let line = HttpClient::new(Limits::usual())
                .map_err(|fault| Failure::message(fault.message, fault.fix))?;
            let wanted = |name: &str| self.provider.as_deref().is_none_or(|only| only == name);
            for configured in config.providers.iter().filter(|one| wanted(&one.provider.name)) {
                let provider = &configured.provider;
                if let Key::Missing = provider.key {
                    let fix = dim(format!("no key; set {}", provider.key_name));
                    printer
                        .data(format!("{}  {fix}", cyan(format!("{:<width$}", provider.name))))?;
                    continue;
                }
                match list_models(&line, provider).await {
                    Ok(models) => {
                        for model in models {
                            let title = model.title.unwrap_or_default();
                            let name = format!("{}:{}", provider.name, model.name);
                            printer.data(format!("{}  {}", cyan(name), dim(title)))?;
                        }
                    }
                    Err(fault) => {
                        let why = dim(format!("{}; {}", fault.message, fault.fix));
                        printer.data(format!(
                            "{}  {why}",
                            cyan(format!("{:<width$}", provider.name))
                        ))?;
                    }
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}
