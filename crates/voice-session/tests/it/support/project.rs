//! An engine with native tools that write, on a store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract::{Mode, ToolId};
use conversation::{Conversations, LogNotices, Opened, PromptForm, VoiceLog, VoiceStart};
use engine::{Engine, Hosts, Wiring};
use hosts::NativeHost;
use policy::ConversationId;
use registry::{LiveRegistry, read_tools};
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore, Store};
use testkit::{Gate, tool_folder};
use voice::ToolFacts;
use voice_session::tool_facts;

/// Tools: `book` writes and may be held up; `order` writes after an approval, and has a form;
/// `look` reads; `cook` asks for a dish first.
const TOOLS: [&str; 4] = ["book", "order", "look", "cook"];

pub(crate) struct Project {
    pub(crate) engine: Engine,
    pub(crate) conversations: Conversations,
    /// Every run of a handler.
    pub(crate) ran: Arc<Mutex<Vec<String>>>,
    /// `book` opens the first when it runs, and waits for the second.
    pub(crate) started: Gate,
    pub(crate) finish: Gate,
    _folder: tempfile::TempDir,
}

impl Project {
    /// Nothing is held up.
    pub(crate) fn new() -> Self {
        let project = Self::holding();
        project.finish.open();
        project
    }

    /// `book` waits until `finish` is opened.
    pub(crate) fn holding() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for tool in TOOLS {
            write_tool(folder.path(), tool);
        }
        let natives: BTreeSet<ToolId> = TOOLS.iter().map(|id| id.parse().unwrap()).collect();
        let build = read_tools(folder.path(), &natives).unwrap();
        assert_eq!(build.registry.len(), TOOLS.len(), "{:?}", build.faults);
        let (ran, started, finish) = (Arc::default(), Gate::new(), Gate::new());
        let host = Arc::new(host(&ran, &started, &finish));
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
        let hosts = Hosts { javascript: host.clone(), python: None, native: host };
        let notices = Arc::new(LogNotices::new(Arc::clone(&store)));
        let tools = (LiveRegistry::new(build.registry), folder.path());
        let engine = Engine::new(Wiring::usual(tools, store, hosts, notices).unwrap());
        let conversations = Conversations::new(engine.clone());
        Self { engine, conversations, ran, started, finish, _folder: folder }
    }

    pub(crate) fn runs(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    pub(crate) fn facts(&self) -> BTreeMap<String, ToolFacts> {
        tool_facts(&self.engine)
    }

    pub(crate) async fn log(&self) -> (VoiceLog, VoiceStart) {
        let id = ConversationId("talk".to_owned());
        let opened = Opened {
            client: "ana".to_owned(),
            mode: Mode::Voice,
            model: "script:scripted".to_owned(),
            system: String::new(),
            rounds_max: 8,
            prompt: PromptForm::InResult,
        };
        self.conversations.open(&id, opened).await.unwrap();
        self.conversations.open_voice(&id).await.unwrap()
    }
}

fn host(ran: &Arc<Mutex<Vec<String>>>, started: &Gate, finish: &Gate) -> NativeHost {
    let mut natives = NativeHost::new(1 << 20);
    for tool in TOOLS {
        let (ran, started, finish) = (Arc::clone(ran), started.clone(), finish.clone());
        natives.add(tool, move |args, context| {
            let answered = context.plain.pointer("/answers/meal").cloned();
            let (ran, started, finish) = (Arc::clone(&ran), started.clone(), finish.clone());
            async move {
                if tool == "cook" && answered.is_none() {
                    return Ok(json!({ "ask": { "meal": meal() } }));
                }
                let args = answered.unwrap_or(args);
                ran.lock().unwrap().push(format!("{tool} {args}"));
                if tool == "book" {
                    started.open();
                    finish.pass().await;
                }
                Ok(json!({ "ok": true, "data": { "done": tool } }))
            }
        });
    }
    natives
}

/// What `cook` asks.
pub(crate) fn meal() -> Value {
    json!({ "message": "About the meal.", "schema": { "type": "object", "required": ["dish"],
        "properties": { "dish": { "type": "string", "title": "What dish" },
            "portions": { "type": "integer", "title": "How many", "maximum": 20 } } } })
}

/// The form of `order`, which calls it.
pub(crate) fn order_form() -> Value {
    json!({ "id": "order", "type": "ui_v1", "label": "Order", "layout": { "type": "modal",
        "title": "An order", "components": [
            { "id": "what", "type": "text_input", "props": { "label": "What to order" } },
            { "id": "go", "type": "button", "props": { "label": "Order" }, "actions": [
                { "type": "tool_submit", "target": "order", "params": { "thing": "what" } }] },
        ] } })
}

fn write_tool(dir: &Path, id: &str) {
    let folder = dir.join(id);
    std::fs::create_dir_all(&folder).unwrap();
    let is_pure = ["look", "cook"].contains(&id);
    let (category, effects) = if is_pure { ("utility", "none") } else { ("action", "writes") };
    let mut schema: Value = json!({"toolId": id, "version": "1.0.0", "description": "Does it.",
        "category": category, "sideEffects": effects, "idempotent": is_pure,
        "requiresConfirmation": id == "order", "allowedModes": ["voice"], "latencyBudgetMs": 800,
        "parameters": {"type": "object", "additionalProperties": false,
            "properties": {"thing": {"type": "string", "description": "What."}}}});
    if id == "cook" {
        schema["asks"] = json!(["person"]);
    }
    if id == "order" {
        schema["ui"] = json!("ui.json");
        std::fs::write(folder.join("ui.json"), order_form().to_string()).unwrap();
    }
    tool_folder::write_tool(&folder, &schema.to_string(), "Does it.", "{}").unwrap();
}
