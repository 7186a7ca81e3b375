//! A tools folder with a host, and shortcuts to call its tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hosts::python::{HookCall, HookFault, HookKind, ModuleReport};
use hosts::{Finished, HandlerRun, PyHost, PyHostConfig, Repeat};
use policy::HandlerOutcome;
use serde_json::{Value, json};

use crate::fake_services::FarSide;
use crate::harness::py_config;

pub(crate) const PATIENT: Duration = Duration::from_secs(60);

pub(crate) struct Pad {
    pub host: Arc<PyHost>,
    pub folder: PathBuf,
    pub far: Arc<FarSide>,
    pub context: Value,
    /// Removes files that were made for the test.
    _made: Option<tempfile::TempDir>,
}

impl Pad {
    /// The examples of Ghostpad's reference, unchanged. Those in `core` are the tests of
    /// `registry` too.
    pub(crate) fn with_examples() -> Self {
        let made = tempfile::tempdir().unwrap();
        let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
        for kind in ["features", "snippets"] {
            let from = ours.join("tests/fixtures/ghostpad").join(kind);
            copy_files(&from, &made.path().join(kind));
        }
        copy_files(&ours.join("../registry/tests/it/seed"), &made.path().join("core"));
        Self::new(py_config(), made.path().into(), Some(made))
    }

    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        Self::with_config(py_config(), files)
    }

    pub(crate) fn with_config(config: PyHostConfig, files: &[(&str, &str)]) -> Self {
        let made = tempfile::tempdir().unwrap();
        let pad = Self::new(config, made.path().into(), Some(made));
        for (path, source) in files {
            pad.write(path, source);
        }
        pad
    }

    pub(crate) fn in_folder(config: PyHostConfig, folder: &Path) -> Self {
        Self::new(config, folder.into(), None)
    }

    fn new(config: PyHostConfig, folder: PathBuf, made: Option<tempfile::TempDir>) -> Self {
        let context = json!({
            "session": { "mode": "text", "conversationId": "conversation-1" },
            "capabilities": { "kv": true },
        });
        let host = Arc::new(PyHost::start(config));
        Self { host, folder, far: Arc::default(), context, _made: made }
    }

    pub(crate) fn write(&self, path: &str, source: &str) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    }

    pub(crate) async fn run(&self, handler: &str, args: Value, limit: Duration) -> Finished {
        self.run_as(handler, args, limit, Repeat::Never).await
    }

    pub(crate) async fn run_as(
        &self,
        handler: &str,
        args: Value,
        time_limit: Duration,
        repeat: Repeat,
    ) -> Finished {
        let run = HandlerRun {
            owner: "ana",
            tools_dir: &self.folder,
            code: None,
            handler,
            args: &args,
            context: &self.context,
            services: self.far.clone(),
            time_limit,
            repeat,
        };
        self.host.run_handler(run).await
    }

    /// The same call for another owner with separate services.
    pub(crate) async fn answer_for(
        &self,
        owner: &str,
        far: &Arc<FarSide>,
        handler: &str,
        args: Value,
    ) -> HandlerOutcome {
        let run = HandlerRun {
            owner,
            tools_dir: &self.folder,
            code: None,
            handler,
            args: &args,
            context: &self.context,
            services: far.clone(),
            time_limit: PATIENT,
            repeat: Repeat::Never,
        };
        self.host.run_handler(run).await.answer
    }

    pub(crate) async fn answer(&self, handler: &str, args: Value) -> HandlerOutcome {
        self.run(handler, args, PATIENT).await.answer
    }

    /// The returned value, with or without the envelope, or how the call ended.
    pub(crate) async fn data(&self, handler: &str, args: Value) -> Value {
        match self.answer(handler, args).await {
            HandlerOutcome::Returned(value) if value["ok"] == json!(true) => value["data"].clone(),
            HandlerOutcome::Returned(value) => value,
            HandlerOutcome::Threw(thrown) => json!(format!("threw: {}", thrown.message)),
            HandlerOutcome::Broke(breakdown) => json!(format!("broke: {breakdown}")),
        }
    }

    pub(crate) async fn side(
        &self,
        handler: &str,
        kind: HookKind<'_>,
        params: Value,
    ) -> Result<Value, HookFault> {
        let call = HookCall {
            owner: "ana",
            tools_dir: &self.folder,
            code: None,
            handler,
            kind,
            params: &params,
            context: &self.context,
            services: self.far.clone(),
            time_limit: PATIENT,
        };
        self.host.run_hook(call).await
    }

    pub(crate) async fn discover(&self, files: &[&str]) -> Vec<ModuleReport> {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        self.host.discover(&self.folder, &files).await
    }
}

fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}
