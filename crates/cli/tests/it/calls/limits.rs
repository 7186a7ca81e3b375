//! Time and reach of a call: the soft budget, the hard limit, and tools without effects.

use contract::{ErrorType, Mode};
use policy::Metrics;
use serde_json::{Value, json};

use crate::support::in_process::{World, call, on_stage, origin, schema};

/// Busy until the clock has moved on by so many milliseconds.
const BUSY: &str = "for (const end = Date.now() + 20; Date.now() < end; ) {}
    return { ok: true, data: 'done' };";

/// TK-17: slower than promised is a note, a mark in the audit and a number; it kills nothing.
#[test]
fn tk_17_over_budget_is_told_and_counted_and_never_stops_the_call() {
    let mut schema = schema();
    schema["latencyBudgetMs"] = json!(1);
    schema["timeoutMs"] = json!(60_000);
    let world = World::new(&schema, BUSY);
    on_stage(async {
        let settled =
            world.engine.settle(&origin("c", Mode::Text), &call("call-00000001", json!({}))).await;
        assert_eq!(settled.outcome, Ok(json!("done")));
        let note = settled.notes.first().expect("it is told");
        assert!(note.starts_with("it took ") && note.ends_with("its budget is 1 ms"), "{note}");
        world.engine.flush().await;
        let audit = world.engine.audit(10).await.unwrap();
        assert!(matches!(audit.as_slice(), [line] if line.over_budget && line.ok), "{audit:?}");
        assert_eq!(Metrics::of(&audit, |_| true).tools["t"].budget_violations, 1);
    });
}

/// TK-17: the hard limit stops the handler.
#[test]
fn tk_17_the_hard_limit_is_separate_and_stops_the_call() {
    let mut schema = schema();
    schema["latencyBudgetMs"] = json!(200);
    schema["timeoutMs"] = json!(300);
    let world = World::new(&schema, "for (;;) {}");
    on_stage(async {
        let settled =
            world.engine.settle(&origin("c", Mode::Text), &call("call-00000001", json!({}))).await;
        let error = settled.outcome.unwrap_err();
        assert_eq!((error.kind, error.retryable), (ErrorType::Transient, false));
        assert!(settled.notes.iter().any(|note| note.contains("longer than 300 ms")), "{error:?}");
        world.engine.flush().await;
        let audit = world.engine.audit(10).await.unwrap();
        assert!(matches!(audit.as_slice(), [line] if line.over_budget && !line.ok), "{audit:?}");
    });
}

/// TK-20: a handler without effects finds nothing to reach the world with, and what it sends
/// past its context is refused.
#[test]
fn tk_20_a_tool_without_effects_gets_no_network_no_file_and_no_key() {
    let mut schema = schema();
    for (field, value) in [("category", "utility"), ("sideEffects", "none")] {
        schema[field] = json!(value);
    }
    schema["idempotent"] = json!(true);
    let body = "const reached = [];
        const attempt = async (name, work) => {
          try { await work(); reached.push(name); } catch (fault) { /* as it should be */ }
        };
        await attempt('net', () => context.fetch('https://example.com/'));
        await attempt('global net', () => fetch('https://example.com/'));
        await attempt('read', () => context.files.read('t/schema.json'));
        await attempt('list', () => context.files.list('t'));
        await attempt('write', () => context.files.write('t/new.txt', 'x'));
        await attempt('get', () => context.kv.get('notes/a'));
        await attempt('set', () => context.kv.set('notes/a', 1));
        await attempt('secret', () => context.secrets.get('TOKEN'));
        await attempt('message', () => context.messaging.send({ type: 'x' }));
        return { ok: true, data: reached };";
    let world = World::new(&schema, body);
    let call = call("call-00000001", json!({}));
    let settled = on_stage(world.engine.settle(&origin("c", Mode::Text), &call));
    assert_eq!(settled.outcome, Ok(json!(Vec::<Value>::new())), "{:?}", settled.notes);
}
