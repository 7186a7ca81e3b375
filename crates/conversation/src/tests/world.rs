//! A process with a few tools and a scripted model, and a store that survives it.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{
    Block, BoxFuture, Call, CallId, Delta, Deltas, Mode, Model, ModelFacts, ModelFault, Part,
    RejectedTool, Reply, ReplyFuture, Request, Sampling, StopReason, Usage,
};
use policy::{ConversationId, HandlerOutcome, Hook, HookKind, Host, Job};
use registry::{LiveRegistry, read_tools};
use serde_json::{Value, json};
use store::{ManualClock, SqliteOptions, SqliteStore, Store, Timestamp};
use testkit::tool_folder;

use crate::{
    ConversationEvent, LiveEvent, Opened, PromptForm, TurnObserver, TurnOptions, TurnResult,
};
use crate::{Conversations, LogNotices};
use engine::{Cancel, Engine, Hosts, Wiring};

/// Every run of a handler and every hook, in order.
pub(super) type Diary = Arc<Mutex<Vec<String>>>;

/// Handlers that record their runs. `wait` never ends on its own.
pub(super) struct Diarist(pub Diary);

impl Host for Diarist {
    fn run<'a>(&'a self, job: Job<'a>) -> policy::BoxFuture<'a, HandlerOutcome> {
        let call = job.run.call();
        let tool = call.tool().to_string();
        self.0.lock().unwrap().push(format!("{tool} {}", call.args()));
        let (services, answers) = (job.services, job.context["answers"].clone());
        Box::pin(async move {
            let data = match tool.as_str() {
                "survey" if answers.get("size").is_none() => {
                    return HandlerOutcome::Returned(json!({"ask": survey()}));
                }
                "survey" => answers,
                "wait" => std::future::pending().await,
                "speak" => {
                    for (channel, text) in
                        [("assistant", "Hel"), ("assistant", "lo. "), ("context", "secret plan")]
                    {
                        let chunk = json!({"channel": channel, "text": text});
                        services.call("chunk", chunk).await.unwrap();
                    }
                    json!("spoken")
                }
                "draw" => {
                    let artifacts = json!([{"name": "a.csv", "text": "a,b\n1,2"},
                        {"name": "b.md", "text": "the plan"}]);
                    let data = json!({"plan": "the plan"});
                    let answer = json!({"ok": true, "data": data, "artifacts": artifacts});
                    return HandlerOutcome::Returned(answer);
                }
                "fail" => {
                    return HandlerOutcome::Returned(json!({"ok": false, "error": {
                        "type": "TRANSIENT", "message": "not now", "retryable": false}}));
                }
                other => json!({"did": other}),
            };
            HandlerOutcome::Returned(json!({"ok": true, "data": data}))
        })
    }

    fn hook<'a>(&'a self, side: Hook<'a>) -> policy::BoxFuture<'a, Result<Value, String>> {
        self.0.lock().unwrap().push(format!("{:?} {}", side.what, side.handler));
        let answer = match side.what {
            HookKind::Condition => Ok(json!(true)),
            HookKind::Status => Ok(json!("3 waiting")),
            HookKind::Cleanup | HookKind::Ui(_) => Ok(Value::Null),
        };
        Box::pin(async move { answer })
    }
}

/// A tool directory with these fields over the ordinary ones.
pub(super) fn write_tool(dir: &Path, id: &str, fields: Value) {
    let folder = dir.join(id.replace('_', "-"));
    let mut changes = json!({"category": "action", "sideEffects": "writes", "idempotent": false});
    changes.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let schema = tool_folder::contract(id, &changes);
    tool_folder::write_tool(&folder, &schema.to_string(), &format!("Does {id}."), "{}").unwrap();
    std::fs::write(folder.join("handler.js"), "export function execute() {}").unwrap();
}

/// What `survey` asks.
fn survey() -> Value {
    let form = |name: &str, field: Value| {
        let schema = json!({"type": "object", "properties": {name: field}, "required": [name]});
        json!({"message": format!("Which {name}?"), "schema": schema})
    };
    let size = json!({"type": "integer", "minimum": 1, "maximum": 9});
    json!({"colour": form("colour", json!({"type": "string"})), "size": form("size", size)})
}

pub(super) fn pure() -> Value {
    json!({"category": "utility", "sideEffects": "none", "idempotent": true})
}

/// A model that answers from a list, and records its requests.
pub(super) struct Script {
    facts: ModelFacts,
    replies: Mutex<VecDeque<Result<Reply, ModelFault>>>,
    pub asked: Mutex<Vec<Request>>,
    /// The tools that its faults are about, while they are offered.
    pub refuses: Mutex<Vec<&'static str>>,
    pub tools_max: Mutex<Option<usize>>,
}

impl Script {
    pub(super) fn new(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        let facts = ModelFacts::named("script", "script");
        let replies = replies.into_iter().map(Ok).collect();
        Arc::new(Self {
            facts,
            replies: Mutex::new(replies),
            asked: Mutex::default(),
            refuses: Mutex::default(),
            tools_max: Mutex::default(),
        })
    }

    /// Fails first, then answers.
    pub(super) fn failing_first(reply: Reply) -> Arc<Self> {
        let script = Self::new([reply]);
        script.replies.lock().unwrap().push_front(Err(refusal()));
        script
    }

    pub(super) fn failing(fault: ModelFault) -> Arc<Self> {
        let script = Self::new([]);
        script.replies.lock().unwrap().push_back(Err(fault));
        script
    }
}

impl Model for Script {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        let next = self.replies.lock().unwrap().pop_front();
        Box::pin(async move {
            let Some(reply) = next else { return std::future::pending().await };
            if let Ok(reply) = &reply {
                deltas(Delta::Text(reply.text()));
            }
            reply
        })
    }

    fn tools_max(&self) -> Option<usize> {
        *self.tools_max.lock().unwrap()
    }

    fn blamed<'a>(
        &'a self,
        request: &'a Request,
        fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        let refused = self.refuses.lock().unwrap().clone();
        let is_offered = |tool: &&str| request.tools.iter().any(|offer| offer.id.as_str() == *tool);
        let blamed =
            |tool: &str| RejectedTool { tool: tool.into(), because: fault.message.clone() };
        let blamed = refused.into_iter().filter(|tool| is_offered(tool)).map(blamed).collect();
        Box::pin(std::future::ready(blamed))
    }
}

/// A fault of the request, which a retry does not fix.
pub(super) fn refusal() -> ModelFault {
    ModelFault {
        kind: contract::FaultKind::BadRequest,
        message: "script does not accept it (400: bad schema)".into(),
        fix: "change it".into(),
        status: Some(400),
        retry_after: None,
    }
}

pub(super) fn says(text: &str) -> Reply {
    let usage = Usage { input: 10, output: 2, ..Usage::default() };
    let (blocks, model) = (vec![Block::text(text)], "script".to_owned());
    Reply { blocks, stop: StopReason::EndTurn, usage, model, shaped: None }
}

/// Calls of tools, each with its own id.
pub(super) fn calls(calls: &[(&str, &str)]) -> Reply {
    let call = |(id, tool): &(&str, &str)| {
        let id = CallId(format!("call-{id}-0123456789"));
        let (tool, args) = ((*tool).to_owned(), json!({"text": id.0}));
        Part::Call(Call { id, tool, args }).into()
    };
    Reply { blocks: calls.iter().map(call).collect(), stop: StopReason::ToolUse, ..says("") }
}

/// Records what a person would see.
#[derive(Default)]
pub(super) struct Seen(pub Mutex<Vec<LiveEvent>>);

impl TurnObserver for Seen {
    fn live(&self, live: LiveEvent) {
        self.0.lock().unwrap().push(live);
    }
    fn event(&self, _event: &ConversationEvent) {}
}

pub(super) struct World {
    pub dir: tempfile::TempDir,
    pub store: Arc<SqliteStore>,
    pub clock: Arc<ManualClock>,
    pub diary: Diary,
    pub seen: Arc<Seen>,
}

pub(super) fn id() -> ConversationId {
    ConversationId("chat".into())
}

impl World {
    /// Tools: `look` and `peek` (pure), `note` (writes), `send` (writes, asks), `speak`
    /// (streams), `fail`, `wait`, `once` (one time), `weather` (auto).
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for id in ["look", "peek", "speak", "wait", "fail"] {
            write_tool(dir.path(), id, pure());
        }
        write_tool(dir.path(), "note", json!({}));
        write_tool(dir.path(), "send", json!({"requiresConfirmation": true}));
        let mut once = pure();
        once["oneTime"] = json!(true);
        write_tool(dir.path(), "once", once);
        let mut weather = pure();
        weather["auto"] = json!(true);
        write_tool(dir.path(), "weather", weather);
        let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000_000)));
        let store = SqliteStore::temporary(SqliteOptions::with_clock(Arc::clone(&clock))).unwrap();
        let (diary, seen) = (Diary::default(), Arc::default());
        Self { dir, store: Arc::new(store), clock, diary, seen }
    }

    pub(super) fn conversations(&self) -> Conversations {
        self.conversations_on(Arc::clone(&self.store) as Arc<dyn Store>)
    }

    pub(super) fn conversations_on(&self, store: Arc<dyn Store>) -> Conversations {
        let build = read_tools(self.dir.path(), &BTreeSet::new()).unwrap();
        assert!(!build.faults.has_errors(), "{:?}", build.faults);
        let host = Arc::new(Diarist(Arc::clone(&self.diary)));
        let notices = Arc::new(LogNotices::new(Arc::clone(&store)));
        let hosts = Hosts { javascript: host.clone(), python: None, native: host };
        let tools = (LiveRegistry::new(build.registry), self.dir.path());
        let wiring = Wiring::usual(tools, store, hosts, notices).unwrap();
        Conversations::new(Engine::new(Wiring { clock: self.clock.clone(), ..wiring }))
    }

    pub(super) fn answerer(&self, model: Arc<dyn Model>) -> TurnOptions {
        TurnOptions {
            model,
            observer: self.seen.clone(),
            cancel: Cancel::default(),
            output_tokens_max: None,
            sampling: Sampling::default(),
            can_ask: Vec::new(),
        }
    }

    /// All recorded runs.
    pub(super) fn done(&self) -> Vec<String> {
        self.diary.lock().unwrap().clone()
    }

    /// How often handlers of this tool ran.
    pub(super) fn ran(&self, tool: &str) -> usize {
        self.done().iter().filter(|line| line.starts_with(&format!("{tool} "))).count()
    }

    /// Runs a turn that a person stops as soon as this tool has run.
    pub(super) async fn run_stopped_after(
        &self,
        tool: &str,
        conversations: &Conversations,
        by: &TurnOptions,
    ) -> TurnResult {
        let stop = async {
            while self.ran(tool) == 0 {
                tokio::task::yield_now().await;
            }
            by.cancel.cancel();
        };
        let conversation = id();
        let (end, ()) = tokio::join!(conversations.run_turn(&conversation, by), stop);
        end.unwrap()
    }

    /// Long enough for all leases of a dead process to expire.
    pub(super) fn after_a_while(&self) {
        self.clock.advance(Duration::from_secs(700));
    }
}

pub(super) fn opened() -> Opened {
    Opened {
        client: "ana".into(),
        mode: Mode::Text,
        model: "script:script".into(),
        system: "You are brief.".into(),
        rounds_max: 4,
        prompt: PromptForm::InResult,
    }
}

/// The events of the conversation, without their times.
pub(super) async fn events(conversations: &Conversations) -> Vec<ConversationEvent> {
    conversations.events(&id()).await.unwrap().into_iter().map(|record| record.event).collect()
}
