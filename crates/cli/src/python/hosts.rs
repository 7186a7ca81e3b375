//! One Python host per environment, started when a tool first needs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, Digest};
use hosts::python::PyHost;
use policy::{BoxFuture, HandlerFailure, HandlerOutcome, Hook, Host, Job};
use registry::environment_of;
use serde_json::Value;

use super::environment;
use super::settings::PythonSettings;

/// Runs each handler with the packages of its file.
pub(crate) struct PythonHosts {
    settings: PythonSettings,
    /// By environment. Locked only for lookups and inserts.
    hosts: Mutex<BTreeMap<Option<PathBuf>, Arc<PyHost>>>,
    /// The environment of each known file, by code digest.
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
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move {
            match self.host(job.tools_dir, job.code, job.handler) {
                Ok(host) => host.run(job).await,
                Err(because) => HandlerOutcome::Broke(HandlerFailure::NotStarted { because }),
            }
        })
    }

    fn hook<'a>(&'a self, side: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async move {
            let host = self.host(side.tools_dir, side.code, side.handler)?;
            Host::hook(host.as_ref(), side).await
        })
    }
}
