//! Tools in module files, and their results.

use hosts::python::{HookFault, HookKind};
use policy::HandlerOutcome;
use serde_json::{Value, json};

use super::harness::Pad;
use crate::harness::runtime;

/// A file with these functions, each a tool with the function's name.
fn tools(source: &str) -> String {
    format!(
        "{source}\n\nTOOLS = [{{'function': f, 'schema': {{'name': n, 'description': ''}}}} \
         for n, f in list(globals().items()) if callable(f) and getattr(f, '__module__', '') == __name__]\n"
    )
}

#[test]
fn results_of_every_kind_become_data() {
    let source = tools(
        "import asyncio, datetime, decimal, enum, pathlib
from dataclasses import dataclass
from services.kv_store_service import kv_store
from utils.tool_utils import assistant_chunk, system_chunk

class Colour(enum.Enum):
    RED = 'red'

@dataclass
class Point:
    x: int
    colour: Colour

async def nothing(): pass
def text(): return 'text'
async def value(): return {'a': [1, 2.5, None, True, 'é\\U0001f600']}
def point(): return Point(1, Colour.RED)
def odd(): return {'set': {1}, 'tuple': (1, 2), 'date': datetime.date(2026, 1, 2), 'bytes': b'ab', 'path': pathlib.PurePosixPath('/x'), 1: 'one'}
async def half(): return ['\\ud83d', '\\ud83d\\ude00']
def blocking(): return asyncio.run(kv_store.get('k', 'default'))
def later(): return value()
def generated():
    yield assistant_chunk('a')
    yield assistant_chunk('b')
async def system_only():
    yield system_chunk('s')
def with_defaults(a, b=2, *, c=3): return [a, b, c]
async def needs_conversation(conversation_id): return conversation_id
def prints():
    print('one'); print('two', end='')
    return 'printed'
",
    );
    let pad = Pad::with_files(&[("a.py", &source)]);
    let cases = [
        ("nothing", json!({}), Value::Null),
        ("text", json!({}), json!("text")),
        ("value", json!({}), json!({ "a": [1, 2.5, null, true, "é😀"] })),
        ("point", json!({}), json!({ "x": 1, "colour": "red" })),
        (
            "odd",
            json!({}),
            json!({ "set": [1], "tuple": [1, 2], "date": "2026-01-02", "bytes": "ab", "path": "/x", "1": "one" }),
        ),
        ("half", json!({}), json!(["\u{fffd}", "😀"])),
        ("blocking", json!({}), json!("stored")),
        ("later", json!({}), json!({ "a": [1, 2.5, null, true, "é😀"] })),
        ("generated", json!({}), json!("ab")),
        ("system_only", json!({}), json!("")),
        ("with_defaults", json!({ "a": 1 }), json!([1, 2, 3])),
        ("needs_conversation", json!({}), json!("conversation-1")),
        ("prints", json!({}), json!("printed")),
    ];
    runtime().block_on(async {
        pad.far.store("k", json!("stored"));
        for (name, args, expected) in cases {
            assert_eq!(pad.data(&format!("a.py#{name}"), args).await, expected, "{name}");
        }
    });
    let lines: Vec<_> =
        pad.far.asked_for("console").iter().map(|line| line["text"].clone()).collect();
    assert_eq!(lines, ["one", "two"]);
}

#[test]
fn values_that_json_cannot_represent_are_reported_with_their_place() {
    let source = tools(
        "import datetime, threading
class Thing: pass
def thing(): return {'a': [Thing()]}
def lock(): return threading.Lock()
def infinite(): return [1, float('-inf')]
def big(): return 2 ** 70
def key(): return {(1, 2): 3}
def binary(): return b'\\xff'
def circle():
    a = []; a.append(a); return a
def laughs():
    a = [1] * 10
    for _ in range(20): a = [a] * 10
    return a
async def forgot(): return [value()]
async def value(): return 1
async def chunk():
    yield 'text'
async def sends(): 
    from services.kv_store_service import kv_store
    await kv_store.set('k', {'x': Thing()})
",
    );
    let pad = Pad::with_files(&[("a.py", &source)]);
    let cases = [
        ("thing", "the result at /a/0 is of type tools.a.Thing, which JSON cannot represent"),
        ("lock", "the result is of type _thread.lock, which JSON cannot represent"),
        ("infinite", "the result at /1 is infinite, which JSON cannot represent"),
        ("big", "the result is an integer beyond 64 bits; use str(value)"),
        ("key", "the result has a key of type tuple; keys must be text"),
        ("binary", "the result is bytes that are not UTF-8; use base64"),
        ("circle", "the result at /0/0/0 is nested deeper than 100 levels"),
        ("laughs", "the result holds more than 500000 values"),
        ("forgot", "the result at /0 is of type coroutine, which was never awaited"),
        (
            "chunk",
            "TypeError: a tool that streams must yield chunks, and this one yielded str; use assistant_chunk, system_chunk or context_chunk",
        ),
        (
            "sends",
            "what `kv.set` was given at /value/x is of type tools.a.Thing, which JSON cannot represent",
        ),
    ];
    runtime().block_on(async {
        for (name, expected) in cases {
            let found = pad.data(&format!("a.py#{name}"), json!({})).await;
            assert_eq!(found, json!(format!("threw: {expected}")), "{name}");
        }
    });
}

#[test]
fn wrong_arguments_are_a_validation_error() {
    let source = tools("async def f(a, b=1, metadata=None): return a");
    let pad = Pad::with_files(&[("a.py", &source)]);
    runtime().block_on(async {
        for (args, expected) in [
            (json!({}), "f: missing a required argument: 'a'"),
            (json!({ "a": 1, "c": 2 }), "f: got an unexpected keyword argument 'c'"),
        ] {
            let HandlerOutcome::Threw(thrown) = pad.answer("a.py#f", args).await else {
                panic!("it ran")
            };
            assert_eq!(thrown.kind, Some(contract::ErrorType::Validation));
            assert_eq!(thrown.message, expected);
            assert!(!thrown.partial_side_effects);
        }
    });
}

#[test]
fn an_exception_has_a_short_message_and_the_authors_lines() {
    let source = tools("def deep(n):\n    return 1 / n\n\nasync def f():\n    return deep(0)\n");
    let pad = Pad::with_files(&[("core/a.py", &source)]);
    runtime().block_on(async {
        let answer = pad.answer("core/a.py#f", json!({})).await;
        let HandlerOutcome::Threw(thrown) = answer else { panic!("{answer:?}") };
        assert_eq!(thrown.message, "ZeroDivisionError: division by zero");
        assert_eq!(thrown.kind, None);
        let place = "core/a.py:2\n    return 1 / n\n  from core/a.py:5\n    return deep(0)";
        assert_eq!(thrown.place.as_deref(), Some(place));
    });
}

#[test]
fn a_file_that_cannot_be_loaded_says_why() {
    let pad = Pad::with_files(&[
        ("syntax.py", "def f(:\n"),
        ("service.py", "from services.weather_service import weather\n"),
        ("name.py", "from utils.tool_utils import sparkle_chunk\n"),
        ("missing.py", "import nowhere_to_be_found\n"),
        ("empty.py", "x = 1\n"),
        ("raises.py", "raise ValueError('at the top')\n"),
    ]);
    runtime().block_on(async {
        let say = async |file: &str| {
            pad.data(&format!("{file}#f"), json!({})).await.as_str().unwrap().to_owned()
        };
        assert!(
            say("syntax.py").await.starts_with("broke: it could not be started: SyntaxError: ")
        );
        assert!(say("syntax.py").await.contains("at syntax.py:1\n    def f(:"));
        let service = say("service.py").await;
        assert!(
            service.contains(
                "there is no `services.weather_service`; provided are services.ai_service"
            ),
            "{service}"
        );
        assert!(say("name.py").await.contains("cannot import name 'sparkle_chunk'"));
        assert!(say("missing.py").await.contains("No module named 'nowhere_to_be_found'"));
        assert_eq!(
            say("empty.py").await,
            "broke: it could not be started: empty.py has no tool `f` in TOOLS"
        );
        assert_eq!(say("raises.py").await, "threw: ValueError: at the top");
        assert_eq!(
            say("none.py").await,
            "broke: it could not be started: there is no file none.py"
        );
        assert_eq!(
            say("../x.py").await,
            "broke: it could not be started: `../x.py` is not a Python file below the tools directory"
        );
    });
}

#[test]
fn helpers_are_imported_and_an_edited_file_is_used_by_the_next_call() {
    let pad = Pad::with_files(&[
        (
            "core/a.py",
            &tools(
                "from ._words import word\nfrom core._words import word as same\nfrom tools._shared.more import more\ndef f(): return [word(), same(), more]",
            ),
        ),
        ("core/_words.py", "def word(): return 'one'\n"),
        ("_shared/more.py", "more = 1\n"),
    ]);
    runtime().block_on(async {
        assert_eq!(pad.data("core/a.py#f", json!({})).await, json!(["one", "one", 1]));
        pad.write("core/_words.py", "def word(): return 'two words'\n");
        assert_eq!(pad.data("core/a.py#f", json!({})).await, json!(["two words", "two words", 1]));
        pad.write("core/a.py", &tools("def f(): return 'three'"));
        assert_eq!(pad.data("core/a.py#f", json!({})).await, "three");
    });
}

#[test]
fn failing_hooks_do_no_harm() {
    let source = "async def broken(): raise ValueError('no')
def reply(params): return {'success': 'yes'}
def extra(params, metadata): return {'success': True, 'message': params['a'] + metadata['conversation_id'], 'more': 1}
TOOLS = [{'schema': {'name': 't'}, 'condition': broken, 'report_status': broken, 'cleanup_function': broken, 'ui_handlers': {'reply': reply, 'extra': extra}}]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    runtime().block_on(async {
        for kind in [HookKind::Condition, HookKind::Status, HookKind::Cleanup] {
            let fault = pad.side("a.py#t", kind, Value::Null).await.unwrap_err();
            assert_eq!(fault.to_string(), "ValueError: no");
        }
        let fault = pad.side("a.py#t", HookKind::Ui("reply"), Value::Null).await.unwrap_err();
        assert!(matches!(&fault, HookFault::BadReply(because) if because.contains("expected a boolean")), "{fault:?}");
        let extra = pad.side("a.py#t", HookKind::Ui("extra"), json!({ "a": "in " })).await;
        assert_eq!(extra, Ok(json!({ "success": true, "message": "in conversation-1" })));
    });
}

#[test]
fn a_condition_is_evaluated_on_every_call_and_its_error_is_returned() {
    let source = "from services.kv_store_service import kv_store
async def rich(): return (await kv_store.get('balance', 0)) > 10
def broken(conversation_id): raise ValueError(conversation_id)
TOOLS = [{'schema': {'name': 'rich'}, 'condition': rich}, {'schema': {'name': 'broken'}, 'condition': broken}]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    runtime().block_on(async {
        let rich = async || pad.side("a.py#rich", HookKind::Condition, Value::Null).await.unwrap();
        assert_eq!(rich().await, false);
        let fault = pad.side("a.py#broken", HookKind::Condition, Value::Null).await.unwrap_err();
        assert_eq!(fault.to_string(), "ValueError: conversation-1");
        pad.far.store("balance", json!(11));
        assert_eq!(rich().await, true);
        pad.far.store("balance", json!(1));
        assert_eq!(rich().await, false);
        assert_eq!(pad.far.asked_for("kv.get").len(), 3);
    });
}

#[test]
fn types_and_services_are_importable_from_every_usual_place() {
    let homes = [
        "from models.tool_models import ToolMetadata, UIHandlerResponse",
        "from type_definitions import ToolDefinition, ToolSchema, JSONSchema, PropertySchema",
        "from type_definitions.tools import ToolMetadata",
        "from utils.tool_utils import ToolMetadata, ResponseChunk, UIHandlerResponse",
        "from services.tool_service import ToolDefinition",
        "from tools.types import ToolMetadata, ResponseChunk",
        "from schemas.tools import UIFeatureConfig",
        "from core.types import ToolDefinition",
        "from ghosthand import ToolError, kv_store, ai_service, persona_service",
        "from _core.error_types import ToolError, ErrorType",
        "from .._core.error_types import ToolError",
        "from services.log_service import logger",
        "from services.kv_store_service import KVStoreService\nstore = KVStoreService('data.db')",
        "import services.kv_store_service as kv\nkv.kv_store",
        "from services import kv_store_service\nkv_store_service.kv_store",
        "from utils import tool_utils\ntool_utils.system_chunk('x')",
        "from openai import OpenAI, AsyncOpenAI\nOpenAI(api_key='x', base_url='y')",
        "import types, typing, http.client, sqlite3, ssl, urllib.request, multiprocessing, concurrent.futures",
    ];
    let pad = Pad::with_files(&[]);
    runtime().block_on(async {
        for (number, home) in homes.iter().enumerate() {
            let file = format!("core/h{number}.py");
            pad.write(&file, &format!("{home}\ndef execute(): return 'found'\n"));
            assert_eq!(pad.data(&file, json!({})).await, "found", "{home}");
        }
    });
}
