//! Runs scripts on a host that all tests share, or on a separate one.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hosts::python::find_python;
use hosts::{Finished, HandlerRun, JsHost, JsHostConfig, PyHost, PyHostConfig, Repeat};
use policy::{HandlerException, HandlerOutcome};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::fake_services::FarSide;

/// Long enough for a busy machine; no test waits for it.
const PATIENT: Duration = Duration::from_secs(60);

struct Stage {
    runtime: Runtime,
    host: JsHost,
    python: PyHost,
}

static STAGE: LazyLock<Stage> = LazyLock::new(|| {
    let runtime = runtime();
    let host = runtime.block_on(async { JsHost::start(config()) });
    Stage { runtime, host, python: PyHost::start(py_config()) }
});

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

pub(crate) fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_hosts-worker").into()
}

pub(crate) fn config() -> JsHostConfig {
    JsHostConfig::with_program(program())
}

/// The scratch folder lives as long as the test process.
pub(crate) fn py_config() -> PyHostConfig {
    static SCRATCH: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
    let python = find_python(&[]).unwrap();
    PyHostConfig::with_program(program(), python, SCRATCH.path().join("private"))
}

/// Anything that runs a handler.
pub(crate) trait Runs: Sync {
    fn run(&self, run: HandlerRun<'_>) -> impl Future<Output = Finished> + Send;
}

impl<T: Runs + Send> Runs for Arc<T> {
    async fn run(&self, run: HandlerRun<'_>) -> Finished {
        self.as_ref().run(run).await
    }
}

impl Runs for JsHost {
    async fn run(&self, run: HandlerRun<'_>) -> Finished {
        self.run_handler(run).await
    }
}

impl Runs for PyHost {
    async fn run(&self, run: HandlerRun<'_>) -> Finished {
        self.run_handler(run).await
    }
}

/// A handler and its input.
pub(crate) struct Script {
    handler: String,
    tools: tempfile::TempDir,
    files: Vec<(String, String)>,
    args: Value,
    context: Value,
    limit: Duration,
    repeat: Repeat,
    pub(crate) far: Arc<FarSide>,
}

/// A tool with this `handler.js`.
pub(crate) fn js(source: &str) -> Script {
    script("t/handler.js", source)
}

/// A tool with this `handler.py`.
pub(crate) fn py(source: &str) -> Script {
    script("t/handler.py", source)
}

/// A tool whose Python `execute` has this body.
pub(crate) fn py_body(body: &str) -> Script {
    let body = body.replace('\n', "\n    ");
    py(&format!("async def execute(args, context):\n    {body}\n"))
}

fn script(file: &str, source: &str) -> Script {
    let capabilities = json!({ "kv": true, "files": true, "net": true, "secrets": true,
        "attachments": true });
    Script {
        handler: file.into(),
        tools: tempfile::tempdir().unwrap(),
        files: vec![(file.into(), source.into())],
        args: json!({}),
        context: json!({
            "clientId": "client-1",
            "tool": { "id": "t", "version": "1.0.0", "idempotent": true },
            "session": { "isActive": true, "mode": "text", "state": {} },
            "call": { "id": "call-1", "idempotencyKey": "key-1" },
            "capabilities": capabilities,
        }),
        limit: PATIENT,
        repeat: Repeat::Safe,
        far: Arc::default(),
    }
}

/// A tool whose `execute` has this body.
pub(crate) fn body(body: &str) -> Script {
    js(&format!("export async function execute({{ args, context }}) {{\n{body}\n}}\n"))
}

impl Script {
    pub(crate) fn file(mut self, path: &str, source: &str) -> Self {
        self.files.push((path.into(), source.into()));
        self
    }

    /// Another file of the same folder, or another entry of the same file.
    pub(crate) fn handler(mut self, handler: &str) -> Self {
        self.handler = handler.into();
        self
    }

    pub(crate) fn args(mut self, args: Value) -> Self {
        self.args = args;
        self
    }

    pub(crate) fn context(mut self, key: &str, value: Value) -> Self {
        self.context[key] = value;
        self
    }

    pub(crate) fn limit_ms(mut self, limit_ms: u64) -> Self {
        self.limit = Duration::from_millis(limit_ms);
        self
    }

    pub(crate) fn never_repeated(mut self) -> Self {
        self.repeat = Repeat::Never;
        self
    }

    pub(crate) fn far(mut self, far: &Arc<FarSide>) -> Self {
        self.far = Arc::clone(far);
        self
    }

    pub(crate) async fn run_on(&self, host: &impl Runs) -> Finished {
        for (path, source) in &self.files {
            let path = self.tools.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if std::fs::read_to_string(&path).ok().as_ref() != Some(source) {
                std::fs::write(path, source).unwrap();
            }
        }
        host.run(HandlerRun {
            owner: "ana",
            tools_dir: self.tools.path(),
            code: None,
            handler: &self.handler,
            args: &self.args,
            context: &self.context,
            services: self.far.clone(),
            time_limit: self.limit,
            repeat: self.repeat,
        })
        .await
    }

    pub(crate) fn finish(&self) -> Finished {
        let Stage { runtime, host, python } = &*STAGE;
        runtime.block_on(async {
            match self.handler.contains(".py") {
                true => self.run_on(python).await,
                false => self.run_on(host).await,
            }
        })
    }

    pub(crate) fn answer(&self) -> HandlerOutcome {
        self.finish().answer
    }

    #[track_caller]
    pub(crate) fn value(&self) -> Value {
        match self.answer() {
            HandlerOutcome::Returned(value) => value,
            other => panic!("it did not return: {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn thrown(&self) -> HandlerException {
        match self.answer() {
            HandlerOutcome::Threw(thrown) => thrown,
            other => panic!("it did not throw: {other:?}"),
        }
    }

    /// How it broke, as text.
    #[track_caller]
    pub(crate) fn breakdown(&self) -> String {
        match self.answer() {
            HandlerOutcome::Broke(breakdown) => breakdown.to_string(),
            other => panic!("it did not break: {other:?}"),
        }
    }
}

pub(crate) fn on_shared_host<T>(work: impl AsyncFnOnce(&JsHost) -> T) -> T {
    let Stage { runtime, host, .. } = &*STAGE;
    runtime.block_on(work(host))
}
