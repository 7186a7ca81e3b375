//! `ghosthand doctor`: what this system can enforce around a handler.

use std::path::PathBuf;

use clap::Args;
use hosts::sandbox::Part;

use crate::config::Config;
use crate::exit::{Ending, Failure, Outcome};
use crate::models::open_model;
use crate::printer::{Printer, count};
use crate::python::{PythonSettings, private_folder};

/// Starts a Python worker, and says what its fence enforces.
async fn python() -> Result<String, String> {
    let config = Config::load().map_err(|_| "the settings cannot be read")?;
    let host = PythonSettings::of(&config).host(None)?;
    let level = host.warm(&private_folder()?).await?;
    let weak: Vec<_> = level
        .parts()
        .into_iter()
        .filter(|(_, part)| matches!(part, Part::Unavailable(_)))
        .map(|(name, _)| name)
        .collect();
    match weak.is_empty() {
        true => Ok("Python tools run here, sandboxed".to_owned()),
        false => Ok(format!("Python tools run here, without {}", weak.join(", "))),
    }
}

/// The tools that are left out here, if this is a project.
fn say_tools(printer: &mut Printer) -> Result<(), Failure> {
    let dir = Config::load()?.path("tools.dir").unwrap_or_default();
    if !dir.is_dir() {
        return Ok(());
    }
    let registry = super::read_usable(&dir)?.registry;
    let tools = count(registry.len(), "tool");
    printer.data(format!("{:<8} {:<14} {tools} in {}", "ok", "tools", dir.display()))?;
    for one in registry.left_out() {
        printer.data(format!("{:<8} {:<14} {}", "broken", one.name, one.reason()))?;
    }
    Ok(())
}

/// Say what this system can enforce
///
/// Starts a sandboxed child and really tries what a hostile handler would try.
#[derive(Args)]
pub(crate) struct DoctorArgs {}

impl DoctorArgs {
    #[expect(clippy::unused_self, reason = "every command is run the same way")]
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let report = super::on_runtime(async {
            hosts::doctor(PathBuf::from("/proc/self/exe"))
                .await
                .map_err(|fault| Failure::user(fault, "handlers do not run on this system"))
        })?;
        for (name, part) in report.level.parts() {
            let (word, what) = match part {
                Part::Enforced(what) => ("ok", what),
                Part::Unavailable(why) => ("missing", why),
            };
            printer.data(format!("{word:<8} {name:<14} {what}"))?;
        }
        printer.data(format!("{:<8} {:<14} {}", "blocked", "", report.blocked.join(", ")))?;
        for open in &report.open {
            printer.data(format!("{:<8} {:<14} {open}", "OPEN", ""))?;
        }
        let python = super::on_runtime(async { Ok(python().await) })?;
        match &python {
            Ok(line) => printer.data(format!("{:<8} {:<14} {line}", "ok", "python"))?,
            Err(why) => printer.data(format!("{:<8} {:<14} {why}", "missing", "python"))?,
        }
        let config = Config::load()?;
        let net = match config.get("net.allow").filter(|opened| !opened.is_empty()) {
            Some(opened) => format!("tools may reach the open internet, and {opened}"),
            None => "tools may reach the open internet alone; `[net] allow` opens more".to_owned(),
        };
        printer.data(format!("{:<8} {:<14} {net}", "ok", "net"))?;
        let model = match open_model(&config) {
            Ok(model) => model.facts().to_string(),
            Err(_) => "a key is there and no model is named; see `ghosthand models`".to_owned(),
        };
        printer.data(format!("{:<8} {:<14} {model}", "ok", "model"))?;
        say_tools(printer)?;
        match report.gap {
            Some(gap) => {
                printer.say(format!("JavaScript handlers do not run here: {gap}"))?;
                Ok(Ending::Faults)
            }
            None => {
                printer.say("JavaScript handlers run here, sandboxed")?;
                Ok(Ending::Good)
            }
        }
    }
}
