//! TK-09: whatever a handler does, what comes of it is a response that keeps the rules of the
//! envelope. Real handlers in real children; the rules are written here a second time.

use std::cell::Cell;

use contract::{ErrorType, Mode, ToolResponse};
use engine::{EngineLimits, Settled, for_model};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::support::in_process::{World, call, on_stage, origin, schema};

const TYPES: [&str; 5] = ["VALIDATION", "TRANSIENT", "CONFLICT", "AUTH", "INTERNAL"];

/// A tool that does what its argument says.
fn obedient() -> World {
    let body = "const answer = JSON.parse(args.text);
        if (answer.how === 'return') return answer.value;
        if (answer.how === 'throw') throw answer.value;
        throw new ToolError(answer.value.type, answer.value.message, answer.value);";
    World::new(&schema(), body)
}

fn settle(world: &World, number: u32, args: Value) -> Settled {
    let (origin, call) = (origin(&format!("c{number}"), Mode::Text), call("call-00000001", args));
    on_stage(world.engine.settle(&origin, &call))
}

/// The rules of the envelope, for a call that ran.
#[track_caller]
fn check_envelope(settled: &Settled) {
    assert_eq!(
        (settled.verdict.as_str(), settled.call.0.as_str()),
        ("run", "call-00000001"),
        "{settled:?}"
    );
    let meta = settled.meta.clone().expect("a call that ran has meta");
    assert_eq!((meta.tool_id.as_str(), meta.response_schema_version.as_str()), ("t", "1.0.0"));
    assert!(meta.registry_version.starts_with("1.0."), "{meta:?}");
    let (outcome, intents) = (settled.outcome.clone(), settled.intents.clone());
    let response =
        serde_json::to_value(ToolResponse { outcome, intents, artifacts: Vec::new(), meta })
            .unwrap();
    let fields = response.as_object().unwrap();
    match &fields["ok"] {
        Value::Bool(true) => {
            assert!(fields.contains_key("data") && !fields.contains_key("error"), "{response}");
        }
        Value::Bool(false) => {
            assert!(fields.contains_key("error") && !fields.contains_key("data"), "{response}");
            let error = &fields["error"];
            assert!(error["type"].as_str().unwrap().parse::<ErrorType>().is_ok(), "{error}");
            assert!(error["message"].is_string() && error["retryable"].is_boolean(), "{error}");
            assert!(error["partialSideEffects"].is_boolean(), "{error}");
        }
        other => panic!("`ok` is {other}"),
    }
    assert!(fields["intents"].is_array() && fields["meta"].is_object(), "{response}");
    let shown: Value = serde_json::from_str(&for_model(settled, &EngineLimits::machine())).unwrap();
    if let Err(error) = &settled.outcome {
        let read = json!({ "type": error.kind, "message": error.message,
            "retryable": error.retryable });
        assert_eq!(shown, read, "the model reads these three and nothing else");
    }
}

/// An unexpected end: nobody knows what the handler did.
#[track_caller]
fn check_broken(settled: &Settled, kind: ErrorType) {
    check_envelope(settled);
    let error = settled.outcome.as_ref().unwrap_err();
    assert_eq!((error.kind, error.retryable, error.partial_side_effects), (kind, false, true));
    assert!(!settled.notes.is_empty(), "people are told why: {settled:?}");
    assert!(settled.intents.is_empty());
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000..1000_i32).prop_map(Value::from),
        "[a-z<ü \"]{0,6}".prop_map(Value::from),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Often right, often nearly right, sometimes anything.
fn field(right: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        6 => right.prop_map(Some),
        1 => Just(None),
        1 => json_value().prop_map(Some),
    ]
}

fn object(fields: Vec<(&str, Option<Value>)>) -> Value {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn error() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(&TYPES[..]).prop_map(Value::from);
    (
        field(kind),
        field("[a-z ]{0,9}".prop_map(Value::from)),
        field(any::<bool>().prop_map(Value::from)),
    )
        .prop_map(|(kind, message, retryable)| {
            object(vec![("type", kind), ("message", message), ("retryable", retryable)])
        })
}

fn answer() -> impl Strategy<Value = Value> {
    let intents = prop_oneof![
        Just(json!([])),
        Just(json!([{ "type": "SUPPRESS_AUDIO", "value": true }])),
        Just(json!([{ "type": "DANCE" }])),
    ];
    let good = (field(json_value()), prop::option::weighted(0.1, error()), field(intents))
        .prop_map(|(data, error, intents)| {
            object(vec![
                ("ok", Some(json!(true))),
                ("data", data),
                ("error", error),
                ("intents", intents),
            ])
        });
    let bad =
        (field(error()), prop::option::weighted(0.1, json_value())).prop_map(|(error, data)| {
            object(vec![("ok", Some(json!(false))), ("error", error), ("data", data)])
        });
    prop_oneof![4 => good, 4 => bad, 1 => json_value()]
}

/// What an answer means, by the authoring guide alone; none for one that breaks its rules.
fn meaning(answer: &Value) -> Option<Result<Value, Value>> {
    let fields = answer.as_object()?;
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    match given("intents") {
        None => {}
        Some(Value::Array(entries)) => {
            let known = entries.iter().all(|entry| {
                entry.get("type").is_some_and(|kind| *kind == "DANCE" || *kind == "SUPPRESS_AUDIO")
            });
            known.then_some(())?;
        }
        Some(_) => return None,
    }
    match fields.get("ok")? {
        Value::Bool(true) if given("error").is_none() => fields.get("data").cloned().map(Ok),
        Value::Bool(false) if given("data").is_none() => {
            let error = given("error")?.as_object()?;
            let kind = error.get("type")?.as_str()?;
            kind.parse::<ErrorType>().ok()?;
            error.get("message")?.as_str()?;
            error.get("retryable")?.as_bool()?;
            Some(Err(Value::Object(error.clone())))
        }
        _ => None,
    }
}

#[test]
fn tk_09_every_answer_becomes_a_response_that_keeps_the_rules() {
    let world = obedient();
    let number = Cell::new(0);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(400) });
    let seen = [const { Cell::new(0) }; 3];
    let tried = runner.run(&answer(), |answer| {
        number.set(number.get() + 1);
        let text = json!({ "how": "return", "value": answer }).to_string();
        let settled = settle(&world, number.get(), json!({ "text": text }));
        check_envelope(&settled);
        match (meaning(&answer), &settled.outcome) {
            (Some(Ok(data)), Err(found)) if contract::failure_in(&data, None).is_some() => {
                prop_assert_eq!((found.kind, &found.details), (ErrorType::Permanent, &data));
            }
            (Some(Ok(data)), found) => prop_assert_eq!(&Ok(data), found),
            (Some(Err(error)), Err(found)) => {
                let found = json!({ "type": found.kind, "message": found.message,
                    "retryable": found.retryable });
                for key in ["type", "message", "retryable"] {
                    prop_assert_eq!(&error[key], &found[key]);
                }
            }
            (None, Err(_)) => check_broken(&settled, ErrorType::Internal),
            (meaning, found) => prop_assert!(false, "{answer} is {meaning:?}, and gave {found:?}"),
        }
        let met = match meaning(&answer) {
            Some(Ok(_)) => &seen[0],
            Some(Err(_)) => &seen[1],
            None => &seen[2],
        };
        met.set(met.get() + 1);
        Ok(())
    });
    tried.unwrap();
    assert!(seen.iter().all(|count| count.get() > 20), "every kind was met: {seen:?}");
}

#[test]
fn tk_09_whatever_is_thrown_becomes_a_response_that_keeps_the_rules() {
    let world = obedient();
    let number = Cell::new(0);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(100) });
    let tried = runner.run(&(error(), prop::bool::ANY), |(error, is_tool_error)| {
        number.set(number.get() + 1);
        let how = if is_tool_error { "toolError" } else { "throw" };
        let text = json!({ "how": how, "value": error }).to_string();
        let settled = settle(&world, number.get(), json!({ "text": text }));
        check_envelope(&settled);
        let found = settled.outcome.unwrap_err();
        let known = error["type"].as_str().filter(|kind| kind.parse::<ErrorType>().is_ok());
        match known.filter(|_| is_tool_error) {
            Some(kind) => prop_assert_eq!(found.kind.to_string(), kind),
            // Only a `ToolError` has a type; the rest is our guess at its worst.
            None => prop_assert_eq!(found.kind, ErrorType::Internal),
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn tk_09_handlers_that_do_not_end_well_give_a_response_all_the_same() {
    let check = |body: &str, kind: ErrorType| {
        let mut schema = schema();
        schema["latencyBudgetMs"] = json!(200);
        schema["timeoutMs"] = json!(if kind == ErrorType::Transient { 300 } else { 60_000 });
        check_broken(&settle(&World::new(&schema, body), 1, json!({})), kind);
    };
    for body in [
        "",
        "return undefined;",
        "return () => 1;",
        "return 1n;",
        "return Symbol('a');",
        "return new Proxy({}, { ownKeys() { throw 1; } });",
        "const ring = { ok: true }; ring.data = ring; return ring;",
        "return { ok: true, get data() { throw new Error('late'); } };",
        "return { ok: true, data: 'x'.repeat(3e6) };",
        "let deep = []; for (let i = 0; i < 1e4; i += 1) deep = [deep]; return { ok: true, data: deep };",
        "throw null;",
        "throw new Proxy({}, { get() { throw 1; } });",
        "const deeper = () => 1 + deeper(); deeper();",
        "const all = []; for (;;) all.push(new Array(1000).fill(1));",
        "await new Promise(() => {});",
        "await Promise.reject(7);",
        "for (;;) await context.assistant('x');",
        "Object.prototype.ok = true; Object.prototype.data = 1; return Object.create(null);",
    ] {
        check(body, ErrorType::Internal);
    }
    for body in [
        "for (;;) {}",
        "for (;;) await null;",
        "return /^(a+)+$/.test('a'.repeat(40) + '!');",
        "await new Promise((resolve) => setTimeout(resolve, 1e9));",
    ] {
        check(body, ErrorType::Transient);
    }
}

/// What was refused, asked about or answered without running is told in the same envelope.
#[test]
fn tk_09_a_call_that_did_not_run_has_meta_too() {
    let mut schema = schema();
    schema["requiresConfirmation"] = json!(true);
    let world = World::new(&schema, "return { ok: true, data: 1 };");
    let check = |tool: &str, args: Value, verdict: &str, version: &str| {
        let mut call = call("call-00000001", args);
        call.tool = tool.to_owned();
        let settled = on_stage(world.engine.settle(&origin("c1", Mode::Text), &call));
        assert_eq!(settled.verdict.as_str(), verdict, "{settled:?}");
        let meta = settled.meta.expect("every answer has meta");
        assert_eq!((meta.duration, meta.tool_version.to_string().as_str()), (0, version));
        assert_eq!(meta.response_schema_version, "1.0.0");
        meta.tool_id.to_string()
    };
    assert_eq!(check("t", json!({ "text": 1 }), "refuse", "1.0.0"), "t");
    assert_eq!(check("t", json!({ "text": "a" }), "ask", "1.0.0"), "t");
    assert_eq!(check("other", json!({}), "refuse", "0.0.0"), "other");
    assert_eq!(check("No Tool!", json!({}), "refuse", "0.0.0"), "unknown");
}
