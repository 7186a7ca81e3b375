//! A handler that asks: nothing happens before its answers, and one write after them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use contract::{
    Action, Block, Deltas, HandlerAnswer, ModelFacts, Reply, ReplyFuture, Request, StopReason,
    Usage,
};

use super::*;
use crate::QuestionFault;

/// Asks for a volume, then writes a line. Before it asks, it tries every service.
#[derive(Default)]
struct Curious {
    wrote: AtomicUsize,
    /// The services that worked before the answer.
    worked: Mutex<BTreeSet<&'static str>>,
    /// What it asks.
    question: Option<Value>,
    /// What else it asks.
    more: Option<Value>,
}

impl Host for Curious {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move {
            let answers = &job.context["answers"];
            if let Some(answer) = answers.get("q") {
                let line = json!({"key": "lines/n", "value": answer});
                let written = usize::from(job.services.call("kv.set", line).await.is_ok());
                let n = self.wrote.fetch_add(written, Ordering::SeqCst) + written;
                return HandlerOutcome::Returned(
                    json!({"ok": true, "data": {"n": n, "q": answer}}),
                );
            }
            let tries = [
                ("kv.get", json!({"key": "lines/n"})),
                ("kv.set", json!({"key": "lines/n", "value": 1})),
                ("secrets.get", json!({"name": "CANARY"})),
                ("fetch", json!({"url": "https://api.example.com"})),
                ("ai.complete", json!({"prompt": "hello"})),
            ];
            for (name, args) in tries {
                if job.services.call(name, args).await.is_ok() {
                    self.worked.lock().unwrap().insert(name);
                }
            }
            let form = json!({"message": "How loud?", "schema": {"type": "object",
                "properties": {"db": {"type": "integer", "maximum": 120, "default": 60}}}});
            let question = self.question.clone().unwrap_or(form);
            let mut asks = json!({"q": question});
            if let Some(more) = &self.more {
                asks["more"] = more.clone();
            }
            HandlerOutcome::Returned(json!({"ask": asks}))
        })
    }
}

/// A world whose tool has these changes in its contract.
fn asking(changes: Value) -> World {
    let world = World::new();
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    schema["capabilities"] =
        json!({"kv": ["lines/"], "secrets": ["CANARY"], "net": ["api.example.com"]});
    for (name, value) in changes.as_object().unwrap() {
        schema[name] = value.clone();
    }
    std::fs::write(world.dir.path().join("line-add/schema.json"), schema.to_string()).unwrap();
    world
}

fn given(action: Action, content: Value) -> BTreeMap<String, HandlerAnswer> {
    [("q".to_owned(), HandlerAnswer { action, content })].into()
}

async fn answer(
    engine: &Engine,
    content: Value,
) -> Result<Option<crate::HandlerQuestions>, QuestionFault> {
    engine.answer_input(&origin(), &call(), &given(Action::Accept, content)).await
}

fn engine_of(world: &World, host: &Arc<Curious>) -> Engine {
    world.engine_with(world.store.clone(), host.clone(), Arc::new(Canary))
}

#[tokio::test]
async fn it_asks_then_a_person_approves_then_it_writes_once() {
    let world = asking(json!({"asks": ["person"]}));
    let host = Arc::new(Curious::default());
    let engine = engine_of(&world, &host);
    let asked = engine.settle(&origin(), &call()).await;
    assert_eq!((asked.verdict.as_str(), asked.reason.rule.as_str()), ("ask", "input.needed"));
    let message = asked.outcome.unwrap_err().message;
    assert!(message.contains("q: How loud? (db: integer)"), "{message}");
    assert_eq!(*host.worked.lock().unwrap(), BTreeSet::from(["kv.get"]));
    let unfit = answer(&engine, json!({"db": 500})).await;
    assert!(matches!(unfit, Err(QuestionFault::Unfit { .. })));
    let fit = answer(&engine, json!({"x": 1})).await;
    assert_eq!(fit.unwrap(), None);
    let late = answer(&engine, json!({"db": 1})).await;
    assert!(matches!(late, Err(QuestionFault::NotAsked)));
    assert!(engine.ledger().await.unwrap().is_empty());
    let waiting = engine.settle(&origin(), &call()).await;
    let Some(Waiting::Approval(approval)) = waiting.waiting else { panic!("nobody was asked") };
    let preview = &approval.request.preview;
    assert!(preview.contains(r#"asked for q: accept {"db":60}"#), "{preview}");
    let yes = json!({"request": approval.request.id, "answer": "approve"}).to_string();
    let approval = engine.answer(&yes).await.unwrap();
    // Another process continues.
    let engine = engine_of(&world, &host);
    let expected = json!({"n": 1, "q": {"action": "accept", "content": {"db": 60}}});
    assert_eq!(engine.resume(&approval).await.outcome, Ok(expected.clone()));
    assert_eq!(engine.resume(&approval).await.outcome, Ok(expected));
    assert_eq!(host.wrote.load(Ordering::SeqCst), 1);
    assert_eq!(engine.ledger().await.unwrap().len(), 1);
}

#[tokio::test]
async fn answers_count_for_their_own_call_and_for_an_hour() {
    let world = asking(json!({"asks": ["person"], "requiresConfirmation": false}));
    let host = Arc::new(Curious::default());
    let engine = engine_of(&world, &host);
    engine.settle(&origin(), &call()).await;
    let no = given(Action::Decline, json!({"db": 1}));
    engine.answer_input(&origin(), &call(), &no).await.unwrap();
    let other = Call { args: json!({"text": "other"}), ..call() };
    let elsewhere = CallOrigin { conversation: ConversationId("elsewhere".into()), ..origin() };
    for (origin, call) in [(origin(), other), (elsewhere, call())] {
        let settled = engine.settle(&origin, &call).await;
        assert!(matches!(settled.waiting, Some(Waiting::Input(_))), "{:?}", settled.outcome);
    }
    // The other call replaced the first, whose answers no longer count.
    engine.settle(&origin(), &call()).await;
    engine.answer_input(&origin(), &call(), &no).await.unwrap();
    let done = engine.settle(&origin(), &call()).await.outcome.unwrap();
    assert_eq!(done["q"], json!({"action": "decline", "content": null}));
    let second = Call { id: CallId("call-second-0123456789".into()), ..call() };
    engine.settle(&origin(), &second).await;
    world.clock.advance(Duration::from_secs(3_601));
    assert_eq!(engine.open_questions(&origin(), &second).await, None);
    let late = engine.answer_input(&origin(), &second, &no).await;
    assert!(matches!(late, Err(QuestionFault::NotAsked)));
    assert_eq!(host.wrote.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_question_that_the_contract_does_not_declare_is_an_error() {
    for asks in [json!([]), json!(["model"])] {
        let world = asking(json!({"asks": asks, "sideEffects": "read_only"}));
        let engine = engine_of(&world, &Arc::default());
        let settled = answered(&engine, &json!({"answer": "approve"})).await;
        let error = settled.unwrap().unwrap_err();
        assert_eq!(error.message, "The tool asked an invalid question.");
    }
}

/// A model that always answers the same.
struct FixedModel(ModelFacts);

impl Model for FixedModel {
    fn facts(&self) -> &ModelFacts {
        &self.0
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Deltas<'a>) -> ReplyFuture<'a> {
        let text = format!("{:?} tokens at most", request.output_tokens_max);
        let (blocks, model, usage) = (vec![Block::text(text)], String::new(), Usage::default());
        let stop = StopReason::EndTurn;
        Box::pin(async move { Ok(Reply { blocks, stop, usage, model, shaped: None }) })
    }
}

#[tokio::test]
async fn the_configured_model_answers_unless_the_caller_does() {
    let world = asking(json!({
        "asks": ["model", "person"], "sideEffects": "read_only", "requiresConfirmation": false
    }));
    let question = Some(json!({"kind": "model", "message": "Hi", "maxTokens": 7}));
    let host = Arc::new(Curious { question, ..Curious::default() });
    let facts = |provider: &str| ModelFacts::named(provider, "fixed");
    let rehearsal = Some(Arc::new(FixedModel(facts("rehearsal"))) as Arc<dyn Model>);
    for model in [None, rehearsal] {
        let settled = world.engine_asking(host.clone(), model).settle(&origin(), &call()).await;
        assert!(matches!(settled.waiting, Some(Waiting::Input(_))));
    }
    let engine = world.engine_asking(host, Some(Arc::new(FixedModel(facts("script")))));
    let done = engine.settle(&origin(), &call()).await.outcome.unwrap();
    assert_eq!(done["q"]["content"], json!({"text": "Some(7) tokens at most"}));
    let form = json!({"message": "Who?", "schema": {"type": "object",
        "properties": {"name": {"type": "string"}}}});
    let question = Some(json!({"kind": "model", "message": "Hi"}));
    let both = Curious { question, more: Some(form), ..Curious::default() };
    let both = world.engine_asking(Arc::new(both), Some(Arc::new(FixedModel(facts("script")))));
    let third = Call { id: CallId("call-third-0123456789".into()), ..call() };
    let settled = both.settle(&CallOrigin { turn: 3, ..origin() }, &third).await;
    let Some(Waiting::Input(rest)) = settled.waiting else { panic!("{:?}", settled.outcome) };
    assert_eq!(rest.asks.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["more"]);
    let alone = CallOrigin { can_ask: vec![contract::AskKind::Model], turn: 2, ..origin() };
    let other = Call { id: CallId("call-other-0123456789".into()), ..call() };
    let settled = engine.settle(&alone, &other).await;
    assert!(matches!(settled.waiting, Some(Waiting::Input(_))));
}

#[tokio::test]
async fn a_deleted_conversation_leaves_no_answers() {
    let world = asking(json!({"asks": ["person"]}));
    let engine = engine_of(&world, &Arc::default());
    engine.settle(&origin(), &call()).await;
    assert!(engine.open_questions(&origin(), &call()).await.is_some());
    engine.delete_questions(&origin().conversation).await.unwrap();
    assert_eq!(engine.open_questions(&origin(), &call()).await, None);
}

/// A read asks in its own run, so its question and its answer are one call, not two.
#[tokio::test]
async fn a_read_that_asks_is_one_call_to_the_loop_detector() {
    let read = json!({"sideEffects": "read_only", "idempotent": true,
        "requiresConfirmation": false, "asks": ["person"], "capabilities": {"kv": ["lines/"]}});
    let world = asking(read);
    let engine = engine_of(&world, &Arc::new(Curious::default()));
    for number in 1..=2 {
        let call = Call { id: CallId(format!("call-of-a-read-{number}-0123456789")), ..call() };
        let asked = engine.settle(&origin(), &call).await;
        assert!(matches!(asked.waiting, Some(Waiting::Input(_))), "{number}: {asked:?}");
        let given = given(Action::Accept, json!({"db": 1}));
        engine.answer_input(&origin(), &call, &given).await.unwrap();
        let done = engine.settle(&origin(), &call).await;
        assert!(done.outcome.is_ok(), "{number}: {done:?}");
    }
    let third = Call { id: CallId("call-of-a-read-3-0123456789".into()), ..call() };
    let settled = engine.settle(&origin(), &third).await;
    assert_eq!(settled.reason.rule.as_str(), "loop.same-call", "{settled:?}");
}
