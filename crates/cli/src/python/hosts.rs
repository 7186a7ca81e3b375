//! Python for this program: one host per environment, started when a tool needs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{Code, Digest};
use hosts::private_base;
use hosts::python::{Isolation, PyHost, PyHostConfig, find_python};
use hosts::sandbox::Sandbox;
use policy::{Answer, BoxFuture, Breakdown, Host, Job, Side};
use registry::{ModuleFault, ModuleReport, environment_of};
use serde_json::Value;

use crate::config::Config;
use crate::python::environment;

/// How long a file may take to be imported, its packages included.
const IMPORT_MAX: Duration = Duration::from_secs(10);

/// How Python is run, as the settings say.
#[derive(Debug, Clone)]
pub(crate) struct PythonSettings {
    program: Option<PathBuf>,
    sandbox: Sandbox,
    isolation: Isolation,
    workers_max: Option<u32>,
}

impl PythonSettings {
    pub(crate) fn of(config: &Config) -> Self {
        let sandbox = match config.get("python.sandbox") {
            Some("off") => Sandbox::BestEffort,
            _ => config.sandbox(),
        };
        let isolation = match config.get("python.isolation") {
            Some("call") => Isolation::EveryCall,
            _ => Isolation::EveryOwner,
        };
        let workers_max = config.number("python.workers");
        Self { program: config.program("python.program"), sandbox, isolation, workers_max }
    }

    /// A host with the packages of `environment`, a folder with a Python of its own.
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

/// The folder below which workers write and code is copied: where this user's programs keep
/// what is theirs alone while they run.
pub(crate) fn private_folder() -> Result<PathBuf, String> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let running = variable("XDG_RUNTIME_DIR").filter(|path| path.is_dir());
    let cache = variable("XDG_CACHE_HOME");
    let cache = cache.or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let shared = std::env::temp_dir().join(format!("ghosthand-{}", hosts::user_number()));
    let places = [
        running.map(|path| path.join("ghosthand")),
        cache.map(|path| path.join("ghosthand/run")),
        Some(shared),
    ];
    let places: Vec<PathBuf> = places.into_iter().flatten().collect();
    private_base(&places).map_err(|faults| {
        format!(
            "Python tools need a folder that only you may enter, and none is to be had: {faults}"
        )
    })
}

/// Runs each handler with the packages that its file asks for.
pub(crate) struct PythonHosts {
    settings: PythonSettings,
    /// By environment. Locked to look or to put, never while anything runs.
    hosts: Mutex<BTreeMap<Option<PathBuf>, Arc<PyHost>>>,
    /// The environment of each file met so far, with the code around it.
    places: Mutex<BTreeMap<(Digest, String), Option<PathBuf>>>,
}

impl PythonHosts {
    pub(crate) fn new(settings: PythonSettings) -> Self {
        Self { settings, hosts: Mutex::default(), places: Mutex::default() }
    }

    fn host(&self, tools_dir: &Path, code: &Code, handler: &str) -> Result<Arc<PyHost>, String> {
        let file = handler.split_once('#').map_or(handler, |(file, _)| file);
        let place = self.place(tools_dir, code, file)?;
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(&place) {
            return Ok(Arc::clone(host));
        }
        let host = Arc::new(self.settings.host(place.as_deref())?);
        hosts.insert(place, Arc::clone(&host));
        Ok(host)
    }

    fn place(&self, tools_dir: &Path, code: &Code, file: &str) -> Result<Option<PathBuf>, String> {
        let key = (code.digest(), file.to_owned());
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(&key) {
            return Ok(place.clone());
        }
        let place = match environment_of(tools_dir, file) {
            None => None,
            Some(needed) if environment::is_built(tools_dir, &needed.id) => {
                Some(environment::folder(tools_dir, &needed.id))
            }
            Some(_) => {
                return Err(format!(
                    "the Python packages of `{file}` are not installed; run `ghosthand build \
                     --python-env`"
                ));
            }
        };
        places.insert(key, place.clone());
        Ok(place)
    }
}

impl Host for PythonHosts {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            match self.host(job.tools_dir, job.code, job.handler) {
                Ok(host) => host.run(job).await,
                Err(because) => Answer::Broke(Breakdown::NotStarted { because }),
            }
        })
    }

    fn side<'a>(&'a self, side: Side<'a>) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async move {
            let host = self.host(side.tools_dir, side.code, side.handler)?;
            Host::side(host.as_ref(), side).await
        })
    }
}

/// Imports module files and says what is in them. Blocks until that is known: a thread of its
/// own has the runtime, so that it can be called from anywhere.
pub(crate) fn discover(
    settings: &PythonSettings,
    environment: Option<&Path>,
    tools_dir: &Path,
    files: &[String],
) -> Vec<ModuleReport> {
    let found = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let host = settings.host(environment)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|fault| fault.to_string())?;
            let reports = runtime.block_on(host.discover(tools_dir, files));
            serde_json::to_value(reports).map_err(|fault| fault.to_string())
        });
        work.join().unwrap_or_else(|_| Err("the reader broke".to_owned()))
    });
    let reports = found.and_then(|reports| {
        serde_json::from_value::<Vec<ModuleReport>>(reports).map_err(|fault| fault.to_string())
    });
    match reports {
        Ok(mut reports) => {
            reports.iter_mut().filter_map(|report| report.fault.as_mut()).for_each(worded);
            reports
        }
        Err(because) => files.iter().map(|file| unavailable(file, &because)).collect(),
    }
}

/// The host's kinds of faults in the registry's words.
fn worded(fault: &mut ModuleFault) {
    let kind = match fault.kind.as_str() {
        "host" => "unavailable",
        "hung" => "timeout",
        "crashed" | "exited" | "memory" => "crash",
        "syntax" | "import" | "raised" => {
            if let Some((exception, message)) = fault.message.clone().split_once(": ") {
                fault.kind = exception.to_owned();
                fault.message = message.to_owned();
            }
            return;
        }
        _ => return,
    };
    fault.kind = kind.to_owned();
}

fn unavailable(file: &str, because: &str) -> ModuleReport {
    let (kind, message) = ("unavailable".to_owned(), because.to_owned());
    let fault = Some(ModuleFault { kind, message, ..ModuleFault::default() });
    ModuleReport { file: file.to_owned(), fault, ..ModuleReport::default() }
}
