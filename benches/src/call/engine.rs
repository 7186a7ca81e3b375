//! An engine as the program sets it up: a real store on disk, real hosts, the limits of text.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, create_dir};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use contract::{Call, CallId, Mode, ToolId};
use engine::{CallOrigin, Engine, Hosts, Wiring};
use hosts::{JsHost, JsHostConfig, NativeHost};
use policy::{ConversationId, VerdictKind};
use registry::{LiveRegistry, read_tools};
use serde_json::{Value, json};
use store::{OpenFault, SqliteOptions, SqliteStore, Store};

use super::tools::{ADD_NATIVE, NOTE_NATIVE, TICK_NATIVE, write_all};
use crate::measure::rounds::Lane;
use crate::streams::tick;

const RESULT_BYTES_MAX: usize = 8 << 20;
/// After this many turns a caller begins another conversation, as people do.
const TURNS_MAX: u64 = 50;

/// An engine with its own tools, hosts and store; its folder is deleted on drop.
pub(crate) struct BenchEngine {
    pub engine: Engine,
    pub javascript: Arc<JsHost>,
    pub store: Arc<dyn Store>,
    folder: tempfile::TempDir,
}

impl BenchEngine {
    /// Opens an engine whose store is below `target`: on a disk, unlike many a `/tmp`.
    pub(crate) async fn open(target: &Path) -> Result<Self> {
        Self::open_with(target, |folder| {
            SqliteStore::open(&folder.join("store.db"), SqliteOptions::machine())
        })
        .await
    }

    /// The same, except that nothing waits for the disk.
    pub(crate) async fn open_unsynced(target: &Path) -> Result<Self> {
        Self::open_with(target, |_| SqliteStore::temporary(SqliteOptions::machine())).await
    }

    async fn open_with(
        target: &Path,
        store: impl Fn(&Path) -> Result<SqliteStore, OpenFault>,
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("bench-call-").tempdir_in(target)?;
        let tools = folder.path().join("tools");
        create_dir(&tools)?;
        write_all(&tools)?;
        let natives = [ADD_NATIVE, NOTE_NATIVE, TICK_NATIVE].map(str::parse::<ToolId>);
        let natives = natives.into_iter().collect::<Result<BTreeSet<_>, _>>()?;
        let build = read_tools(&tools, &natives)?;
        ensure!(build.registry.len() == 5, "the tools are sound: {:?}", build.faults);
        let javascript = Arc::new(JsHost::start(JsHostConfig::new()));
        javascript.level().await.map_err(anyhow::Error::msg)?;
        let store: Arc<dyn Store> = Arc::new(store(folder.path())?);
        let hosts = Hosts {
            javascript: javascript.clone(),
            python: None,
            native: Arc::new(natives_over(&folder.path().join(NOTES_FILE))?),
        };
        let notices = Arc::new(conversation::LogNotices::new(Arc::clone(&store)));
        let registered = (LiveRegistry::new(build.registry), tools.as_path());
        let wiring = Wiring::usual(registered, Arc::clone(&store), hosts, notices)?;
        let engine = Engine::new(Wiring { project: folder.path().to_owned(), ..wiring });
        Ok(Self { engine, javascript, store, folder })
    }

    pub(crate) fn tools_dir(&self) -> PathBuf {
        self.folder.path().join("tools")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How many lines the writing tool has written.
    pub(crate) fn lines_written(&self) -> Result<usize> {
        let text = std::fs::read_to_string(self.folder.path().join(NOTES_FILE))?;
        Ok(text.lines().count())
    }
}

const NOTES_FILE: &str = "notes.txt";

fn natives_over(notes: &Path) -> Result<NativeHost> {
    let mut natives = NativeHost::new(RESULT_BYTES_MAX);
    natives.add(ADD_NATIVE, |args, _context| async move { Ok(answer(&args)) });
    natives.add(TICK_NATIVE, |args, context| async move {
        tick(number(&args, "a"), number(&args, "b"), &context).await;
        Ok(answer(&args))
    });
    let notes = OpenOptions::new().create(true).append(true).open(notes)?;
    let notes = Arc::new(Mutex::new(notes));
    natives.add(NOTE_NATIVE, move |args, _context| {
        let notes = Arc::clone(&notes);
        async move {
            // A missing line shows when they are counted.
            let _ = note(&notes, &args);
            Ok(answer(&args))
        }
    });
    Ok(natives)
}

fn note(notes: &Mutex<File>, args: &Value) -> std::io::Result<()> {
    let line = format!("{args}\n");
    notes.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
}

fn answer(args: &Value) -> Value {
    json!({"ok": true, "data": {"sum": number(args, "a") + number(args, "b")}})
}

fn number(args: &Value, name: &str) -> u64 {
    args.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// Calls a tool repeatedly: a new turn for each call, and a new conversation from time to time.
pub(crate) struct Caller {
    engine: Engine,
    tool: &'static str,
    /// Counts the calls, so that all are different.
    made: u64,
    name: u64,
}

static CALLERS: AtomicU64 = AtomicU64::new(0);

impl Caller {
    pub(crate) fn of(engine: &Engine, tool: &'static str) -> Self {
        let name = CALLERS.fetch_add(1, Ordering::Relaxed);
        Self { engine: engine.clone(), tool, made: 0, name }
    }
}

impl Lane for Caller {
    async fn call(&mut self) -> Result<()> {
        let (name, made) = (self.name, self.made);
        self.made += 1;
        let origin = CallOrigin {
            conversation: ConversationId(format!("talk-{name}-{}", made / TURNS_MAX)),
            client: format!("client-{name}"),
            mode: Mode::Text,
            turn: made % TURNS_MAX + 1,
            somebody_to_ask: false,
            can_ask: Vec::new(),
            model: None,
            active: true,
        };
        let call = Call {
            id: CallId(format!("call-{name:06}-{made:06}")),
            tool: self.tool.to_owned(),
            args: json!({"a": made, "b": name}),
        };
        let settled = self.engine.settle(&origin, &call).await;
        let sum = settled.outcome.as_ref().ok().and_then(|data| data.get("sum")?.as_u64());
        let ran = settled.verdict == VerdictKind::Run && sum == Some(made + name);
        ensure!(ran, "the call ran and gave {}: {settled:?}", made + name);
        Ok(())
    }
}

/// The workspace's `target` folder.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("the workspace is above the benches")?.join("target"))
}
