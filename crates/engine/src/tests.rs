//! A handler starts only after an approval, and a write at most once, wherever the process dies.

mod answers;
mod asking;
mod entries;
mod guards;
mod questions;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract::{Call, CallId, Mode, Model, Secret, SecretName};
use policy::{
    BoxFuture, ConversationId, HandlerOutcome, Host, Job, LedgerState, Limits, VerdictKind,
};
use registry::{LiveRegistry, ModuleItem, ModuleReader, ModuleReport, read_tools_with};
use serde_json::{Value, json};
use services::{DropEvents, NoSecrets, Notice, NoticeFault, Notices, Secrets};
use store::{ManualClock, SqliteOptions, SqliteStore, Store, Timestamp};
use testkit::faulty_store::{Counted, FaultyStore, StoreFailure};
use testkit::tool_folder;
use tokio::sync::Notify;

use crate::{CallOrigin, Engine, EngineLimits, Hosts, Waiting, Wiring};

/// A handler that counts how often it ran.
struct Counter(Arc<AtomicUsize>);

impl Host for Counter {
    fn run<'a>(&'a self, _job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(
            async move { HandlerOutcome::Returned(json!({"ok": true, "data": {"line": number}})) },
        )
    }
}

/// A handler that reads a secret and puts it everywhere it can.
struct Leaky;

const CANARY: &str = "canary-7f3a9c";

impl Host for Leaky {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move {
            let secret = job.services.call("secrets.get", json!({"name": "CANARY"})).await;
            let secret = secret.unwrap().as_str().unwrap().to_owned();
            assert_eq!(secret, CANARY);
            let intents = json!([{"type": "SET_PENDING_MESSAGE", "message": &secret}]);
            let data = json!({ secret.clone(): [&secret, { "in": format!("x{secret}y") }] });
            HandlerOutcome::Returned(json!({"ok": true, "data": data, "intents": intents}))
        })
    }
}

struct Canary;

impl Secrets for Canary {
    fn get(&self, _name: &SecretName) -> Option<Secret> {
        Some(Secret::new(CANARY))
    }
}

struct NoConversations;

impl Notices for NoConversations {
    fn leave(&self, _notice: Notice) -> BoxFuture<'static, Result<(), NoticeFault>> {
        Box::pin(async { Err(NoticeFault("there are no conversations".to_owned())) })
    }
}

const SCHEMA: &str = r#"{"toolId": "line_add", "version": "1.0.0", "description": "Add a line.",
    "category": "action", "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true,
    "allowedModes": ["text"], "latencyBudgetMs": 500, "parameters": {"type": "object",
    "additionalProperties": false, "required": ["text"], "properties": {"text": {"type": "string"}}}}"#;

fn write_tool(dir: &Path) {
    let folder = dir.join("line-add");
    tool_folder::write_tool(&folder, SCHEMA, "Add a line.", r#"{"text": "a"}"#).unwrap();
    std::fs::write(folder.join("handler.js"), "export function execute() {}").unwrap();
}

/// Every module holds a form, and nothing that can be called.
struct OneForm;

impl ModuleReader for OneForm {
    fn read(&self, _: &Path, files: &[String]) -> Vec<ModuleReport> {
        let form = ModuleItem {
            name: "form".to_owned(),
            schema: json!({"name": "form", "description": "A form."}),
            ui_feature: Some(json!({"id": "form"})),
            ..ModuleItem::default()
        };
        let report = |file: &String| ModuleReport {
            file: file.clone(),
            items: vec![form.clone()],
            ..ModuleReport::default()
        };
        files.iter().map(report).collect()
    }
}

/// A project with one tool, and a store that outlives its engines.
struct World {
    dir: tempfile::TempDir,
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
    ran: Arc<AtomicUsize>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        write_tool(dir.path());
        let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000_000)));
        let store = SqliteStore::temporary(SqliteOptions::with_clock(Arc::clone(&clock))).unwrap();
        Self { dir, store: Arc::new(store), clock, ran: Arc::default() }
    }

    fn engine(&self, store: Arc<dyn Store>) -> Engine {
        self.engine_with(store, Arc::new(Counter(Arc::clone(&self.ran))), Arc::new(NoSecrets))
    }

    fn engine_with(
        &self,
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        secrets: Arc<dyn Secrets>,
    ) -> Engine {
        Engine::new(self.wiring(store, host, secrets))
    }

    /// With a model that tools may ask.
    fn engine_asking(&self, host: Arc<dyn Host>, model: Option<Arc<dyn Model>>) -> Engine {
        let wiring = self.wiring(self.store.clone(), host, Arc::new(NoSecrets));
        Engine::new(Wiring { model, ..wiring })
    }

    fn wiring(
        &self,
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        secrets: Arc<dyn Secrets>,
    ) -> Wiring {
        let build = read_tools_with(self.dir.path(), &BTreeSet::new(), &OneForm).unwrap();
        assert!(build.faults.is_empty(), "{:?}", build.faults);
        let hosts = Hosts { javascript: host.clone(), python: None, native: host };
        let tools = (LiveRegistry::new(build.registry), self.dir.path());
        let wiring = Wiring::usual(tools, store, hosts, Arc::new(NoConversations)).unwrap();
        Wiring { clock: self.clock.clone(), secrets, ..wiring }
    }

    /// An engine whose process dies at one write, and the signal that it did.
    fn dying(&self, failure: StoreFailure, write: usize) -> (Engine, Arc<Notify>) {
        let dead = Arc::new(Notify::new());
        let signal = Arc::clone(&dead);
        let on_failure = move || signal.notify_one();
        let (inner, at) = (Arc::clone(&self.store), (failure, write));
        let store = FaultyStore::new(inner, at, Counted::Keys, on_failure);
        (self.engine(Arc::new(store)), dead)
    }

    /// An engine with a store that works.
    fn working(&self) -> Engine {
        self.engine(Arc::clone(&self.store) as Arc<dyn Store>)
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

fn origin() -> CallOrigin {
    CallOrigin {
        conversation: ConversationId("here".into()),
        client: "ana".into(),
        mode: Mode::Text,
        turn: 1,
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: None,
        active: true,
    }
}

fn call() -> Call {
    let id = CallId("call-0123456789".into());
    Call { id, tool: "line_add".into(), args: json!({"text": "hello"}) }
}

/// Asks, answers with the payload, and settles again.
async fn answered(engine: &Engine, answer: &Value) -> Option<Result<Value, contract::ToolError>> {
    let settled = engine.settle(&origin(), &call()).await;
    let Some(Waiting::Approval(asked)) = settled.waiting else { return Some(settled.outcome) };
    let mut payload = answer.clone();
    payload["request"] = json!(asked.request.id);
    let asked = engine.answer(&payload.to_string()).await.ok()?;
    Some(engine.resume(&asked).await.outcome)
}

/// The process dies before or after every write, and starts again; the effect happens at most
/// once, and the ledger says what is known.
#[tokio::test]
async fn a_write_happens_at_most_once_wherever_the_process_dies() {
    let mut finished = 0;
    for write in 0..8 {
        for failure in [StoreFailure::DieBefore, StoreFailure::DieAfter] {
            let world = World::new();
            let (dying, dead) = world.dying(failure, write);
            let approve = json!({"answer": "approve"});
            tokio::select! {
                _ = answered(&dying, &approve) => finished += 1,
                () = dead.notified() => {}
            }
            drop(dying);
            let before = world.ran();
            let engine = world.working();
            for _ in 0..3 {
                answered(&engine, &approve).await;
            }
            assert!(world.ran() <= 1, "{failure:?} {write}: ran {} times", world.ran());
            let ledger = engine.ledger().await.unwrap();
            let done =
                ledger.iter().any(|line| matches!(line.entry.state, LedgerState::Done { .. }));
            let open =
                ledger.iter().any(|line| matches!(line.entry.state, LedgerState::Started { .. }));
            assert!(done || open || world.ran() == 0, "{failure:?} {write}: {ledger:?}");
            assert!(before <= world.ran());
        }
    }
    assert!(finished >= 2, "some process must get past the last write");
}

/// Only an exact, fresh approval starts the handler.
#[tokio::test]
async fn only_an_approval_starts_a_handler() {
    for answer in [
        json!({"answer": "decline"}),
        json!({"answer": "decline", "reason": "no"}),
        json!({"answer": "yes"}),
        json!({"answer": "approve", "token": "x"}),
        json!({"answer": "APPROVE"}),
        json!({}),
        json!({"answer": true}),
        json!({"answer": "edit"}),
        json!({"answer": "edit", "args": {"wrong": 1}}),
        json!({"answer": "instead", "data": {"line": 7}}),
    ] {
        let world = World::new();
        answered(&world.working(), &answer).await;
        assert_eq!(world.ran(), 0, "{answer}");
    }
    let world = World::new();
    let outcome = answered(&world.working(), &json!({"answer": "approve"})).await;
    assert_eq!((world.ran(), outcome), (1, Some(Ok(json!({"line": 0})))));
}

#[tokio::test]
async fn an_edit_runs_the_persons_arguments_and_an_answer_replaces_the_run() {
    let world = World::new();
    let edit = json!({"answer": "edit", "args": {"text": "better"}});
    assert!(answered(&world.working(), &edit).await.unwrap().is_ok());
    assert_eq!(world.ran(), 1);
    let world = World::new();
    let instead =
        answered(&world.working(), &json!({"answer": "instead", "data": {"line": 7}})).await;
    assert_eq!((world.ran(), instead), (0, Some(Ok(json!({"line": 7})))));
}

/// Edited arguments are asked about again if they need another approval, and run as edited.
#[tokio::test]
async fn edited_arguments_that_need_another_approval_run_as_edited() {
    let world = World::new();
    let engine = world.working();
    let better = json!({"text": "better"});
    let edit = json!({"answer": "edit", "args": better});
    assert!(answered(&engine, &edit).await.unwrap().is_ok());
    let second = Call { id: CallId("call_second_0123456789".into()), ..call() };
    let mut settled = engine.settle(&origin(), &second).await;
    for (answer, args) in [(edit, second.args.clone()), (json!({"answer": "approve"}), better)] {
        let waiting = settled.waiting.take();
        let Some(Waiting::Approval(asked)) = waiting else { panic!("{settled:?}") };
        assert_eq!(asked.request.args, args);
        let mut payload = answer;
        payload["request"] = json!(asked.request.id);
        let asked = engine.answer(&payload.to_string()).await.unwrap();
        settled = engine.resume(&asked).await;
    }
    assert!(settled.outcome.is_ok() && settled.waiting.is_none(), "{settled:?}");
    assert_eq!(settled.edited, Some(json!({"text": "better"})));
    assert_eq!(world.ran(), 2);
}

/// A request that expires is refused.
#[tokio::test]
async fn an_expired_request_is_refused() {
    let world = World::new();
    let engine = world.working();
    let settled = engine.settle(&origin(), &call()).await;
    let Some(Waiting::Approval(asked)) = settled.waiting else { panic!("nobody was asked") };
    world.clock.advance(Duration::from_secs(301));
    let payload = json!({"request": asked.request.id, "answer": "approve"}).to_string();
    if let Ok(asked) = engine.answer(&payload).await {
        assert!(engine.resume(&asked).await.outcome.is_err());
    }
    assert_eq!(world.ran(), 0);
    assert!(engine.open_approvals().await.unwrap().is_empty());
}

#[tokio::test]
async fn with_nobody_to_ask_the_call_is_refused_at_once() {
    let world = World::new();
    let engine = world.working();
    let alone = CallOrigin { somebody_to_ask: false, ..origin() };
    let settled = engine.settle(&alone, &call()).await;
    assert!(settled.waiting.is_none() && settled.outcome.is_err());
    assert_eq!(world.ran(), 0);
}

/// A secret that a handler was given is in no result, no key and no intent.
#[tokio::test]
async fn a_secret_leaves_with_no_part_of_the_result() {
    let world = World::new();
    let schema = SCHEMA
        .replace("\"requiresConfirmation\": true", "\"requiresConfirmation\": false")
        .replace(
            "\"latencyBudgetMs\"",
            "\"capabilities\": {\"secrets\": [\"CANARY\"]}, \"latencyBudgetMs\"",
        );
    std::fs::write(world.dir.path().join("line-add/schema.json"), schema).unwrap();
    let store = Arc::clone(&world.store) as Arc<dyn Store>;
    let engine = world.engine_with(store, Arc::new(Leaky), Arc::new(Canary));
    let settled = engine.settle(&origin(), &call()).await;
    assert!(settled.outcome.is_ok() && settled.intents.len() == 1, "{settled:?}");
    assert!(!format!("{settled:?}").contains(CANARY), "{settled:?}");
    engine.flush().await;
    let audit = engine.audit(10).await.unwrap();
    let ledger = engine.ledger().await.unwrap();
    assert!(!format!("{audit:?}{ledger:?}").contains(CANARY));
}

/// A write is in the audit before its result is returned, even if the process dies then.
#[tokio::test]
async fn the_audit_line_of_a_write_precedes_its_result() {
    let world = World::new();
    let schema =
        SCHEMA.replace("\"requiresConfirmation\": true", "\"requiresConfirmation\": false");
    std::fs::write(world.dir.path().join("line-add/schema.json"), schema).unwrap();
    let (engine, other) = (world.working(), world.working());
    for number in 1..=10 {
        let call = Call { args: json!({ "text": number.to_string() }), ..call() };
        let id = CallId(format!("call-0123456789-{number}"));
        let origin = CallOrigin { turn: number, ..origin() };
        let settled = engine.settle(&origin, &Call { id, ..call }).await;
        assert!(settled.outcome.is_ok(), "{settled:?}");
        assert_eq!(other.audit(100).await.unwrap().len() as u64, number);
    }
}

/// The lines of many calls are written in one append; none may make it fail for the others.
#[tokio::test]
async fn a_long_name_does_not_keep_other_calls_out_of_the_audit() {
    let world = World::new();
    let engine = world.working();
    let long = Call { args: json!({ "x".repeat(1_020_000): 1 }), ..call() };
    let unknown = Call { tool: "y".repeat(1_020_000), ..call() };
    for one in [call(), long, unknown, call()] {
        engine.settle(&origin(), &one).await;
    }
    engine.flush().await;
    let audit = engine.audit(10).await.unwrap();
    let verdicts: Vec<_> = audit.iter().map(|line| line.verdict.as_str()).collect();
    assert_eq!(verdicts, ["ask", "refuse", "refuse", "ask"]);
    assert!(audit.iter().all(|line| line.tool.len() < 300));
}

#[tokio::test]
async fn a_tool_switched_off_runs_for_no_engine_until_it_is_switched_on() {
    let world = World::new();
    let (here, there) = (world.working(), world.working());
    here.switch("line_add", Some("it is being repaired")).await.unwrap();
    for engine in [&here, &there] {
        let settled = engine.settle(&origin(), &call()).await;
        assert_eq!(settled.verdict, VerdictKind::Refuse, "{settled:?}");
        assert!(format!("{:?}", settled.reason).contains("repaired"), "{settled:?}");
    }
    let off = here.switched_off().await.unwrap();
    assert_eq!(off.iter().map(|one| one.tool.as_str()).collect::<Vec<_>>(), ["line_add"]);
    here.switch("line_add", None).await.unwrap();
    assert!(answered(&here, &json!({"answer": "approve"})).await.unwrap().is_ok());
    assert_eq!(world.ran(), 1);
}

/// TK-15: the memory tool exists without a directory, and knows only its conversation.
#[tokio::test]
async fn tk_15_query_tool_memory_lists_the_calls_of_this_conversation() {
    let world = World::new();
    let engine = world.working();
    answered(&engine, &json!({"answer": "approve"})).await;
    let origin_in = |id: &str| CallOrigin { conversation: ConversationId(id.into()), ..origin() };
    let id = CallId("memory-0123456789".into());
    let query = Call { id, tool: "query_tool_memory".into(), args: json!({}) };
    let here = engine.settle(&origin_in("here"), &query).await.outcome.unwrap();
    assert_eq!((&here["total"], &here["calls"][0]["tool"]), (&json!(1), &json!("line_add")));
    let elsewhere = engine.settle(&origin_in("elsewhere"), &query).await.outcome.unwrap();
    assert_eq!(elsewhere["total"], json!(0));
}

/// A call whose process died is in doubt as soon as its limit has passed, and a person can
/// resolve it.
#[tokio::test]
async fn a_start_without_an_end_is_resolved_by_a_person() {
    let world = World::new();
    // The seventh write records the end of the call.
    let (dying, dead) = world.dying(StoreFailure::DieBefore, 6);
    let approve = json!({"answer": "approve"});
    tokio::select! {
        outcome = answered(&dying, &approve) => panic!("it survived: {outcome:?}"),
        () = dead.notified() => {}
    }
    let engine = world.working();
    let line = engine.ledger().await.unwrap().remove(0);
    assert!(matches!(line.entry.state, LedgerState::Started { .. }), "{line:?}");
    assert!(!engine.is_overdue(&line.entry));
    assert!(engine.resolve(&line.id, policy::Resolution::DidNotHappen).await.is_err());
    world.clock.advance(Duration::from_secs(60));
    assert!(engine.is_overdue(&line.entry));
    let line = engine.resolve(&line.id, policy::Resolution::DidNotHappen).await.unwrap();
    assert!(matches!(line.entry.state, LedgerState::Failed { .. }), "{line:?}");
}

/// A handler that runs until it is stopped.
struct Endless(Arc<AtomicUsize>);

impl Host for Endless {
    fn run<'a>(&'a self, _job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

/// A person stops a write while it runs: the model gets an error, and the ledger is in doubt.
#[tokio::test]
async fn a_stopped_write_is_in_doubt() {
    let world = World::new();
    write_unasked_tool(&world);
    let store = Arc::clone(&world.store) as Arc<dyn Store>;
    let host = Arc::new(Endless(Arc::clone(&world.ran)));
    let engine = world.engine_with(store, host, Arc::new(NoSecrets));
    let context = crate::CallContext {
        surface: Arc::new(DropEvents),
        cancel: crate::Cancel::default(),
        paid_by: crate::PaidBy::Turn,
        tools: None,
    };
    let (origin, call) = (origin(), call());
    let stop = async {
        while world.ran() == 0 {
            tokio::task::yield_now().await;
        }
        context.cancel.cancel();
    };
    let (settled, ()) = tokio::join!(engine.settle_on(&context, &origin, &call), stop);
    let error = settled.outcome.unwrap_err();
    assert!(error.message.contains("stopped") && error.partial_side_effects, "{error:?}");
    let line = engine.ledger().await.unwrap().remove(0);
    assert!(matches!(line.entry.state, LedgerState::InDoubt { .. }), "{line:?}");
}

/// The same tool without `requiresConfirmation`.
/// A new registry counts at once, except for turns that run.
#[tokio::test]
async fn a_turn_calls_the_tools_that_it_began_with() {
    let world = World::new();
    write_unasked_tool(&world);
    let engine = world.engine(Arc::clone(&world.store) as Arc<dyn Store>);
    let turn = crate::CallContext {
        tools: Some(engine.registry().lease()),
        ..engine.context(crate::PaidBy::Turn)
    };
    engine.registry().update(|newest| newest.retained(|_| false));
    let of_turn = engine.settle_on(&turn, &origin(), &call()).await;
    assert!(of_turn.outcome.is_ok(), "{:?}", of_turn.outcome);
    assert_eq!(world.ran(), 1);
    let other = CallOrigin { conversation: ConversationId("new".into()), ..origin() };
    let of_next = engine.settle(&other, &call()).await;
    assert_eq!(of_next.verdict, VerdictKind::Refuse, "{:?}", of_next.outcome);
    assert_eq!(world.ran(), 1);
}

fn write_unasked_tool(world: &World) {
    let unasked =
        SCHEMA.replace("\"requiresConfirmation\": true", "\"requiresConfirmation\": false");
    std::fs::write(world.dir.path().join("line-add/schema.json"), unasked).unwrap();
}

/// TK-11: concurrent calls share one budget.
#[tokio::test]
async fn tk_11_concurrent_calls_do_not_exceed_the_budget() {
    let world = World::new();
    write_unasked_tool(&world);
    let engine = world.working();
    let origin = origin();
    let calls: Vec<Call> = (0..14)
        .map(|n| {
            let id = CallId(format!("call-concurrent-{n:02}"));
            Call { id, tool: "line_add".into(), args: json!({"text": format!("line {n}")}) }
        })
        .collect();
    let mut tasks = tokio::task::JoinSet::new();
    for call in calls {
        let (engine, origin) = (engine.clone(), origin.clone());
        tasks.spawn(async move { engine.settle(&origin, &call).await.outcome.is_ok() });
    }
    let ran = tasks.join_all().await.into_iter().filter(|ran| *ran).count();
    assert_eq!((ran, world.ran()), (10, 10));
}

#[tokio::test]
async fn a_form_cannot_be_called() {
    let world = World::new();
    std::fs::write(world.dir.path().join("balance.py"), "TOOLS = []").unwrap();
    let engine = world.working();
    let tool = "balance.form".to_owned();
    let settled = engine.settle(&origin(), &Call { tool, args: json!({}), ..call() }).await;
    let error = settled.outcome.unwrap_err();
    assert_eq!(error.kind, contract::ErrorType::NotFound);
    assert!(!error.message.contains("`balance.form`, "), "{}", error.message);
    assert_eq!(world.ran(), 0);
}
