//! Creates workers: a template for each Python, and the sandbox of each worker.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::child::{CallNumbering, Child, ChildConfig, ChildLimits};
use crate::sandbox::{Files, Level, Protection, Sandbox, unprivileged_uid};
use crate::scratch_dir::{PrivateDir, RunDir};
use crate::spawn::Role;

use super::PyHostConfig;
use super::boot::{SCRIPT, WorkerOrder, template_order};
use super::code_root::CodeRoot;
use super::interpreter::Layout;
use super::template::Template;

pub(crate) struct WorkerFactory {
    config: PyHostConfig,
    /// By the path of their Python. Held while starting, so that each is started once.
    templates: tokio::sync::Mutex<HashMap<PathBuf, Arc<Template>>>,
    run_dir: Mutex<Option<Arc<RunDir>>>,
}

impl WorkerFactory {
    pub(crate) fn new(config: PyHostConfig) -> Self {
        Self { config, templates: tokio::sync::Mutex::default(), run_dir: Mutex::default() }
    }

    pub(crate) fn config(&self) -> &PyHostConfig {
        &self.config
    }

    /// The private folder of this host, created on first use.
    pub(crate) fn run_dir(&self) -> Result<Arc<RunDir>, String> {
        let mut held = self.run_dir.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some(run_dir) => Ok(Arc::clone(run_dir)),
            None => Ok(Arc::clone(held.insert(RunDir::new(&self.config.scratch)?))),
        }
    }

    /// Creates a worker that reads `root`, with a scratch folder to write to.
    pub(crate) async fn worker(&self, root: &CodeRoot) -> Result<NewWorker, String> {
        let python = self.config.environments.get(&**root).unwrap_or(&self.config.python);
        if !python.is_file() {
            return Err(format!("there is no Python at {}", python.display()));
        }
        let folder = root.canonicalize().map_err(|fault| {
            format!("the tools directory {} cannot be opened: {fault}", root.display())
        })?;
        let scratch = self.run_dir()?.folder("scratch")?;
        if let Some(unprivileged_uid) = unprivileged_uid() {
            scratch.give_to(unprivileged_uid)?;
        }
        let layout = Layout::of(python);
        let template = self.template(python, &layout).await?;
        let sandbox = self.sandbox(&layout, &folder, scratch.path());
        let prepared = sandbox.prepare();
        let running = template.worker(prepared.ruleset.as_ref()).await?;
        let (filters, calls) = match &template.level().calls {
            Protection::Enforced(_) => sandbox.filters(&prepared, running.pid()),
            // The operator accepts the missing filter.
            missing @ Protection::Unavailable(_) => (Vec::new(), missing.clone()),
        };
        let level: Level =
            sandbox.level_when_applied(&prepared, template.level(), calls, running.pid());
        if let Some(gap) = sandbox.gap(&level, self.config.sandbox) {
            return Err(gap);
        }
        let order = WorkerOrder {
            root: &folder,
            scratch: scratch.path(),
            filters,
            has_ruleset: prepared.ruleset.is_some(),
            open_files_max: sandbox.open_files_max,
            limits: &self.config.limits,
        };
        let child =
            Child::from_fork(running, level, &order.message()?, self.child_limits()).await?;
        template.fork_spare();
        Ok(NewWorker { child, scratch: Some(scratch) })
    }

    /// Ends all templates and thereby their workers.
    pub(crate) fn end(&self) {
        if let Ok(templates) = self.templates.try_lock() {
            templates.values().for_each(|template| template.kill());
        }
    }

    /// The process ids of the templates.
    pub(crate) fn template_pids(&self) -> Vec<u32> {
        let Ok(templates) = self.templates.try_lock() else { return Vec::new() };
        templates.values().filter(|held| held.is_live()).map(|held| held.pid()).collect()
    }

    /// The process ids of the spare workers.
    pub(crate) fn spare_pids(&self) -> Vec<u32> {
        let Ok(templates) = self.templates.try_lock() else { return Vec::new() };
        templates.values().filter_map(|template| template.spare_pid()).collect()
    }

    /// The template of a Python; a lost one is started again.
    async fn template(&self, python: &Path, layout: &Layout) -> Result<Arc<Template>, String> {
        let mut templates = self.templates.lock().await;
        if let Some(template) = templates.get(python).filter(|template| template.is_live()) {
            return Ok(Arc::clone(template));
        }
        let limits = &self.config.limits;
        let config = ChildConfig {
            program: self.config.program.clone(),
            sandbox: Sandbox::template(limits.memory_bytes_max, limits.file_bytes_max),
            role: role(python),
            sandbox_policy: self.config.sandbox,
            boot: Some(template_order(&layout.packages)?),
        };
        let template = Template::start(&config).await?;
        templates.insert(python.to_owned(), Arc::clone(&template));
        Ok(template)
    }

    fn sandbox(&self, layout: &Layout, root: &Path, scratch: &Path) -> Sandbox {
        let mut read = layout.read.clone();
        read.push(root.to_owned());
        read.extend(TIME_ZONES.into_iter().map(PathBuf::from).filter(|path| path.exists()));
        let files = Files { read, write: vec![scratch.to_owned(), "/dev/null".into()] };
        let limits = &self.config.limits;
        Sandbox::interpreter(files, limits.memory_bytes_max, limits.file_bytes_max)
    }

    fn child_limits(&self) -> ChildLimits {
        ChildLimits {
            flood: self.config.limits.flood.clone(),
            stop_grace: self.config.stop_grace,
            drain_max: self.config.drain_max,
            silence_max: Some(self.config.limits.silence_max),
            numbering: CallNumbering::Random,
        }
    }
}

/// A new worker that is not monitored yet. Dropping it ends it.
pub(crate) struct NewWorker {
    child: Arc<Child>,
    scratch: Option<PrivateDir>,
}

impl NewWorker {
    /// Hands the worker over to its monitor.
    pub(crate) fn into_parts(mut self) -> Option<(Arc<Child>, PrivateDir)> {
        self.scratch.take().map(|scratch| (Arc::clone(&self.child), scratch))
    }
}

impl Drop for NewWorker {
    fn drop(&mut self) {
        if self.scratch.is_some() {
            self.child.kill();
        }
    }
}

/// The local time zone.
const TIME_ZONES: [&str; 2] = ["/etc/localtime", "/usr/share/zoneinfo"];

/// Starts the interpreter in isolated mode: without the user's packages, the current folder and
/// compiled files, and with only the time zone from our environment.
fn role(python: &Path) -> Role {
    #[expect(clippy::disallowed_methods, reason = "the time zone is not a secret")]
    let zone = std::env::var("TZ").ok().map(|zone| ("TZ".to_owned(), zone));
    let env = [("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("MALLOC_ARENA_MAX", "2")];
    Role::Exec {
        program: python.to_owned(),
        args: ["-I", "-S", "-B", "-X", "utf8", "-c", SCRIPT].map(Into::into).into(),
        env: env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .chain(zone)
            .collect(),
    }
}
