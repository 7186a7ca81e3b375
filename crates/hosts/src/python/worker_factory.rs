//! Where workers come from: a template for each Python, and the fence around each worker.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::child::{Charter, Child, Manners, Numbers};
use crate::private::{Folder, Nest};
use crate::sandbox::{Fence, Files, Level, Part, stranger};
use crate::spawn::Role;

use super::PyHostConfig;
use super::boot::{SCRIPT, WorkerOrder, template_order};
use super::interpreter::Layout;
use super::root::Root;
use super::template::Template;

pub(crate) struct Nursery {
    config: PyHostConfig,
    /// By the path of their Python. Held while one is started, so that it is started once.
    templates: tokio::sync::Mutex<HashMap<PathBuf, Arc<Template>>>,
    nest: Mutex<Option<Arc<Nest>>>,
}

impl Nursery {
    pub(crate) fn new(config: PyHostConfig) -> Self {
        Self { config, templates: tokio::sync::Mutex::default(), nest: Mutex::default() }
    }

    pub(crate) fn config(&self) -> &PyHostConfig {
        &self.config
    }

    /// The private folder of this host, made when it is first needed.
    pub(crate) fn nest(&self) -> Result<Arc<Nest>, String> {
        let mut held = self.nest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some(nest) => Ok(Arc::clone(nest)),
            None => Ok(Arc::clone(held.insert(Nest::new(&self.config.scratch)?))),
        }
    }

    /// A new worker that reads a folder, with the one folder that it may write to.
    pub(crate) async fn worker(&self, root: &Root) -> Result<Newborn, String> {
        let python = self.config.environments.get(&**root).unwrap_or(&self.config.python);
        if !python.is_file() {
            return Err(format!("there is no Python at {}", python.display()));
        }
        let folder = root.canonicalize().map_err(|fault| {
            format!("the tools directory {} cannot be opened: {fault}", root.display())
        })?;
        let scratch = self.nest()?.folder("scratch")?;
        if let Some(stranger) = stranger() {
            scratch.give_to(stranger)?;
        }
        let layout = Layout::of(python);
        let template = self.template(python, &layout).await?;
        let fence = self.fence(&layout, &folder, scratch.path());
        let graft = fence.graft();
        let running = template.fork(graft.ruleset.as_ref()).await?;
        let (filters, calls) = match &template.level().calls {
            Part::Enforced(_) => fence.filters(&graft, running.pid()),
            // The operator lets it run without.
            missing @ Part::Unavailable(_) => (Vec::new(), missing.clone()),
        };
        let level: Level = fence.grafted(&graft, template.level(), calls, running.pid());
        if let Some(gap) = fence.gap(&level, self.config.sandbox) {
            return Err(gap);
        }
        let order = WorkerOrder {
            root: &folder,
            scratch: scratch.path(),
            filters,
            has_ruleset: graft.ruleset.is_some(),
            open_files_max: fence.open_files_max,
            limits: &self.config.limits,
        };
        let child = Child::adopt(running, level, &order.message()?, self.manners()).await?;
        Ok(Newborn { child, scratch: Some(scratch) })
    }

    /// Ends all templates, and with them what they forked.
    pub(crate) fn end(&self) {
        if let Ok(templates) = self.templates.try_lock() {
            templates.values().for_each(|template| template.kill());
        }
    }

    /// The process numbers of the templates.
    pub(crate) fn template_pids(&self) -> Vec<u32> {
        let Ok(templates) = self.templates.try_lock() else { return Vec::new() };
        templates.values().filter(|held| held.is_live()).map(|held| held.pid()).collect()
    }

    /// One that was lost is started again.
    async fn template(&self, python: &Path, layout: &Layout) -> Result<Arc<Template>, String> {
        let mut templates = self.templates.lock().await;
        if let Some(template) = templates.get(python).filter(|template| template.is_live()) {
            return Ok(Arc::clone(template));
        }
        let limits = &self.config.limits;
        let charter = Charter {
            program: self.config.program.clone(),
            fence: Fence::template(limits.memory_bytes_max, limits.file_bytes_max),
            role: role(python),
            sandbox: self.config.sandbox,
            boot: Some(template_order(&layout.packages)?),
        };
        let template = Template::start(&charter).await?;
        templates.insert(python.to_owned(), Arc::clone(&template));
        Ok(template)
    }

    fn fence(&self, layout: &Layout, root: &Path, scratch: &Path) -> Fence {
        let mut read = layout.read.clone();
        read.push(root.to_owned());
        read.extend(TIME_ZONES.into_iter().map(PathBuf::from).filter(|path| path.exists()));
        let files = Files { read, write: vec![scratch.to_owned(), "/dev/null".into()] };
        let limits = &self.config.limits;
        Fence::interpreter(files, limits.memory_bytes_max, limits.file_bytes_max)
    }

    fn manners(&self) -> Manners {
        Manners {
            flood: self.config.limits.flood.clone(),
            stop_grace: self.config.stop_grace,
            drain_max: self.config.drain_max,
            silence_max: Some(self.config.limits.silence_max),
            numbers: Numbers::Random,
        }
    }
}

/// A worker that nobody attends to yet. Dropping it ends it.
pub(crate) struct Newborn {
    child: Arc<Child>,
    scratch: Option<Folder>,
}

impl Newborn {
    /// From now on somebody else sees to its end.
    pub(crate) fn hand_over(mut self) -> Option<(Arc<Child>, Folder)> {
        self.scratch.take().map(|scratch| (Arc::clone(&self.child), scratch))
    }
}

impl Drop for Newborn {
    fn drop(&mut self) {
        if self.scratch.is_some() {
            self.child.kill();
        }
    }
}

/// What says which time it is here.
const TIME_ZONES: [&str; 2] = ["/etc/localtime", "/usr/share/zoneinfo"];

/// The interpreter alone: nothing of the user's, of the folder it starts in, or of the
/// environment but the time zone, and no compiled files.
fn role(python: &Path) -> Role {
    #[expect(clippy::disallowed_methods, reason = "the zone of the clock is no secret")]
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
