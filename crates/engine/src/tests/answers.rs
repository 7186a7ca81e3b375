//! Every call has exactly one result, even with bad arguments, and retries are limited.

use contract::ErrorType;
use policy::{HandlerException, HandlerFailure};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// A host that does what the first word of the call's text says.
struct ScriptedHost(Arc<AtomicUsize>);

impl Host for ScriptedHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let text = job.run.call().args()["text"].as_str().unwrap_or_default().to_owned();
        Box::pin(async move {
            let thrown = |kind| HandlerException {
                kind,
                message: "no".into(),
                retryable: true,
                partial_side_effects: false,
                details: Value::Null,
                place: None,
            };
            match text.split(' ').next().unwrap_or_default() {
                "garbage" => HandlerOutcome::Returned(json!("garbage")),
                "throw" => HandlerOutcome::Threw(thrown(None)),
                "transient" => HandlerOutcome::Threw(thrown(Some(ErrorType::Transient))),
                "busy" => HandlerOutcome::Threw(thrown(Some(ErrorType::RateLimit))),
                "late" => HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 1 }),
                "dead" => {
                    HandlerOutcome::Broke(HandlerFailure::Died { because: "it was killed".into() })
                }
                "slow" => {
                    tokio::task::yield_now().await;
                    HandlerOutcome::Returned(json!({"ok": true, "data": text}))
                }
                "never" => std::future::pending().await,
                _ => HandlerOutcome::Returned(json!({"ok": true, "data": text})),
            }
        })
    }
}

impl World {
    /// An engine with a changed contract and the scripted host.
    fn scripted(&self, changes: &[(&str, &str)]) -> Engine {
        let schema = changes.iter().fold(SCHEMA.to_owned(), |schema, (from, to)| {
            assert!(schema.contains(from), "{from}");
            schema.replace(from, to)
        });
        std::fs::write(self.dir.path().join("line-add/schema.json"), schema).unwrap();
        let host = Arc::new(ScriptedHost(Arc::clone(&self.ran)));
        self.engine_with(Arc::clone(&self.store) as Arc<dyn Store>, host, Arc::new(NoSecrets))
    }
}

const UNASKED: (&str, &str) = ("\"requiresConfirmation\": true", "\"requiresConfirmation\": false");
const IDEMPOTENT: (&str, &str) = ("\"idempotent\": false", "\"idempotent\": true");
const BOTH_MODES: (&str, &str) =
    ("\"allowedModes\": [\"text\"]", "\"allowedModes\": [\"text\", \"voice\"]");

fn saying(id: &str, text: &str) -> Call {
    let (id, args) = (CallId(id.to_owned()), json!({ "text": text }));
    Call { id, tool: "line_add".into(), args }
}

/// Concurrent calls that end in every way: each has one result, under its own id, that a model
/// can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_gets_exactly_one_result() {
    let endings =
        ["good", "slow", "garbage", "throw", "late", "dead", "unknown", "wrong", "denied", "asked"];
    for schedule in 0..20_usize {
        let world = World::new();
        let (asking, engine) = (world.working(), world.scripted(&[UNASKED]));
        let mut calls = tokio::task::JoinSet::new();
        for step in 0..30 {
            let ending = endings[(step * (2 * schedule + 1) + schedule) % endings.len()];
            let mut call =
                saying(&format!("call-{schedule:04}-{step:04}"), &format!("{ending} {step}"));
            // A turn allows ten calls.
            let conversation = ConversationId(format!("conversation-{}", step % 3));
            let mut origin = CallOrigin { conversation, ..origin() };
            let engine = match ending {
                "asked" => asking.clone(),
                _ => engine.clone(),
            };
            match ending {
                "unknown" => call.tool = "no_such_tool".into(),
                "wrong" => call.args = json!({"text": 7}),
                "denied" => origin.mode = Mode::Voice,
                _ => {}
            }
            calls.spawn(
                async move { (call.id.clone(), ending, engine.settle(&origin, &call).await) },
            );
        }
        let mut answered = BTreeSet::new();
        while let Some(done) = calls.join_next().await {
            let (id, ending, settled) = done.unwrap();
            assert_eq!(settled.call, id);
            assert!(answered.insert(id.0), "two results for one call");
            let is_good = matches!(ending, "good" | "slow");
            assert_eq!(settled.outcome.is_ok(), is_good, "{ending}: {settled:?}");
            let shown = crate::for_model(&settled, &EngineLimits::machine());
            let shown: Value = serde_json::from_str(&shown).unwrap();
            assert!(settled.outcome.is_ok() || shown["type"].is_string(), "{ending}: {shown}");
        }
        assert_eq!(answered.len(), 30, "schedule {schedule}");
    }
}

/// A call whose caller disconnected gets its result when it is sent again.
#[tokio::test]
async fn a_cancelled_call_gets_a_result_when_it_is_sent_again() {
    let world = World::new();
    let engine = world.scripted(&[UNASKED]);
    let call = saying("call-0123456789", "never");
    let origin = origin();
    let cancelled = tokio::select! {
        settled = engine.settle(&origin, &call) => Some(settled),
        () = async { while world.ran() == 0 { tokio::task::yield_now().await } } => None,
    };
    assert!(cancelled.is_none());
    // It may still be running.
    let again = engine.settle(&origin, &call).await;
    assert_eq!(again.outcome.unwrap_err().kind, ErrorType::Conflict);
    // After its time limit it cannot be, and a person is asked what happened.
    world.clock.advance(Duration::from_secs(3_600));
    let again = engine.settle(&origin, &call).await;
    assert_eq!((&again.call, world.ran()), (&call.id, 1), "{again:?}");
    assert!(again.outcome.is_err() && matches!(again.waiting, Some(Waiting::InDoubt(_))));
}

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(6, 40, 6, |inner| {
        let key = prop_oneof![Just("text".to_owned()), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Arguments of any shape give one readable result, and only those that fit start a handler.
#[test]
fn bad_arguments_give_a_result_that_the_model_can_read() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    let world = World::new();
    let engine = world.scripted(&[UNASKED]);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(500) });
    let tried = runner.run(&any_json(), |args| {
        let fits = args.as_object().is_some_and(|fields| {
            fields.len() == 1 && fields.get("text").is_some_and(Value::is_string)
        });
        let ran = world.ran();
        let call = Call { id: CallId("call-1".into()), tool: "line_add".into(), args };
        let settled = runtime.block_on(engine.settle(&origin(), &call));
        if fits {
            return Ok(());
        }
        prop_assert_eq!(world.ran(), ran, "a handler was started");
        let error = settled.outcome.unwrap_err();
        prop_assert_eq!(error.kind, ErrorType::Validation);
        prop_assert!(!error.message.is_empty() && !error.retryable && !error.partial_side_effects);
        Ok(())
    });
    tried.unwrap();
}

#[tokio::test]
async fn huge_arguments_give_a_result_too() {
    let world = World::new();
    let engine = world.scripted(&[UNASKED]);
    // As deep as the parser allows.
    let deep = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    let args: Value = serde_json::from_str(&deep).unwrap();
    for args in [args.clone(), json!({ "text": args })] {
        let settled = engine.settle(&origin(), &Call { args, ..saying("call-1", "") }).await;
        assert_eq!(settled.outcome.unwrap_err().kind, ErrorType::Validation);
    }
    let large = engine.settle(&origin(), &saying("call-2", &"x".repeat(2 << 20))).await;
    assert_eq!(large.outcome.unwrap_err().kind, ErrorType::Validation);
    assert_eq!(world.ran(), 0);
}

/// A handler that always fails is tried a limited number of times.
#[tokio::test(start_paused = true)]
async fn retries_are_limited() {
    let check = async |changes: &[(&str, &str)], mode, text: &str, expected: usize| {
        let world = World::new();
        let engine = world.scripted(changes);
        let origin = CallOrigin { mode, ..origin() };
        let settled = engine.settle(&origin, &saying("call-0123456789", text)).await;
        assert!(settled.outcome.is_err());
        assert_eq!(world.ran(), expected, "{text} in {mode} mode");
        // Only the pauses advance the clock of this test: 300, 600 and 1200 ms, give or take a
        // fifth.
        let took = settled.duration().unwrap();
        match (text, expected) {
            (_, 1) => assert_eq!(took, 0),
            ("busy", _) => assert!((5_600..=8_400).contains(&took), "{took}"),
            (_, _) => assert!((1_680..=2_520).contains(&took), "{took}"),
        }
        assert_eq!(expected > 1, settled.notes.contains(&"it was tried 4 times".to_owned()));
        // The failure is recorded, and the same call is not tried again.
        engine.settle(&origin, &saying("call-0123456789", text)).await;
        assert_eq!(world.ran(), expected, "{text} in {mode} mode, once more");
    };
    let all = [UNASKED, IDEMPOTENT, BOTH_MODES];
    let most = 1 + Limits::text().retry.retries_max as usize;
    check(&all, Mode::Text, "transient", most).await;
    check(&all, Mode::Text, "busy", most).await;
    check(&all, Mode::Voice, "transient", 1).await;
    check(&all, Mode::Text, "throw", 1).await;
    check(&all, Mode::Text, "garbage", 1).await;
    let once = [UNASKED, BOTH_MODES];
    check(&once, Mode::Text, "transient", 1).await;
    check(&once, Mode::Text, "late", 1).await;
    check(&once, Mode::Text, "dead", 1).await;
}
