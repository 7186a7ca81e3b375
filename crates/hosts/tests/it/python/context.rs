//! Compares the stub for editors with the objects that handlers get.

use hosts::python::HookKind;
use serde_json::{Value, json};

use super::harness::Pad;
use crate::harness::{body, py_body, runtime};

const STUB: &str = include_str!("../../../types/ghosthand.pyi");

/// Prints what the stub has and the runtime lacks, and the reverse.
const COMPARE: &str = r#"
import ast
import dataclasses
import ghosthand
from ghosthand_context import snake


async def execute(args, context):
    examples = {
        "Context": context, "Tool": context.tool, "Session": context.session,
        "RunningCall": context.call, "Metadata": context.metadata, "Messaging": context.messaging,
        "Voice": context.voice, "Audit": context.audit, "Secrets": context.secrets,
        "Kv": context.kv, "Files": context.files,
        "Response": await context.fetch("https://a.example/"),
        "ToolError": ghosthand.ToolError("VALIDATION"), "ServiceError": ghosthand.ServiceError("A", "b"),
        "ResponseChunk": ghosthand.assistant_chunk("a"),
    }
    missing, seen, of_context = [], 0, set()
    for node in ast.parse(args["stub"]).body:
        names = names_of(node)
        for name in names:
            seen += 1
            if not hasattr(ghosthand, name):
                missing.append(name)
        if not isinstance(node, ast.ClassDef) or not hasattr(ghosthand, node.name):
            continue
        held = examples.get(node.name, getattr(ghosthand, node.name))
        for member in (name for inner in node.body for name in names_of(inner)):
            seen += 1
            if node.name == "Context":
                of_context.add(member)
            typed = getattr(held, "__annotations__", {})
            if not member.startswith("__") and not hasattr(held, member) and member not in typed:
                missing.append(f"{node.name}.{member}")
    unsaid = [key for key in context if snake(key) not in of_context]
    return {"missing": missing, "unsaid": unsaid, "many": seen > 100}


def names_of(node):
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.AnnAssign):
        return [node.target.id]
    return [target.id for target in node.targets] if isinstance(node, ast.Assign) else []
"#;

#[test]
fn the_stub_matches_the_runtime() {
    let mut pad = Pad::with_files(&[("t/handler.py", COMPARE)]);
    // As the engine creates it.
    pad.context = json!({
        "clientId": "client-1",
        "tool": { "id": "t", "version": "1.0.0", "idempotent": true },
        "session": { "isActive": true, "toolsVersion": "1.0.0", "mode": "text", "state": {} },
        "voice": { "isActive": false },
        "metadata": { "conversationId": "c", "modelName": null, "toolCallCount": 0 },
        "call": { "id": "1", "idempotencyKey": "k", "mayOnlyAsk": false },
        "answers": {},
        "canAsk": [],
        "capabilities": { "net": true, "kv": true, "secrets": true, "files": true,
            "attachments": true },
    });
    let found = runtime().block_on(pad.data("t/handler.py", json!({ "stub": STUB })));
    assert_eq!(found, json!({ "missing": [], "unsaid": [], "many": true }));
}

#[test]
fn the_data_on_the_context_is_read_only_in_both_languages() {
    let state = json!({ "mode": "text", "state": { "a": { "b": [1] } } });
    let python = py_body(
        "refused = 0
state = context.session.state
for attempt in (lambda: state.update(x=1), lambda: state.__setitem__('x', 1), lambda: state.a.b.append(2),
                lambda: setattr(state, 'x', 1), lambda: state['a'].pop('b'), lambda: state.a.b.sort()):
    try:
        attempt()
    except TypeError as error:
        refused += 'read-only' in str(error)
copy = dict(state, x=1)
return [refused, copy['x'], state == {'a': {'b': [1]}}, list(state.a.b) + [2]]",
    );
    let python = python.context("session", state.clone());
    assert_eq!(python.value()["data"], json!([6, 1, true, [1, 2]]));
    let javascript = body(
        "const { state } = context.session;
         let refused = 0;
         for (const attempt of [() => { state.x = 1; }, () => { state.a.b.push(2); }, () => { delete state.a; }]) {
           try { attempt(); } catch (error) { if (error instanceof TypeError) refused += 1; }
         }
         return [refused, { ...state, x: 1 }.x, state.a.b];",
    );
    assert_eq!(javascript.context("session", state).value(), json!([3, 1, [1]]));
}

#[test]
fn only_true_shows_a_tool() {
    let source = "
def tool(name, value):
    return {'schema': {'name': name, 'description': ''}, 'condition': lambda: value}

TOOLS = [tool('yes', True), tool('no', False), tool('nothing', None), tool('word', 'no'), tool('thing', object()), tool('one', 1)]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    let asked = async |name: &str| {
        let shown = pad.side(&format!("a.py#{name}"), HookKind::Condition, Value::Null).await;
        shown.map_err(|fault| fault.to_string())
    };
    runtime().block_on(async {
        assert_eq!(asked("yes").await, Ok(json!(true)));
        assert_eq!(asked("no").await, Ok(json!(false)));
        assert_eq!(asked("nothing").await, Ok(json!(false)));
        let fault = "TypeError: the condition returned 'no'; it must return True or False";
        assert_eq!(asked("word").await, Err(fault.to_owned()));
        assert!(asked("thing").await.is_err() && asked("one").await.is_err());
    });
}
