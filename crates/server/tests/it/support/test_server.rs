//! A server with a few tools, on a free loopback port.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cards::{Answerer, AskSettings, Chunking, Library};
use cards_web::{CardsLimits, CardsWeb, WebPage};
use contract::Model;
use engine::{Engine, Hosts, Wiring};
use policy::{BoxFuture, HandlerOutcome, Hook, HookKind, Host, Job};
use providers::Providers;
use registry::{LiveRegistry, Registry, read_tools_with};
use serde_json::{Value, json};
use server::{Program, RenderPool, Server, ServerLimits, Telemetry, Token, Tokens};
use services::ServiceLimits;
use store::{PageRequest, SqliteOptions, SqliteStore, Store};
use testkit::script::ScriptedModel;
use testkit::tool_folder;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::client::{Client, Event, Events};
use crate::support::form_tools::{Game, ManualClock, Reports};

/// Handlers: `speak` writes to all channels, `survey` asks for a size, the others report that
/// they ran.
struct Handlers(Arc<AtomicUsize>);

impl Host for Handlers {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let tool = job.run.call().tool().to_string();
        let (services, size) = (job.services, job.context["answers"].get("size").cloned());
        Box::pin(async move {
            if tool == "survey" && size.is_none() {
                let schema = json!({"type": "object", "required": ["size"], "properties": {
                    "size": {"type": "integer", "minimum": 1, "maximum": 9}}});
                let question = json!({"message": "Which size?", "schema": schema});
                return HandlerOutcome::Returned(json!({"ask": {"size": question}}));
            }
            if tool == "speak" {
                for (channel, text) in
                    [("assistant", "Hel"), ("assistant", "lo."), ("context", "secret plan")]
                {
                    let chunk = json!({"channel": channel, "text": text});
                    services.call("chunk", chunk).await.unwrap();
                }
            }
            let artifacts = match tool.as_str() {
                "draw" => json!([{"name": "seen.csv", "text": "name,count\nfox,2\n"}]),
                _ => json!([]),
            };
            let mut data = json!({"did": tool});
            if let Some(size) = size {
                data["size"] = size;
            }
            HandlerOutcome::Returned(json!({"ok": true, "data": data, "artifacts": artifacts}))
        })
    }

    fn hook<'a>(&'a self, side: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        let answer = match side.what {
            HookKind::Condition => json!(true),
            HookKind::Status | HookKind::Cleanup => Value::Null,
            HookKind::Ui(_) => json!({"success": true, "message": side.params}),
        };
        Box::pin(async move { Ok(answer) })
    }
}

/// The web has the same page everywhere.
fn web_page(url: String) -> WebPage {
    let bytes = "<title>Rīts</title><p>Suns rej.".as_bytes().to_vec();
    WebPage { url, media_type: Some("text/html; charset=utf-8".to_owned()), bytes }
}

fn write_tool(dir: &Path, id: &str, fields: Value) {
    let folder = dir.join(id);
    let schema = tool_folder::contract(id, &fields);
    tool_folder::write_tool(&folder, &schema.to_string(), &format!("Does {id}."), "{}").unwrap();
    std::fs::write(folder.join("handler.js"), "export function execute() {}").unwrap();
}

/// What survives a restart: the tools and the store.
pub(crate) struct World {
    dir: tempfile::TempDir,
    pub store: Arc<SqliteStore>,
    pub ran: Arc<AtomicUsize>,
    pub limits: ServerLimits,
    pub services: ServiceLimits,
    pub tokens: Vec<Token>,
    pub programs: Vec<Program>,
    pub telemetry: Option<Telemetry>,
    pub render_pool: RenderPool,
    /// 0 for any that is free.
    pub port: u16,
    pub clock: ManualClock,
    pub cards_limits: CardsLimits,
    /// How often conditions were evaluated.
    pub conditions: Arc<AtomicUsize>,
}

pub(crate) struct Served {
    pub client: Client,
    /// The live registry, as in a process that watches the files.
    pub registry: LiveRegistry,
    end: Mutex<Option<oneshot::Sender<()>>>,
    done: JoinHandle<()>,
}

impl World {
    /// Adds the owners `ana`, who is the operator, and `ben`; their tokens.
    pub(crate) fn add_owners(&mut self) -> (&'static str, &'static str) {
        let (ana, ben) = ("ana-0123456789abcdef", "ben-0123456789abcdef");
        for token in [format!("ana={ana}"), format!("ben={ben}")] {
            self.tokens.push(Token::parse(&token).unwrap());
        }
        (ana, ben)
    }

    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        write_tool(dir.path(), "look", json!({}));
        write_tool(dir.path(), "speak", json!({}));
        write_tool(
            dir.path(),
            "send",
            json!({"category": "action", "sideEffects": "writes", "idempotent": false,
                "requiresConfirmation": true}),
        );
        let store = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
        let limits =
            ServerLimits { shutdown_time_max: Duration::from_secs(5), ..ServerLimits::machine() };
        let (ran, tokens, programs) = (Arc::default(), Vec::new(), Vec::new());
        let (clock, conditions) = (ManualClock::default(), Arc::default());
        let services = ServiceLimits::ORDINARY;
        let (telemetry, render_pool) = (None, RenderPool::new(2));
        let cards_limits = CardsLimits::machine();
        Self {
            dir,
            store,
            ran,
            limits,
            services,
            tokens,
            programs,
            telemetry,
            render_pool,
            cards_limits,
            port: 0,
            clock,
            conditions,
        }
    }

    pub(crate) fn write_tool(&self, id: &str, fields: Value) {
        write_tool(self.dir.path(), id, fields);
    }

    /// Writes a module of tools: what Python would report about it.
    pub(crate) fn write_module(&self, file: &str, items: &Value) {
        std::fs::write(self.dir.path().join(file), format!("TOOLS = {items}")).unwrap();
    }

    pub(crate) fn registry(&self) -> Registry {
        let build = read_tools_with(self.dir.path(), &BTreeSet::new(), &Reports).unwrap();
        assert!(!build.faults.has_errors(), "{:?}", build.faults);
        build.registry
    }

    pub(crate) async fn serve(&self, model: &Arc<ScriptedModel>) -> Served {
        let model: Arc<dyn Model> = model.clone();
        let providers = Providers::only(Arc::clone(&model)).unwrap();
        self.serve_with(model, providers).await
    }

    /// Conversations choose among these providers; the flashcards ask `model`.
    pub(crate) async fn serve_with(&self, model: Arc<dyn Model>, providers: Providers) -> Served {
        let engine = self.engine();
        let cards = CardsWeb {
            library: Library::new(self.store.clone(), Arc::new(models::SystemClock)),
            answerer: Answerer { model: Arc::clone(&model), batches: None },
            meter: Arc::new(|_, answerer| answerer),
            ask: AskSettings::usual(),
            chunking: Chunking::usual(),
            fetch: Some(Arc::new(|url| Box::pin(async move { Ok(web_page(url)) }))),
            speaker: None,
            anki: None,
            limits: self.cards_limits,
        };
        let registry = engine.registry().clone();
        let server = Server {
            engine,
            providers,
            tokens: Tokens::new(&self.tokens).unwrap().with_programs(&self.programs).unwrap(),
            names: Vec::new(),
            system_prompt: "Be kind.".to_owned(),
            rounds_max: 4,
            output_tokens_max: None,
            telemetry: self.telemetry.clone(),
            condition_clock: Arc::new(self.clock.clone()),
            limits: self.limits,
            render_pool: self.render_pool.clone(),
            extensions: vec![cards.extension()],
        };
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel::<()>();
        let done = tokio::spawn(async move {
            let ended = async move { drop(ended.await) };
            server.run(listener, ended).await.unwrap();
        });
        let client = Client { address, token: None };
        Served { client, registry, end: Mutex::new(Some(end)), done }
    }

    /// Every key of the store with its value, one per line.
    pub(crate) async fn stored_values(&self) -> String {
        let mut lines = String::new();
        for start in
            ["login/", "approval", "conversation/", "lease/", "ledger/", "pad", "kv", "share/"]
        {
            let prefix = start.parse().unwrap();
            let page = self.store.kv().list(&prefix, PageRequest::first(1_000)).await.unwrap();
            for entry in page.items {
                lines.push_str(&format!("{} {}\n", entry.key, entry.value.as_str()));
            }
        }
        lines
    }

    pub(crate) fn engine(&self) -> Engine {
        let game = Arc::new(Game { conditions: Arc::clone(&self.conditions) });
        let host = Arc::new(Handlers(Arc::clone(&self.ran)));
        let hosts = Hosts { javascript: host.clone(), python: Some(game), native: host };
        let notices = Arc::new(conversation::LogNotices::new(self.store.clone()));
        let tools = (LiveRegistry::new(self.registry()), self.dir.path());
        let wiring = Wiring::usual(tools, self.store.clone(), hosts, notices).unwrap();
        Engine::new(Wiring { service_limits: self.services, ..wiring })
    }
}

impl Served {
    pub(crate) async fn end(self) {
        drop(self.end.lock().unwrap().take());
        self.done.await.unwrap();
    }

    pub(crate) fn of(&self, secret: &str) -> Client {
        Client { token: Some(secret.to_owned()), ..self.client.clone() }
    }
}

/// Creates a conversation and returns its path.
pub(crate) async fn begin(client: &Client) -> String {
    let response = client.send("POST", "/api/conversations", json!({})).await;
    assert_eq!(response.status, 201, "{}", response.text);
    format!("/api/conversations/{}", response.json()["id"].as_str().unwrap())
}

pub(crate) async fn say(client: &Client, path: &str, text: &str) {
    let response = client.send("POST", &format!("{path}/messages"), json!({"text": text})).await;
    assert_eq!(response.status, 202, "{}", response.text);
}

/// Begins a conversation with a message; its path, and what follows.
pub(crate) async fn begin_with(client: &Client, text: &str) -> (String, Events) {
    let path = begin(client).await;
    let stream = client.stream(&format!("{path}/stream"), None).await;
    say(client, &path, text).await;
    (path, stream)
}

/// Sends a message, and waits until the turn has ended.
pub(crate) async fn answered(client: &Client, path: &str, text: &str) -> Vec<Event> {
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    say(client, path, text).await;
    let events = stream.until("RUN_FINISHED").await;
    at_rest(client, path).await;
    events
}

/// Approves the call that waits, and returns the path at which it was answered.
pub(crate) async fn approve_open(client: &Client) -> String {
    let open = client.get("/api/approvals").await.json();
    let answer = format!("/api/approvals/{}", open[0]["id"].as_str().unwrap());
    let response = client.send("POST", &answer, json!({"answer": "approve"})).await;
    assert_eq!(response.status, 202, "{}", response.text);
    answer
}

/// Waits until no turn runs.
pub(crate) async fn at_rest(client: &Client, path: &str) {
    while client.get(path).await.json()["running"] == true {
        tokio::task::yield_now().await;
    }
}
