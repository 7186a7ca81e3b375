//! `ghosthand build`: checks the tools and writes the registry atomically.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use dialect::targets;
use notify::{RecursiveMode, Watcher};
use registry::{BuildStamp, LOCK_FILE, REGISTRY_FILE, Registry, count_changes, diff};

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
/// Writes tool_registry.json beside the tools. On an error nothing is written, and the existing
/// registry stays.
#[derive(Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    tools: ToolsDir,
    /// Output format of faults
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Rebuild when a file changes
    #[arg(long)]
    watch: bool,
    /// Detail of the loss report
    #[arg(long, value_enum, default_value = "auto")]
    losses: Losses,
    /// Fail if a tool differs from tools.lock
    #[arg(long, conflicts_with = "watch")]
    locked: bool,
    /// Install the Python packages that tools need
    ///
    /// Uses `uv` if available, else `venv` and `pip`, and records the versions in python.lock.
    /// Nothing is installed while tools run.
    #[arg(long, conflicts_with = "watch")]
    python_env: bool,
}

/// Detail of the loss report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Losses {
    /// Fields per tool, or only the table if there are many tools
    Auto,
    /// Every affected place in every tool
    Full,
    /// One line per target
    Table,
    None,
}

/// With more tools, a block per tool is too much output.
const BRIEF_TOOLS_MAX: usize = 50;

const SOURCE_DATE: &str = "SOURCE_DATE_EPOCH";

/// How long files must be unchanged before a rebuild.
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
            printer.message(format!("{}; the registry was not written", check::sum(&build)))?;
            return Ok(ExitStatus::Faults);
        }
        let drift = drift(dir, &build.registry)?;
        if self.locked && !matches!(drift, Drift::None) {
            printer.message(drift.sentence(&self.tools.argument()))?;
            return Ok(ExitStatus::Faults);
        }
        self.print_losses(dir, config, &build.registry, printer)?;
        let bytes = stamped(dir, &build.registry)?;
        write_beside(dir, REGISTRY_FILE, &bytes, &build.registry, printer)?;
        printer.message(format!("{} in {} ms", check::sum(&build), start.elapsed().as_millis()))?;
        if !matches!(drift, Drift::None) {
            printer.message(drift.sentence(&self.tools.argument()))?;
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
        // Models also get the tools of MCP servers.
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
            // Fails only after the loop has ended.
            let _ = sender.send(event);
        })?;
        watcher
            .watch(dir, RecursiveMode::Recursive)
            .with_context(|| format!("`{}` cannot be watched", dir.display()))?;
        self.build(dir, config, printer)?;
        printer.message(format!("watching {}; Ctrl-C ends", dir.display()))?;
        loop {
            let event = changes.recv()??;
            if !event.paths.iter().any(|path| is_source(path)) || event.kind.is_access() {
                continue;
            }
            while changes.recv_timeout(QUIET).is_ok() {}
            match self.build(dir, config, printer) {
                // A missing folder may come back: report it and continue.
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

/// How the tools compare to the lock.
enum Drift {
    None,
    NoLock,
    Changes(usize),
}

impl Drift {
    /// `dir` is the argument that names the same tools in a suggested command.
    fn sentence(&self, dir: &str) -> String {
        match self {
            Drift::None => "every tool matches tools.lock".to_owned(),
            Drift::NoLock => {
                format!("no tools.lock yet; `ghosthand lock{dir}` creates it")
            }
            Drift::Changes(changes) => format!(
                "{} since tools.lock; `ghosthand diff{dir}` shows them, `ghosthand lock{dir}` accepts them",
                count(*changes, "change")
            ),
        }
    }
}

/// Our own output does not trigger a rebuild.
fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compiled = path.components().any(|part| part.as_os_str() == "__pycache__");
    let written = [REGISTRY_FILE, LOCK_FILE, PYTHON_LOCK_FILE].contains(&&*name);
    !written && !compiled && !name.starts_with('.')
}

/// The bytes of the registry. If only the time differs from the existing file, its bytes are
/// kept, so the time is that of the first build of these tools.
fn stamped(dir: &Path, registry: &Registry) -> Result<Vec<u8>, Failure> {
    let stamp = stamp(dir)?;
    if let Some((there, built)) = written_before(dir) {
        let again = BuildStamp { build_timestamp: built, ..stamp.clone() };
        if source_date()?.is_none() && registry.to_json(&again)? == there {
            return Ok(there);
        }
    }
    Ok(registry.to_json(&stamp)?)
}

/// The existing registry, and when it was built.
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

pub(super) fn stamp(dir: &Path) -> Result<BuildStamp, Failure> {
    let now = source_date()?.unwrap_or_else(jiff::Timestamp::now);
    let build_timestamp = now.round(jiff::Unit::Second).unwrap_or(now).to_string();
    Ok(BuildStamp { git_commit: commit(dir), build_timestamp })
}

/// The build time from `SOURCE_DATE_EPOCH`, the convention of reproducible builds.
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
    #[expect(clippy::disallowed_methods, reason = "runs git to read the commit, not a handler")]
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
