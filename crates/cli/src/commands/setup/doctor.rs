//! `ghosthand doctor`: what the sandbox can enforce on this system, and what is set up.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hosts::doctor;
use hosts::python::{PythonOutcome, TriedPython};
use hosts::sandbox::doctor::{Kind, Report};
use hosts::sandbox::{Level, Protection, SandboxPolicy};
use postgres::PostgresStatus;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::python::settings::{PythonSettings, private_folder};
use crate::render::printer::{Printer, bold, count};
use crate::wiring::open_model::open_model;
use crate::wiring::open_speech::{open_speech, open_transcription};
use crate::wiring::open_store::store_address::StoreAddress;
use crate::wiring::open_store::{OpenedStore, StoreUse, open_store};
use crate::wiring::read_tools::read;
use crate::wiring::runtime::on_runtime;

/// The kinds of children that are tried, and their titles.
const KINDS: [(Kind, &str); 3] = [
    (Kind::Engine, "JavaScript handlers"),
    (Kind::Program, "MCP servers"),
    (Kind::Networked, "MCP servers with the network"),
];

/// Starts a Python worker and returns what its sandbox enforces.
async fn python(config: &Config) -> Result<Level, String> {
    let host = PythonSettings::of(config).host(None)?;
    host.warm(&private_folder()?).await
}

/// Prints what the sandbox enforces for one kind of child.
fn say_level(what: &str, level: &Level, printer: &mut Printer) -> Result<(), Failure> {
    printer.data(bold(what.to_owned()))?;
    for (name, part) in level.parts() {
        let (word, what) = match part {
            Protection::Enforced(what) => ("ok", what),
            Protection::Unavailable(why) => ("missing", why),
        };
        printer.data(format!("{word:<8} {name:<14} {what}"))?;
    }
    Ok(())
}

fn say_report(
    what: &str,
    report: &Report,
    sandbox: SandboxPolicy,
    printer: &mut Printer,
) -> Result<(), Failure> {
    say_level(what, &report.level, printer)?;
    printer.data(format!("{:<8} {:<14} {}", "blocked", "", report.blocked.join(", ")))?;
    for open in &report.open {
        printer.data(format!("{:<8} {:<14} {open}", "OPEN", ""))?;
    }
    match (report.gap(sandbox), report.gap(SandboxPolicy::Required)) {
        (Some(gap), _) => printer.data(format!("{:<8} {:<14} {gap}", "no", "runs"))?,
        (None, Some(_)) => {
            printer.data(format!("{:<8} {:<14} with the gaps that you accepted", "yes", "runs"))?;
        }
        (None, None) => printer.data(format!("{:<8} {:<14} sandboxed", "yes", "runs"))?,
    }
    Ok(())
}

/// What the sandbox enforces for Python tools, and which interpreters were tried.
fn say_python(config: &Config, printer: &mut Printer) -> Result<(), Failure> {
    let runs = match on_runtime(async { Ok(python(config).await) })? {
        Ok(level) => {
            say_level("Python tools", &level, printer)?;
            format!("{:<8} {:<14} sandboxed", "yes", "runs")
        }
        Err(why) => {
            printer.data(bold("Python tools".to_owned()))?;
            format!("{:<8} {:<14} {why}", "no", "runs")
        }
    };
    for TriedPython { path, outcome } in PythonSettings::of(config).tried() {
        let (word, why) = match outcome {
            PythonOutcome::Taken => ("ok", ""),
            PythonOutcome::TooOld => ("old", ": too old"),
            PythonOutcome::Missing => ("missing", ": not there"),
        };
        printer.data(format!("{word:<8} {:<14} {}{why}", "interpreter", path.display()))?;
    }
    printer.data(runs)?;
    Ok(())
}

/// The tools of this project, and those that are left out.
fn say_tools(config: &Config, printer: &mut Printer) -> Result<(), Failure> {
    let dir = config.path("tools.dir").unwrap_or_default();
    if !dir.is_dir() {
        return Ok(());
    }
    let registry = read(&dir, config)?.registry;
    let tools = count(registry.len(), "tool");
    printer.data(format!("{:<8} {:<14} {tools} in {}", "ok", "tools", dir.display()))?;
    for one in registry.excluded() {
        printer.data(format!("{:<8} {:<14} {}", one.state(), one.name, one.reason()))?;
    }
    Ok(())
}

/// The state of a store in PostgreSQL, and what follows from it.
fn say_store(config: &Config, printer: &mut Printer) -> Result<(), Failure> {
    let address = StoreAddress::of(None, config)?;
    if matches!(address, StoreAddress::File(_)) {
        return Ok(());
    }
    printer.data(bold("Store".to_owned()))?;
    let opened = on_runtime(async {
        let OpenedStore::Postgres(store) = open_store(&address, StoreUse::Read)? else {
            return Ok(None);
        };
        let status = store.status().await?;
        store.close().await;
        Ok(Some(status))
    });
    match opened {
        Ok(Some(status)) => {
            for (word, name, what) in store_lines(&status) {
                printer.data(format!("{word:<8} {name:<14} {what}"))?;
            }
        }
        Ok(None) => {}
        Err(failure) => printer.data(format!("{:<8} {:<14} {failure}", "missing", "store"))?,
    }
    Ok(())
}

/// A round trip that makes every turn feel slow.
const LATENCY_SLOW: Duration = Duration::from_millis(20);

/// What the state of the database means for people.
fn store_lines(status: &PostgresStatus) -> Vec<(&'static str, &'static str, String)> {
    let PostgresStatus { version, place, latency, standbys, standbys_synchronous, .. } = status;
    let mut lines = vec![("ok", "server", format!("PostgreSQL {version} at {place}"))];
    let took = format!("{:.1} ms for a round trip", latency.as_secs_f64() * 1_000.0);
    lines.push(match *latency > LATENCY_SLOW {
        true => ("slow", "latency", format!("{took}; a turn needs several: move them closer")),
        false => ("ok", "latency", took),
    });
    lines.push(match (standbys, standbys_synchronous) {
        (0, _) => {
            let what = "no standby: what was written since the last back-up is lost with its disk";
            ("none", "replication", what.to_owned())
        }
        (all, 0) => {
            let what = "none is synchronous: a failover may lose the last commits; set \
                        `synchronous_standby_names`";
            ("part", "replication", format!("{}, {what}", count(*all, "standby")))
        }
        (all, waited) => {
            let what = format!("commits wait for {waited}: a failover loses nothing");
            ("ok", "replication", format!("{}, {what}", count(*all, "standby")))
        }
    });
    let used = format!("{} of {}", status.connections, status.connections_max);
    lines.push(match status.connections * 10 >= status.connections_max * 9 {
        true => ("full", "connections", format!("{used}; raise `max_connections`")),
        false => ("ok", "connections", used),
    });
    lines.push(match status.is_encrypted {
        true => ("ok", "encryption", "TLS".to_owned()),
        false => {
            let what = "none: fine on one machine; elsewhere add `?sslmode=verify-full`";
            ("none", "encryption", what.to_owned())
        }
    });
    if status.has_pooler {
        let what = "a pooler in transaction mode is in between, which breaks notifications and \
                    prepared statements: connect to the server itself, or pool by session";
        lines.push(("OPEN", "pooler", what.to_owned()));
    }
    lines
}

/// What hears and what speaks in voice sessions.
fn say_voice(config: &Config, printer: &mut Printer) -> Result<(), Failure> {
    printer.data(bold("Voice".to_owned()))?;
    let hears = open_transcription(config).map(|hears| hears.name());
    let speaks = open_speech(config).map(|speaks| speaks.name());
    for (what, found) in [("hears", hears), ("speaks", speaks)] {
        match found {
            Ok(name) => printer.data(format!("{:<8} {what:<14} {name}", "ok"))?,
            Err(failure) => printer.data(format!("{:<8} {what:<14} {failure}", "missing"))?,
        }
    }
    let page =
        "in the browser, `ghosthand serve` uses the browser's own speech for what is missing";
    printer.data(format!("{:<8} {:<14} {page}", "ok", "page"))?;
    Ok(())
}

/// Check what the sandbox can enforce on this system
///
/// Starts a sandboxed child of each kind that tools and MCP servers run in, and tries what hostile
/// code would try. Missing protection is a gap: such children do not run unless `[sandbox] accept`
/// names it.
#[derive(Args)]
pub(crate) struct DoctorArgs {}

impl DoctorArgs {
    #[expect(clippy::unused_self, reason = "every command has the same signature")]
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let sandbox = config.sandbox();
        let mut gaps = Vec::new();
        for (kind, what) in KINDS {
            let report = on_runtime(async {
                doctor(PathBuf::from("/proc/self/exe"), kind)
                    .await
                    .map_err(|fault| Failure::user(fault, "tools cannot run on this system"))
            })?;
            say_report(what, &report, sandbox, printer)?;
            gaps.extend(report.gap(sandbox).map(|gap| format!("{what} do not run here: {gap}")));
        }
        say_python(&config, printer)?;
        say_store(&config, printer)?;
        printer.data(bold("Everything else".to_owned()))?;
        let net = match config.get("net.allow").filter(|opened| !opened.is_empty()) {
            Some(opened) => format!("tools may reach the public internet and {opened}"),
            None => "tools may reach only the public internet; `[net] allow` opens more".to_owned(),
        };
        printer.data(format!("{:<8} {:<14} {net}", "ok", "net"))?;
        let model = match open_model(&config) {
            Ok(model) => model.facts().to_string(),
            Err(_) => {
                "there is a key but no model is configured; see `ghosthand models`".to_owned()
            }
        };
        printer.data(format!("{:<8} {:<14} {model}", "ok", "model"))?;
        say_tools(&config, printer)?;
        say_voice(&config, printer)?;
        for gap in &gaps {
            printer.message(gap)?;
        }
        if gaps.is_empty() {
            printer.message("JavaScript handlers and MCP servers run here, sandboxed")?;
            return Ok(ExitStatus::Success);
        }
        Ok(ExitStatus::Faults)
    }
}
