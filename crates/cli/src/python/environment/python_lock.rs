//! `python.lock`: the installed package versions per set of requirements.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use files::write_atomically;
use registry::EnvironmentId;
use serde::{Deserialize, Serialize};

use crate::exit::Failure;

pub(crate) use registry::PYTHON_LOCK_FILE;
const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PythonLock {
    format: u32,
    pub environments: BTreeMap<EnvironmentId, LockedEnvironment>,
}

/// One installed environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LockedEnvironment {
    pub requirements: Vec<String>,
    /// The Python that installed it: `3.11.7`.
    pub python: String,
    /// Versions by package.
    pub packages: BTreeMap<String, String>,
}

impl PythonLock {
    /// Reads the lock beside the tools; empty if missing.
    pub(crate) fn load(tools_dir: &Path) -> Result<Self, Failure> {
        let path = tools_dir.join(PYTHON_LOCK_FILE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(PythonLock { format: FORMAT, environments: BTreeMap::new() });
            }
            Err(error) => {
                let what = format!("`{}` cannot be read", path.display());
                return Err(anyhow::Error::new(error).context(what).into());
            }
        };
        let lock: PythonLock = serde_json::from_slice(&bytes).map_err(|error| {
            let what = format!("the lock file `{}` is damaged: {error}", path.display());
            Failure::message(what, "restore it from version control, or delete it")
        })?;
        match lock.format {
            FORMAT => Ok(lock),
            found => {
                let path = path.display();
                let what = format!("the lock file `{path}` has format {found}, not {FORMAT}");
                Err(Failure::message(what, "use the version that wrote it, or delete it"))
            }
        }
    }

    pub(crate) fn save(&self, tools_dir: &Path) -> Result<(), Failure> {
        let path = tools_dir.join(PYTHON_LOCK_FILE);
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        write_atomically(&path, &bytes)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
        Ok(())
    }
}
