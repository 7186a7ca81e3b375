//! Installs the Python packages that tools need, for `ghosthand build --python-env`.
//!
//! Each set of requirements has a virtual environment, `.ghosthand/python/<id>`. A manifest inside
//! it, written last, marks it as complete and lists its packages. The versions go to `python.lock`
//! beside the tools, so that other machines install the same. Nothing is installed while tools run,
//! and installation is not sandboxed: it uses the user's own settings of pip or uv.

mod install;
mod python_lock;

use std::path::{Path, PathBuf};

use anyhow::Context;
use files::write_atomically;
use registry::{Environment, EnvironmentId};

pub(crate) use python_lock::{PYTHON_LOCK_FILE, PythonLock};

use crate::exit::Failure;
use crate::render::printer::{Printer, count};
use install::Installer;
use python_lock::LockedEnvironment;

/// The manifest of a complete environment.
const NOTE: &str = "ghosthand.json";

/// The folder of an environment, in the project around the tools.
pub(crate) fn folder(tools_dir: &Path, id: &EnvironmentId) -> PathBuf {
    let tools_dir = tools_dir.canonicalize().unwrap_or_else(|_| tools_dir.to_owned());
    let project = match tools_dir.join("schema.json").exists() {
        true => tools_dir.parent().and_then(Path::parent),
        false => tools_dir.parent(),
    };
    project.unwrap_or(&tools_dir).join(".ghosthand/python").join(id.as_str())
}

/// Is it complete, and does it match the lock?
pub(crate) fn is_built(tools_dir: &Path, id: &EnvironmentId) -> bool {
    let Some(there) = note(&folder(tools_dir, id)) else { return false };
    match PythonLock::load(tools_dir) {
        Ok(lock) => {
            lock.environments.get(id).is_none_or(|locked| locked.packages == there.packages)
        }
        Err(_) => true,
    }
}

fn note(folder: &Path) -> Option<LockedEnvironment> {
    serde_json::from_slice(&std::fs::read(folder.join(NOTE)).ok()?).ok()
}

/// Installs what is missing and records what was installed.
pub(crate) fn build(
    tools_dir: &Path,
    environments: &[Environment],
    printer: &mut Printer,
) -> Result<(), Failure> {
    if environments.is_empty() {
        printer.message("no tool needs Python packages")?;
        return Ok(());
    }
    let mut lock = PythonLock::load(tools_dir)?;
    let before = lock.clone();
    for environment in environments {
        let id = &environment.id;
        let packages = count(environment.requirements.len(), "requirement");
        if !is_built(tools_dir, id) {
            printer.message(format!("{id}: installing {packages} of {}", environment.asked_in))?;
            let installed = make(tools_dir, environment, lock.environments.get(id))?;
            lock.environments.insert(id.clone(), installed);
        } else if let Some(there) = note(&folder(tools_dir, id)) {
            lock.environments.entry(id.clone()).or_insert(there);
        }
        let installed = lock.environments.get(id).map_or(0, |there| there.packages.len());
        printer.message(format!("{id}: {packages}, {} installed", count(installed, "package")))?;
    }
    lock.environments.retain(|id, _| environments.iter().any(|needed| needed.id == *id));
    if lock != before {
        lock.save(tools_dir)?;
    }
    Ok(())
}

/// Creates one environment; remains of a failed attempt are removed first.
fn make(
    tools_dir: &Path,
    environment: &Environment,
    locked: Option<&LockedEnvironment>,
) -> Result<LockedEnvironment, Failure> {
    let folder = folder(tools_dir, &environment.id);
    remove(&folder)?;
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("`{}` cannot be created", parent.display()))?;
    }
    let installed = Installer::find().install(&folder, &environment.requirements, locked);
    match installed {
        Ok(installed) => {
            let bytes = serde_json::to_vec_pretty(&installed)?;
            write_atomically(&folder.join(NOTE), &bytes)
                .with_context(|| format!("`{}` cannot be written", folder.display()))?;
            Ok(installed)
        }
        Err(failure) => {
            remove(&folder)?;
            Err(failure)
        }
    }
}

fn remove(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let what = format!("`{}` cannot be removed", folder.display());
            Err(anyhow::Error::new(error).context(what).into())
        }
        _ => Ok(()),
    }
}
