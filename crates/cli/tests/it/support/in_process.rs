//! An engine in this process, with the real JavaScript host and the real store, over one tool that
//! a test writes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use contract::{Call, CallId, Mode, ToolId};
use engine::{CallOrigin, Engine, Hosts, Wiring};
use hosts::js::{JsHost, JsHostConfig};
use hosts::native::NativeHost;
use policy::{ConversationId, Host, Limits};
use registry::{LiveRegistry, read_tools};
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore, Store};
use testkit::tool_folder;
use tokio::runtime::Runtime;

/// Children are dear, so all tests of a process share them.
static STAGE: LazyLock<(Runtime, Arc<dyn Host>)> = LazyLock::new(|| {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let program = env!("CARGO_BIN_EXE_ghosthand").into();
    let host = runtime.block_on(async { JsHost::start(JsHostConfig::with_program(program)) });
    (runtime, Arc::new(host))
});

pub(crate) fn on_stage<T>(work: impl Future<Output = T>) -> T {
    STAGE.0.block_on(work)
}

/// The contract of the tool `t`, which a test changes as it needs.
pub(crate) fn schema() -> Value {
    json!({
        "toolId": "t", "version": "1.0.0", "description": "Do a thing.", "category": "action",
        "sideEffects": "writes", "idempotent": false, "requiresConfirmation": false,
        "allowedModes": ["text", "voice"], "latencyBudgetMs": 60_000,
        "parameters": { "type": "object", "additionalProperties": false, "properties": {
            "text": { "type": "string", "description": "A text." } } },
    })
}

/// Writes the tool below `tools`; without a handler it is a native one.
pub(crate) fn write_tool(tools: &Path, schema: &Value, handler: Option<&str>) {
    let folder = tools.join("t");
    let summary = "Do a thing.\nUse it to test.\n";
    tool_folder::write_tool(&folder, &schema.to_string(), summary, "{}").unwrap();
    if let Some(handler) = handler {
        std::fs::write(folder.join("handler.js"), handler).unwrap();
    }
}

/// The tool in a directory of its own, with a store that is gone afterwards.
pub(crate) struct World {
    pub engine: Engine,
    _dir: tempfile::TempDir,
}

impl World {
    /// `body` is the body of `execute`.
    pub(crate) fn new(schema: &Value, body: &str) -> Self {
        let handler = format!(
            "import {{ ToolError }} from '../_core/error-types.js';\n\
             export async function execute({{ args, context }}) {{\n{body}\n}}\n"
        );
        let dir = tempfile::tempdir().unwrap();
        write_tool(dir.path(), schema, Some(&handler));
        let _guard = STAGE.0.enter();
        let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
        let engine = engine(dir.path(), Arc::new(store), NativeHost::new(1 << 20));
        Self { engine, _dir: dir }
    }
}

/// An engine over these tools; must be called on a runtime.
pub(crate) fn engine(tools: &Path, store: Arc<dyn Store>, native: NativeHost) -> Engine {
    let natives: BTreeSet<ToolId> = ["t".parse().unwrap()].into();
    let build = read_tools(tools, &natives).unwrap();
    assert!(!build.faults.has_errors(), "{:?}", build.faults);
    // No person and no far side is waited for between two tries.
    let mut text_limits = Limits::text();
    text_limits.retry.pause_ms.first = 0;
    let hosts = Hosts { javascript: Arc::clone(&STAGE.1), python: None, native: Arc::new(native) };
    let notices = Arc::new(conversation::LogNotices::new(Arc::clone(&store)));
    let tools = (LiveRegistry::new(build.registry), tools);
    let wiring = Wiring::usual(tools, store, hosts, notices).unwrap();
    Engine::new(Wiring { text_limits, ..wiring })
}

pub(crate) fn origin(conversation: &str, mode: Mode) -> CallOrigin {
    CallOrigin {
        conversation: ConversationId(conversation.to_owned()),
        client: "ana".to_owned(),
        mode,
        turn: 1,
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: None,
        active: true,
    }
}

pub(crate) fn call(id: &str, args: Value) -> Call {
    Call { id: CallId(id.to_owned()), tool: "t".to_owned(), args }
}
