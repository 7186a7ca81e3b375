//! `ghosthand build`: writes the registry, whole or not at all.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use dialect::targets;
use notify::{RecursiveMode, Watcher};
use registry::{LOCK_FILE, REGISTRY_FILE, Registry, Stamp, count_changes, diff};

use super::check;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::python::environment::{self, PYTHON_LOCK_FILE};
use crate::render::faults::{self, Format};
use crate::render::loss_report;
use crate::render::printer::{Printer, count};
use crate::wiring::mcp_servers;
use crate::wiring::read_tools::{load_lock, read};
use crate::wiring::tools_dir::{ToolsDir, refuse_single_tool, write_beside};

/// Check tools and write the registry
///
/// Writes tool_registry.json beside the tools. If there is an error, nothing is written
/// and the registry that was there stays.
#[derive(Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    tools: ToolsDir,
    /// How faults are written
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Build again whenever a file changes
    #[arg(long)]
    watch: bool,
    /// How much is said of what providers do not get as the contract says it
    #[arg(long, value_enum, default_value = "auto")]
    losses: Losses,
    /// Fail if a tool differs from tools.lock
    #[arg(long, conflicts_with = "watch")]
    locked: bool,
    /// Install the Python packages that tools ask for, each set once
    ///
    /// With `uv` if it is there, else with `venv` and `pip`; the versions are kept in
    /// python.lock. Nothing is ever installed while tools run.
    #[arg(long, conflicts_with = "watch")]
    python_env: bool,
}

/// How much of the loss report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Losses {
    /// The fields of each tool, or only the table if there are many tools
    Auto,
    /// Every place in every tool, with what happens there
    Full,
    /// A line per target
    Table,
    None,
}

/// Above this many tools, a block each is more than anyone reads.
const BRIEF_TOOLS_MAX: usize = 50;

const SOURCE_DATE: &str = "SOURCE_DATE_EPOCH";

/// How long the files must be quiet before they are built again.
const QUIET: Duration = Duration::from_millis(200);

impl BuildArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let dir = self.tools.find(&config)?;
        refuse_single_tool(&dir, "build")?;
        if self.python_env {
            environment::build(&dir, &read(&dir, &config)?.environments, printer)?;
        }
        match self.watch {
            false => self.build(&dir, &config, printer),
            true => self.rebuild_on_change(&dir, &config, printer),
        }
    }

    fn build(&self, dir: &Path, config: &Config, printer: &mut Printer) -> CommandResult {
        let start = Instant::now();
        let build = read(dir, config)?;
        let report = faults::faults(&build.faults, build.looked_at, self.format);
        write!(printer.out(), "{report}")?;
        if build.faults.has_errors() {
            printer.say(format!("{}; the registry was not written", check::sum(&build)))?;
            return Ok(ExitStatus::Faults);
        }
        let drift = drift(dir, &build.registry)?;
        if self.locked && !matches!(drift, Drift::None) {
            printer.say(drift.sentence(&self.tools.argument()))?;
            return Ok(ExitStatus::Faults);
        }
        self.print_losses(dir, config, &build.registry, printer)?;
        let bytes = stamped(dir, &build.registry)?;
        write_beside(dir, REGISTRY_FILE, &bytes, &build.registry, printer)?;
        printer.say(format!("{} in {} ms", check::sum(&build), start.elapsed().as_millis()))?;
        if !matches!(drift, Drift::None) {
            printer.say(drift.sentence(&self.tools.argument()))?;
        }
        Ok(ExitStatus::Success)
    }

    fn print_losses(
        &self,
        dir: &Path,
        config: &Config,
        registry: &Registry,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        if self.losses == Losses::None {
            return Ok(());
        }
        // Models are offered the tools of other servers too.
        let registry = registry.clone().with(mcp_servers::imported(config)?);
        if registry.is_empty() {
            return Ok(());
        }
        let report = registry.losses(&targets().iter().collect::<Vec<_>>());
        let lines = match self.losses {
            Losses::Full => loss_report::details(&report, dir),
            Losses::Auto if registry.len() <= BRIEF_TOOLS_MAX => loss_report::brief(&report, dir),
            Losses::Auto | Losses::Table | Losses::None => Vec::new(),
        };
        lines.iter().try_for_each(|line| printer.data(line))?;
        loss_report::table(&report).iter().try_for_each(|line| printer.data(line))?;
        Ok(())
    }

    fn rebuild_on_change(
        &self,
        dir: &Path,
        config: &Config,
        printer: &mut Printer,
    ) -> CommandResult {
        let (sender, changes) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event| {
            // A watcher that outlives the loop has nobody to tell.
            let _ = sender.send(event);
        })?;
        watcher
            .watch(dir, RecursiveMode::Recursive)
            .with_context(|| format!("`{}` cannot be watched", dir.display()))?;
        self.build(dir, config, printer)?;
        printer.say(format!("watching {}; Ctrl-C ends", dir.display()))?;
        loop {
            let event = changes.recv()??;
            if !event.paths.iter().any(|path| is_source(path)) || event.kind.is_access() {
                continue;
            }
            while changes.recv_timeout(QUIET).is_ok() {}
            match self.build(dir, config, printer) {
                // A folder that is gone may come back: say so and go on.
                Err(failure) => drop(crate::exit::code(Err(failure), printer)),
                Ok(ExitStatus::Success | ExitStatus::Faults) => {}
            }
        }
    }
}

fn drift(dir: &Path, registry: &Registry) -> Result<Drift, Failure> {
    Ok(match load_lock(dir)? {
        None => Drift::NoLock,
        Some(lock) => match count_changes(&diff(&lock, registry)) {
            0 => Drift::None,
            changes => Drift::Changes(changes),
        },
    })
}

/// How the tools stand to the lock.
enum Drift {
    None,
    NoLock,
    Changes(usize),
}

impl Drift {
    /// `dir` is the argument that our commands need to mean the same tools.
    fn sentence(&self, dir: &str) -> String {
        match self {
            Drift::None => "every tool is as in tools.lock".to_owned(),
            Drift::NoLock => {
                format!("there is no tools.lock yet; `ghosthand lock{dir}` records the tools")
            }
            Drift::Changes(changes) => format!(
                "{} since tools.lock; `ghosthand diff{dir}` shows them, `ghosthand lock{dir}` accepts them",
                count(*changes, "change")
            ),
        }
    }
}

/// What we write ourselves is no reason to build again.
fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compiled = path.components().any(|part| part.as_os_str() == "__pycache__");
    let written = [REGISTRY_FILE, LOCK_FILE, PYTHON_LOCK_FILE].contains(&&*name);
    !written && !compiled && !name.starts_with('.')
}

/// The registry's bytes. Where nothing but the time would differ from the file that is there,
/// they are those of the file: the time is that of the first build of these tools.
fn stamped(dir: &Path, registry: &Registry) -> Result<Vec<u8>, Failure> {
    let stamp = stamp(dir)?;
    if let Some((there, built)) = written_before(dir) {
        let again = Stamp { build_timestamp: built, ..stamp.clone() };
        if source_date()?.is_none() && registry.to_json(&again)? == there {
            return Ok(there);
        }
    }
    Ok(registry.to_json(&stamp)?)
}

/// The registry that is there, and when it was built.
fn written_before(dir: &Path) -> Option<(Vec<u8>, String)> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Written {
        build_timestamp: String,
    }
    let bytes = std::fs::read(dir.join(REGISTRY_FILE)).ok()?;
    let written: Written = serde_json::from_slice(&bytes).ok()?;
    Some((bytes, written.build_timestamp))
}

pub(super) fn stamp(dir: &Path) -> Result<Stamp, Failure> {
    let now = source_date()?.unwrap_or_else(jiff::Timestamp::now);
    let build_timestamp = now.round(jiff::Unit::Second).unwrap_or(now).to_string();
    Ok(Stamp { git_commit: commit(dir), build_timestamp })
}

/// The time of the build as the environment fixes it, by the convention of reproducible builds.
fn source_date() -> Result<Option<jiff::Timestamp>, Failure> {
    #[expect(clippy::disallowed_methods, reason = "this is the edge where the time comes in")]
    let Ok(text) = std::env::var(SOURCE_DATE) else { return Ok(None) };
    let seconds = text.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    seconds.map(Some).ok_or_else(|| {
        let fix = "give whole seconds since 1970, as `git log -1 --format=%ct` does, or unset it";
        Failure::message(format!("${SOURCE_DATE} is `{text}`, which is not a time"), fix)
    })
}

/// The short commit of the tools, or `unknown` outside a repository.
fn commit(dir: &Path) -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "git only tells the commit; no handler runs here"
    )]
    let git = std::process::Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .current_dir(dir)
        .stdin(std::process::Stdio::null())
        .output();
    match git {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}
