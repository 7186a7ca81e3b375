//! How Python runs: the interpreter, the sandbox, and how many workers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hosts::private_base;
use hosts::python::{
    Isolation, PyHost, PyHostConfig, PythonOutcome, TriedPython, find_python, tried_pythons,
};
use hosts::sandbox::SandboxPolicy;

use crate::config::Config;

/// The time limit of importing a file with its packages.
const IMPORT_MAX: Duration = Duration::from_secs(10);

/// The configuration of Python hosts.
#[derive(Debug, Clone)]
pub(crate) struct PythonSettings {
    program: Option<PathBuf>,
    sandbox: SandboxPolicy,
    isolation: Isolation,
    workers_max: Option<u32>,
}

impl PythonSettings {
    pub(crate) fn of(config: &Config) -> Self {
        let sandbox = match config.get("python.sandbox") {
            Some("off") => SandboxPolicy::BestEffort,
            _ => config.sandbox(),
        };
        let isolation = match config.get("python.isolation") {
            Some("call") => Isolation::EveryCall,
            _ => Isolation::EveryOwner,
        };
        let workers_max = config.number("python.workers");
        Self { program: config.program("python.program"), sandbox, isolation, workers_max }
    }

    /// Where an interpreter was looked for, in order, and what was found there.
    pub(crate) fn tried(&self) -> Vec<TriedPython> {
        match &self.program {
            None => tried_pythons(&[]),
            Some(path) => {
                let is_there = !path.is_absolute() || path.is_file();
                let outcome = if is_there { PythonOutcome::Taken } else { PythonOutcome::Missing };
                vec![TriedPython { path: path.clone(), outcome }]
            }
        }
    }

    /// A host with the packages of a virtual environment.
    pub(crate) fn host(&self, environment: Option<&Path>) -> Result<PyHost, String> {
        let python = match (environment, &self.program) {
            (Some(folder), _) => folder.join("bin/python3"),
            (None, Some(program)) => program.clone(),
            (None, None) => find_python(&[])?,
        };
        let mut config = PyHostConfig::new(python, private_folder()?);
        config.sandbox = self.sandbox;
        config.isolation = self.isolation;
        if let Some(max) = self.workers_max.and_then(|max| usize::try_from(max).ok()) {
            config.workers_max = max;
            config.workers_per_owner_max = max.div_ceil(4);
        }
        config.limits.import_max = IMPORT_MAX;
        Ok(PyHost::start(config))
    }
}

/// The private folder where workers write and code is copied.
pub(crate) fn private_folder() -> Result<PathBuf, String> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let running = variable("XDG_RUNTIME_DIR").filter(|path| path.is_dir());
    let cache = variable("XDG_CACHE_HOME");
    let cache = cache.or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let shared = std::env::temp_dir().join(format!("ghosthand-{}", hosts::user_id()));
    let places = [
        running.map(|path| path.join("ghosthand")),
        cache.map(|path| path.join("ghosthand/run")),
        Some(shared),
    ];
    let places: Vec<PathBuf> = places.into_iter().flatten().collect();
    private_base(&places).map_err(|faults| {
        format!("Python tools need a private folder, and none is available: {faults}")
    })
}
