//! Reads the tools of a directory, for commands that check, show or run them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::nearest;
use registry::{
    Build, Faults, LOCK_FILE, Lock, LockFault, Registry, Tool, TreeFault, is_module_folder,
    read_tools_with,
};

use crate::config::{Config, project};
use crate::exit::Failure;
use crate::python::module_reader::PythonModules;
use crate::python::settings::PythonSettings;
use crate::render::lock_drift::{Drift, KnownLock};
use crate::render::printer::count;

/// Reads the tools. Those with faults are left out of the registry.
pub(crate) fn read(dir: &Path, config: &Config) -> Result<Build, Failure> {
    let modules = PythonModules(PythonSettings::of(config));
    let read = read_tools_with(dir, &pen::tools::native_ids(), &modules);
    let with_reach = |mut build: Build| {
        let reach = config.reach();
        build.check_reach(dir, &|host| reach.is_closed_to(host));
        build
    };
    read.map(with_reach).map_err(|fault| {
        let fix = match &fault {
            TreeFault::Missing(_) => project::no_tools_fix(dir),
            TreeFault::NotADirectory(_) => "choose the directory, not a file in it".to_owned(),
            TreeFault::Unreadable { .. } => "check that you can read it".to_owned(),
            TreeFault::TooMany { .. } | TreeFault::TooManyModules { .. } => {
                "split the tools over several directories".to_owned()
            }
        };
        Failure::user(fault, fix)
    })
}

/// Reads tools that must have no errors.
pub(crate) fn read_good(dir: &Path, config: &Config) -> Result<Build, Failure> {
    let build = read(dir, config)?;
    match build.faults.has_errors() {
        false => Ok(build),
        true => Err(not_good(&build, dir)),
    }
}

/// Whether a tool that differs from `tools.lock` may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockMode {
    /// It waits for `ghosthand lock`.
    Enforced,
    Ignored,
}

impl LockMode {
    pub(crate) fn of(config: &Config) -> Self {
        match config.get("tools.changed") {
            Some("run") => LockMode::Ignored,
            Some(_) | None => LockMode::Enforced,
        }
    }
}

/// Reads tools to run them. With the lock enforced, changed tools are left out as well.
pub(crate) fn read_to_run(
    dir: &Path,
    lock_mode: LockMode,
    config: &Config,
) -> Result<(Build, Drift), Failure> {
    let mut build = read(dir, config)?;
    let lock = match lock_mode {
        LockMode::Enforced => KnownLock::Loaded(load_lock(dir)?),
        LockMode::Ignored => KnownLock::At(dir.join(LOCK_FILE)),
    };
    if let KnownLock::Loaded(Some(lock)) = &lock {
        build.registry = build.registry.restricted_to(lock, &shown(dir));
    }
    let drift = Drift::new(lock, build.registry.clone());
    Ok((build, drift))
}

/// A directory as faults show it.
pub(crate) fn shown(dir: &Path) -> String {
    dir.to_string_lossy().replace('\\', "/")
}

fn not_good(build: &Build, dir: &Path) -> Failure {
    let errors = build.faults.count(registry::Severity::Error);
    let what = format!("{} in `{}`", count(errors, "error"), dir.display());
    let is_error = |fault: &registry::Fault| fault.severity == registry::Severity::Error;
    let broken = build.registry.excluded().iter().filter(|one| one.faults.iter().any(is_error));
    let named: Vec<_> = broken.map(|one| one.name.as_str()).collect();
    let what = match named.is_empty() {
        true => what,
        false => format!("{what}: {}", named.join(", ")),
    };
    Failure::message(what, format!("run `ghosthand check {}`", dir.display()))
}

/// Reads one tool: a directory, or an item of a module by id or name.
pub(crate) fn read_one(dir: &Path, name: &str, config: &Config) -> Result<Build, Failure> {
    let unknown = match directory_of(dir, name) {
        Ok(path) => return read(&path, config),
        Err(unknown) => unknown,
    };
    let build = read(dir, config)?;
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
            Err(Failure::message(what, fix.unwrap_or_else(|| list_advice(dir))))
        }
        several => {
            let ids: Vec<_> = several.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
            let what = format!("`{name}` is the name of {} tools", several.len());
            Err(Failure::message(what, format!("use the full id: {}", ids.join(", "))))
        }
    }
}

/// The failure for an unusable lock.
pub(crate) fn lock_failure(fault: LockFault) -> Failure {
    let fix = match &fault {
        LockFault::Unreadable { .. } => "check that you can read the file",
        LockFault::Damaged { .. } => "restore it from version control, or run `ghosthand lock`",
        LockFault::Format { .. } => "use the version that wrote it, or run `ghosthand lock`",
    };
    Failure::user(fault, fix)
}

/// The lock beside the tools, if there is one.
pub(crate) fn load_lock(dir: &Path) -> Result<Option<Lock>, Failure> {
    Lock::load(&dir.join(LOCK_FILE)).map_err(lock_failure)
}

/// The directory of a tool by its id or its directory's name.
pub(crate) fn directory_of(dir: &Path, name: &str) -> Result<PathBuf, Failure> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        if is_module_folder(&entry.path()) {
            continue;
        }
        if found.replace('-', "_") == name.replace('-', "_") && entry.path().is_dir() {
            return Ok(entry.path());
        }
        if !found.starts_with(['_', '.']) && entry.path().is_dir() {
            names.push(found.replace('-', "_"));
        }
    }
    let near = nearest(name, names.iter().map(String::as_str));
    let fix = near.map_or_else(|| list_advice(dir), |near| format!("did you mean `{near}`?"));
    Err(Failure::message(format!("there is no tool `{name}` in `{}`", dir.display()), fix))
}

pub(crate) fn list_advice(dir: &Path) -> String {
    format!("`ghosthand show registry --dir {}` lists the tools", dir.display())
}
