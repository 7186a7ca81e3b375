//! `handler.py` of a tool directory: the same context as in JavaScript, in both spellings.

use policy::HandlerOutcome;
use serde_json::json;

use crate::harness::{py, py_body};

#[test]
fn the_context_is_that_of_javascript_in_both_spellings() {
    let script = py_body(
        "await context.messaging.send({'text': 'hi'})
context.audit.log('seen', {'n': 1})
await context.progress(0.5, 'half')
await context.assistant('a'); await context['system']('s'); await context.emit('context', 'c')
await context.chunk('assistant', 'b')
revision = await context.kv.set('k', 1, expected_revision=None)
held = await context.kv.get('k')
names = await context.kv.list('k')
secret = await context.secrets.get('token')
page = await context.fetch('https://example.org/', method='POST', json={'a': 1})
body = await page.json()
return {'ok': True, 'data': [
    context.clientId, context.client_id, context['client_id'], context.get('clientId'),
    context.session.isActive, context.session.is_active, context['session']['mode'],
    context.tool.id, context.call.idempotency_key, context.voice.is_active(), context.voice.isActive(),
    revision['revision'], held['value'], names, secret, page.status, page.ok, body['method'], body['body'],
    hasattr(context, 'nothing'), 'kv' in context]}",
    );
    let value = script.value();
    assert_eq!(
        value["data"],
        json!([
            "client-1",
            "client-1",
            "client-1",
            "client-1",
            true,
            true,
            "text",
            "t",
            "key-1",
            false,
            false,
            1,
            1,
            ["k"],
            "s3cret",
            200,
            true,
            "POST",
            "{\"a\": 1}",
            false,
            true
        ])
    );
    let asked: Vec<_> = script.far.asked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(asked[..2], ["messaging.send", "audit.log"]);
    let chunks: Vec<_> = script.far.asked_for("chunk").iter().map(|c| c["text"].clone()).collect();
    assert_eq!(chunks, ["a", "s", "c", "b"]);
    assert_eq!(
        script.far.asked_for("kv.set"),
        [json!({ "expectedRevision": null, "key": "k", "value": 1 })]
    );
    assert_eq!(
        script.far.asked_for("fetch")[0]["headers"],
        json!([["content-type", "application/json"]])
    );
}

#[test]
fn the_context_has_only_what_the_capabilities_name() {
    let script = py_body(
        "return [name for name in ('kv', 'files', 'fetch', 'secrets', 'attachments') if hasattr(context, name)]",
    );
    let script = script.context("capabilities", json!({ "kv": true }));
    assert_eq!(script.value()["data"], json!(["kv"]));
    let missing = py_body("await context.secrets.get('token')").context("capabilities", json!({}));
    assert_eq!(missing.thrown().message, "AttributeError: `context` has no `secrets` here");
}

#[test]
fn execute_may_be_written_in_many_ways() {
    let check = |source: &str, expected: serde_json::Value| {
        let script = py(source).args(json!({ "x": 1 }));
        assert_eq!(script.value(), expected, "{source}");
    };
    let data = |data: serde_json::Value| json!({ "ok": true, "data": data, "intents": [] });
    check("def execute(args, context): return args['x']", data(json!(1)));
    check("def execute(args): return args", data(json!({ "x": 1 })));
    check("def execute(): pass", data(json!(null)));
    check(
        "async def execute(*, context, args): return [args['x'], context.tool.id]",
        data(json!([1, "t"])),
    );
    check(
        "async def execute(args, context): return {'ok': False, 'error': {'type': 'NOT_FOUND', 'message': 'm', 'retryable': False}}",
        json!({ "ok": false, "error": { "type": "NOT_FOUND", "message": "m", "retryable": false } }),
    );
    check(
        "from ghosthand import context_chunk\nasync def execute(args, context):\n    yield context_chunk('seen')",
        json!({ "ok": true, "data": "seen", "intents": [], "streaming": true }),
    );
    assert_eq!(
        py("x = 1").breakdown(),
        "it could not be started: the handler has no function `execute`"
    );
}

#[test]
fn a_tool_error_carries_everything() {
    let script = py_body(
        "from ghosthand import ToolError, ErrorType
raise ToolError(ErrorType.CONFLICT, 'taken', retryable=True, partial_side_effects=True, details={'by': 'Bo'})",
    );
    let HandlerOutcome::Threw(thrown) = script.answer() else { panic!("it did not throw") };
    assert_eq!(thrown.kind, Some(contract::ErrorType::Conflict));
    assert!(thrown.retryable && thrown.partial_side_effects);
    assert_eq!(thrown.details, json!({ "by": "Bo" }));
    assert!(thrown.place.unwrap().starts_with("t/handler.py:3\n"));
    let forged = py_body(
        "class ToolError(Exception):\n    type = 'AUTH'; retryable = True\nraise ToolError('x')",
    );
    assert_eq!(forged.thrown().kind, None);
    let unknown = py_body("from ghosthand import ToolError\nraise ToolError('WEATHER', 'rain')");
    assert_eq!(unknown.thrown().message, "rain (unknown error type `WEATHER`)");
}
