//! The commands, one file each.

mod approvals;
mod build;
mod call;
mod cards;
mod chat;
mod check;
mod completions;
mod config;
mod decode;
mod diff;
mod doctor;
mod emit;
mod encode;
mod faults;
mod lock;
mod lower;
mod mcp;
mod models;
mod new;
mod pen;
mod records;
mod replay;
mod serve;
mod show;
mod store;
mod test;
mod tools;
mod why;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};
use contract::nearest;
use registry::{
    Build, Faults, LOCK_FILE, Lock, Registry, Tool, TreeFault, read_tools_with, write_atomically,
};

pub(crate) use self::lock::Changed;
pub(crate) use self::store::not_opened;

use crate::config::{CONFIG_FILE, Config};
use crate::exit::{CommandResult, Failure};
use crate::python::hosts::PythonSettings;
use crate::python::module_reader::Modules;
use crate::render::lock_drift::Drift;
use crate::render::printer::{Printer, count, cyan};

#[derive(Subcommand)]
pub(crate) enum Command {
    New(new::NewArgs),
    Check(check::CheckArgs),
    Build(build::BuildArgs),
    Show(show::ShowArgs),
    Test(test::TestArgs),
    Diff(diff::DiffArgs),
    Lock(lock::LockArgs),
    Lower(lower::LowerArgs),
    Encode(encode::EncodeArgs),
    Decode(decode::DecodeArgs),
    Emit(emit::EmitArgs),
    Pen(pen::PenArgs),
    Call(call::CallArgs),
    Chat(chat::ChatArgs),
    Serve(serve::ServeArgs),
    Cards(cards::CardsArgs),
    Why(why::WhyArgs),
    Replay(replay::ReplayArgs),
    Models(models::ModelsArgs),
    Mcp(mcp::McpArgs),
    Config(config::ConfigArgs),
    Approvals(approvals::ApprovalsArgs),
    Ledger(records::LedgerArgs),
    Audit(records::AuditArgs),
    Metrics(records::MetricsArgs),
    Tools(tools::ToolsArgs),
    Doctor(doctor::DoctorArgs),
    Store(store::StoreArgs),
    Faults(faults::FaultsArgs),
    Completions(completions::CompletionsArgs),
}

impl Command {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match self {
            Command::New(args) => args.run(printer),
            Command::Check(args) => args.run(printer),
            Command::Build(args) => args.run(printer),
            Command::Show(args) => args.run(printer),
            Command::Test(args) => args.run(printer),
            Command::Diff(args) => args.run(printer),
            Command::Lock(args) => args.run(printer),
            Command::Lower(args) => args.run(printer),
            Command::Encode(args) => args.run(printer),
            Command::Decode(args) => args.run(printer),
            Command::Emit(args) => args.run(printer),
            Command::Pen(args) => args.run(printer),
            Command::Call(args) => args.run(printer),
            Command::Chat(args) => args.run(printer),
            Command::Serve(args) => args.run(printer),
            Command::Cards(args) => args.run(printer),
            Command::Replay(args) => args.run(printer),
            Command::Models(args) => args.run(printer),
            Command::Mcp(args) => args.run(printer),
            Command::Config(args) => args.run(printer),
            Command::Why(args) => args.run(printer),
            Command::Approvals(args) => args.run(printer),
            Command::Ledger(args) => args.run(printer),
            Command::Audit(args) => args.run(printer),
            Command::Metrics(args) => args.run(printer),
            Command::Tools(args) => args.run(printer),
            Command::Doctor(args) => args.run(printer),
            Command::Store(args) => args.run(printer),
            Command::Faults(args) => args.run(printer),
            Command::Completions(args) => args.run(printer),
        }
    }
}

/// Where the tools are.
#[derive(Args)]
pub(crate) struct ToolsDir {
    /// The directory of the tools, one tool's own directory, or a project [default: tools]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The same as a flag, for commands whose argument is something else.
#[derive(Args)]
pub(crate) struct ToolsFlag {
    /// The directory of the tools [default: tools]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ToolsDir {
    /// The directory that was named, or the one of the settings.
    fn find(&self) -> Result<PathBuf, Failure> {
        tools_dir(self.dir.as_deref())
    }

    /// As a command of ours takes it: nothing, or a blank and the name.
    fn argument(&self) -> String {
        self.dir.as_deref().map(|dir| format!(" {}", dir.display())).unwrap_or_default()
    }
}

impl ToolsFlag {
    /// The directory that was named, or the one of the settings.
    fn find(&self) -> Result<PathBuf, Failure> {
        tools_dir(self.dir.as_deref())
    }
}

/// Where the tools are: a path that was given, else `tools.dir` of the project.
fn tools_dir(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let project = |root: &Path| Config::of_project(root);
    match given {
        Some(root) if root.join(CONFIG_FILE).is_file() && !root.join("schema.json").exists() => {
            Ok(project(root)?.path("tools.dir").unwrap_or_default())
        }
        Some(path) => Ok(crate::config::project::tools_in(path)),
        None => Ok(Config::load()?.path("tools.dir").unwrap_or_default()),
    }
}

/// Reads the tools, or says why there are none to read.
fn read(dir: &Path) -> Result<Build, Failure> {
    let config = Config::load()?;
    let modules = Modules(PythonSettings::of(&config));
    let read = read_tools_with(dir, &pen::native_ids(), &modules);
    let with_reach = |mut build: Build| {
        let reach = config.reach();
        build.check_reach(dir, &|host| reach.is_closed_to(host));
        build
    };
    read.map(with_reach).map_err(|fault| {
        let fix = match &fault {
            TreeFault::Missing(_) => crate::config::project::no_tools_fix(dir),
            TreeFault::NotADirectory(_) => "name the directory, not a file in it".to_owned(),
            TreeFault::Unreadable { .. } => "check that this user may read it".to_owned(),
            TreeFault::TooMany { .. } | TreeFault::TooManyModules { .. } => {
                "split the tools over several directories".to_owned()
            }
        };
        Failure::user(fault, fix)
    })
}

/// Reads tools that must be good: the commands that use them have nothing to say otherwise.
pub(crate) fn read_good(dir: &Path) -> Result<Build, Failure> {
    let build = read(dir)?;
    match build.faults.has_errors() {
        false => Ok(build),
        true => Err(not_good(&build, dir)),
    }
}

/// Reads tools to look at them. A tool with faults is left out of the registry, which names it.
pub(crate) fn read_usable(dir: &Path) -> Result<Build, Failure> {
    read(dir)
}

/// Reads tools to run them: where they were locked, one that has changed is left out as well.
pub(crate) fn read_to_run(dir: &Path, changed: Changed) -> Result<(Build, Drift), Failure> {
    let mut build = read(dir)?;
    let lock = match changed {
        Changed::Waits => Ok(lock::load(dir)?),
        Changed::Runs => Lock::load(&dir.join(LOCK_FILE)),
    };
    if let (Changed::Waits, Ok(Some(lock))) = (changed, &lock) {
        build.registry = build.registry.held_to(lock, &shown(dir));
    }
    let drift = Drift::new(lock, build.registry.clone());
    Ok((build, drift))
}

/// A directory as faults show it.
fn shown(dir: &Path) -> String {
    dir.to_string_lossy().replace('\\', "/")
}

fn not_good(build: &Build, dir: &Path) -> Failure {
    let errors = build.faults.count(registry::Severity::Error);
    let what = format!("{} in `{}`", count(errors, "error"), dir.display());
    let is_error = |fault: &registry::Fault| fault.severity == registry::Severity::Error;
    let broken = build.registry.left_out().iter().filter(|one| one.faults.iter().any(is_error));
    let named: Vec<_> = broken.map(|one| one.name.as_str()).collect();
    let what = match named.is_empty() {
        true => what,
        false => format!("{what}: {}", named.join(", ")),
    };
    Failure::message(what, format!("run `ghosthand check {}`", dir.display()))
}

/// Reads one tool: a directory, or an item of a module by its id or its name.
pub(crate) fn read_one(dir: &Path, name: &str) -> Result<Build, Failure> {
    let unknown = match test::directory_of(dir, name) {
        Ok(path) => return read(&path),
        Err(unknown) => unknown,
    };
    let build = read(dir)?;
    if build.modules.is_empty() {
        return Err(unknown);
    }
    let matches = |tool: &&Arc<Tool>| {
        tool.contract.tool_id.as_str() == name || tool.item_name() == Some(name)
    };
    let found: Vec<_> = build.registry.tools().filter(matches).collect();
    match found.as_slice() {
        [tool] => {
            let registry = build.registry.only(&tool.contract.tool_id);
            Ok(Build { registry, faults: Faults::default(), looked_at: 1, ..build })
        }
        [] if build.registry.left_out_as(name).is_some() => {
            let left_out = build.registry.left_out_as(name).map(|one| one.faults.clone());
            let faults = left_out.into_iter().flatten().collect();
            Ok(Build { registry: Registry::empty(), faults, looked_at: 1, ..build })
        }
        [] => {
            let ids = build.registry.tools().map(|tool| tool.contract.tool_id.as_str());
            let names = build.registry.tools().filter_map(|tool| tool.item_name());
            let near = nearest(name, ids.chain(names));
            let fix = near.map(|near| format!("did you mean `{near}`?"));
            let what = format!("there is no tool `{name}` in `{}`", dir.display());
            Err(Failure::message(what, fix.unwrap_or_else(|| test::list_advice(dir))))
        }
        several => {
            let ids: Vec<_> = several.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
            let what = format!("`{name}` is the name of {} tools", several.len());
            Err(Failure::message(what, format!("give the whole id: {}", ids.join(", "))))
        }
    }
}

/// Commands that write beside the tools need the directory of all tools.
fn refuse_single_tool(dir: &Path, command: &str) -> Result<(), Failure> {
    match dir.join("schema.json").exists() {
        true => Err(Failure::message(
            format!("`{}` is one tool", dir.display()),
            format!("give `ghosthand {command}` the directory around it"),
        )),
        false => Ok(()),
    }
}

/// Writes a file beside the tools, whole or not at all, and says what it holds.
fn write_beside(
    dir: &Path,
    name: &str,
    bytes: &[u8],
    registry: &Registry,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let path = dir.join(name);
    write_atomically(&path, bytes)
        .with_context(|| format!("`{}` cannot be written", path.display()))?;
    let tools = count(registry.len(), "tool");
    printer.data(format!("{tools} {} → {}", cyan(registry.version()), path.display()))?;
    Ok(())
}

/// Runs a command that waits for others, on a runtime of its own.
fn on_runtime<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(work);
    // Whoever renders a text or reads a terminal does not keep us.
    runtime.shutdown_timeout(REST);
    ended
}

/// How long what still runs beside the work may take to end.
const REST: std::time::Duration = std::time::Duration::from_secs(2);
