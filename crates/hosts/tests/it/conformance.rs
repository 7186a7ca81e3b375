//! Cases that every host must pass: the same handler in JavaScript, Python and Rust, with one
//! expected result. Differences between the languages are named.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use contract::ErrorType;
use hosts::{JsHost, NativeContext, NativeHost, PyHost};
use policy::{BoxFuture, HandlerException, HandlerOutcome};
use serde_json::{Value, json};

use crate::fake_services::FarSide;
use crate::harness::{body, config, py_body, py_config, runtime};

/// The time limit of handlers that never end; it only bounds the test.
const SHORT_MS: u64 = 300;
const PATIENT_MS: u64 = 60_000;
const RESULT_BYTES_MAX: usize = 1 << 20;

type Native = fn(Value, NativeContext) -> BoxFuture<'static, Result<Value, HandlerException>>;

/// The same handler in three languages, and how it ends.
struct Case {
    javascript: &'static str,
    python: &'static str,
    native: Native,
    limit_ms: u64,
}

impl Case {
    /// All three end the same way.
    #[track_caller]
    fn check(self, expected: &str) {
        self.check_each(expected, expected, expected);
    }

    #[track_caller]
    fn check_each(self, javascript: &str, python: &str, native: &str) {
        check_js(self.javascript, self.limit_ms, javascript);
        check_py(self.python, self.limit_ms, python);
        check_native(self.native, self.limit_ms, native);
    }
}

#[track_caller]
fn check_native(native: Native, limit_ms: u64, expected: &str) {
    let runtime = runtime();
    let mut host = NativeHost::new(RESULT_BYTES_MAX);
    host.add("case", native);
    let far: Arc<FarSide> = Arc::default();
    let limit = Duration::from_millis(limit_ms);
    let run = host.run_handler("case", json!({ "x": 20 }), json!({}), far, limit);
    let answer = runtime.block_on(run);
    assert_eq!(end_of(&answer), expected, "native");
    runtime.shutdown_background();
}

/// On a separate host, because a child may be lost.
#[track_caller]
fn check_js(javascript: &str, limit_ms: u64, expected: &str) {
    let script = body(javascript).args(json!({ "x": 20 })).limit_ms(limit_ms);
    let answer = runtime().block_on(async {
        let host = JsHost::start(config());
        host.level().await.unwrap();
        let answer = script.run_on(&host).await.answer;
        // The host still works.
        let next = body("return 'well';").run_on(&host).await.answer;
        assert_eq!(next, HandlerOutcome::Returned(json!("well")));
        answer
    });
    assert_eq!(end_of(&answer), expected, "JavaScript");
}

#[track_caller]
pub(crate) fn check_py(python: &str, limit_ms: u64, expected: &str) {
    // Started before, so that the limit does not include the start of a worker.
    let python = format!("if args.get('started'): return 1\n{python}");
    let script = py_body(&python).file("t/next.py", "def execute():\n    return 'well'\n");
    let script = script.args(json!({ "started": true })).limit_ms(PATIENT_MS);
    let answer = runtime().block_on(async {
        let host = PyHost::start(py_config());
        script.run_on(&host).await;
        let script = script.args(json!({ "x": 20 })).limit_ms(limit_ms);
        let answer = script.run_on(&host).await.answer;
        // The host still works, with another file of the same folder.
        let next = script.handler("t/next.py").limit_ms(PATIENT_MS).run_on(&host).await.answer;
        assert_eq!(
            next,
            HandlerOutcome::Returned(json!({ "ok": true, "data": "well", "intents": [] }))
        );
        answer
    });
    assert_eq!(end_of(&answer), expected, "Python");
}

fn end_of(answer: &HandlerOutcome) -> String {
    match answer {
        HandlerOutcome::Returned(value) => format!("returned {value}"),
        HandlerOutcome::Threw(HandlerException {
            kind: Some(kind), message, retryable, ..
        }) => {
            format!("threw {kind}: {message} (retryable: {retryable})")
        }
        HandlerOutcome::Threw(HandlerException { kind: None, message, .. }) => {
            format!("threw: {message}")
        }
        HandlerOutcome::Broke(breakdown) => format!("broke: {breakdown}"),
    }
}

fn thrown(kind: Option<ErrorType>, message: &str) -> HandlerException {
    HandlerException {
        kind,
        message: message.into(),
        retryable: kind.is_some(),
        partial_side_effects: false,
        details: Value::Null,
        place: None,
    }
}

/// Releases a native handler that blocks its thread.
static DONE: AtomicBool = AtomicBool::new(false);

#[test]
fn a_result_is_returned() {
    Case {
        javascript: "return { ok: true, data: { twice: args.x * 2 } };",
        python: "return {'ok': True, 'data': {'twice': args['x'] * 2}}",
        native: |args, _| {
            Box::pin(async move {
                let twice = args["x"].as_i64().unwrap_or_default() * 2;
                Ok(json!({ "ok": true, "data": { "twice": twice } }))
            })
        },
        limit_ms: PATIENT_MS,
    }
    .check(r#"returned {"ok":true,"data":{"twice":40}}"#);
}

#[test]
fn a_service_is_called_and_its_refusal_can_be_caught() {
    Case {
        javascript: "try { await context.kv.get('other/key'); }
            catch (fault) { return { ok: true, data: [fault.code, fault.message] }; }",
        python: "try:\n    await context.kv.get('other/key')
except Exception as fault:\n    return {'ok': True, 'data': [fault.code, str(fault)]}",
        native: |_, context| {
            Box::pin(async move {
                let fault =
                    context.call("kv.get", json!({ "key": "other/key" })).await.unwrap_err();
                Ok(json!({ "ok": true, "data": [fault.code, fault.message] }))
            })
        },
        limit_ms: PATIENT_MS,
    }
    .check(r#"returned {"ok":true,"data":["FORBIDDEN","the tool does not name this prefix"]}"#);
}

#[test]
fn attached_files_are_listed_and_read() {
    Case {
        javascript: "const [file] = await context.attachments.list();
            const text = await context.attachments.text(file.id);
            const bytes = await context.attachments.bytes(file.id);
            return { ok: true, data: [file.name, text, [...bytes]] };",
        python: "[file] = await context.attachments.list()
text = await context.attachments.text(file['id'])
content = await context.attachments.bytes(file['id'])
return {'ok': True, 'data': [file['name'], text, list(content)]}",
        native: |_, context| {
            Box::pin(async move {
                let call = |name, args| context.call(name, args);
                let files = call("attachments.list", json!({})).await.unwrap();
                let id = json!({ "id": files[0]["id"] });
                let read = call("attachments.text", id).await.unwrap();
                let data = json!([files[0]["name"], read["text"], [0, 255, 128]]);
                Ok(json!({ "ok": true, "data": data }))
            })
        },
        limit_ms: PATIENT_MS,
    }
    .check(r#"returned {"ok":true,"data":["a.txt","one",[0,255,128]]}"#);
}

#[test]
fn a_tool_error_keeps_its_type() {
    Case {
        javascript: "const error = new Error('the line is dead');
         error.type = 'TRANSIENT'; error.retryable = true;
         Object.defineProperty(error, Symbol.for('ghosthand.ToolError'), { value: true });
         throw error;",
        python: "from _core.error_types import ErrorType, ToolError
raise ToolError(ErrorType.TRANSIENT, 'the line is dead', retryable=True)",
        native: |_, _| {
            Box::pin(async { Err(thrown(Some(ErrorType::Transient), "the line is dead")) })
        },
        limit_ms: PATIENT_MS,
    }
    .check("threw TRANSIENT: the line is dead (retryable: true)");
}

#[test]
fn any_other_exception_has_no_type() {
    Case {
        javascript: "throw new Error('oh no');",
        python: "raise Exception('oh no')",
        native: |_, _| Box::pin(async { panic!("oh no") }),
        limit_ms: PATIENT_MS,
    }
    .check_each("threw: oh no", "threw: oh no", "threw: the handler panicked: oh no");
}

#[test]
fn a_wait_that_never_ends_is_stopped_at_the_limit() {
    Case {
        javascript: "await new Promise(() => {});",
        python: "await asyncio.Event().wait()",
        native: |_, _| Box::pin(pending()),
        limit_ms: SHORT_MS,
    }
    .check_each(
        // JavaScript reports this without waiting for the limit.
        "broke: it waits for something that can never happen",
        "broke: it ran longer than 300 ms and was stopped",
        "broke: it ran longer than 300 ms and was stopped",
    );
}

#[test]
fn a_service_that_never_answers_ends_at_the_limit() {
    Case {
        javascript: "await context.kv.get('never');",
        python: "await context.kv.get('never')",
        native: |_, context| {
            Box::pin(
                async move { Ok(context.call("kv.get", json!({ "key": "never" })).await.unwrap()) },
            )
        },
        limit_ms: SHORT_MS,
    }
    .check("broke: it ran longer than 300 ms and was stopped");
}

#[test]
fn a_loop_ends_at_the_limit() {
    Case {
        javascript: "for (;;) {}",
        python: "while True:\n    pass",
        native: |_, _| {
            Box::pin(async {
                while !DONE.load(SeqCst) {
                    std::hint::spin_loop();
                }
                Ok(Value::Null)
            })
        },
        limit_ms: SHORT_MS,
    }
    .check("broke: it ran longer than 300 ms and was stopped");
    DONE.store(true, SeqCst);
}

#[test]
fn a_flood_of_chunks_ends_the_call() {
    Case {
        javascript: "for (;;) await context.assistant('x');",
        python: "while True:\n    await context.assistant('x')",
        native: |_, _| {
            // Native code is trusted: only the service itself counts its chunks.
            Box::pin(async { Ok(Value::Null) })
        },
        limit_ms: PATIENT_MS,
    }
    .check_each(
        "broke: it used more than 10000 chunks and was stopped",
        "broke: it used more than 10000 chunks and was stopped",
        "returned null",
    );
}

#[test]
fn a_huge_result_is_refused() {
    Case {
        javascript: "return { text: 'x'.repeat(2 ** 20) };",
        python: "return {'text': 'x' * 2 ** 20}",
        native: |_, _| Box::pin(async { Ok(json!({ "text": "x".repeat(1 << 20) })) }),
        limit_ms: PATIENT_MS,
    }
    .check_each(
        "threw: the result at /text is beyond the limit of 1048576 bytes",
        "threw: the result is beyond the limit of 1048576 bytes",
        "threw: the result is beyond the limit of 1048576 bytes",
    );
    let sparse = "const list = []; list.length = 2 ** 32 - 1; return list;";
    let expected = "threw: the result at /0 is undefined; write null, or leave it out";
    check_js(sparse, PATIENT_MS, expected);
}

#[test]
fn a_number_that_json_cannot_represent_is_refused() {
    Case {
        javascript: "return { data: [1, NaN] };",
        python: "return {'data': [1, float('nan')]}",
        native: |_, _| {
            // A `serde_json` value cannot contain one.
            Box::pin(async { Ok(json!([1, f64::NAN])) })
        },
        limit_ms: PATIENT_MS,
    }
    .check_each(
        "threw: the result at /data/1 is NaN, which JSON cannot represent",
        "threw: the result at /data/1 is NaN, which JSON cannot represent",
        "returned [1,null]",
    );
}

/// Cases for sandboxed languages only.
#[test]
fn a_handler_that_crashes_its_process_affects_no_other_call() {
    let exits = "import os\nos._exit(3)";
    check_py(
        exits,
        PATIENT_MS,
        "broke: the process that ran it ended: its channel ended; it ended with code 3",
    );
    let segfault = "import ctypes\nctypes.string_at(0)";
    let crash = run_py(segfault);
    let expected = "broke: the process that ran it ended: its channel ended; it ended by signal 11: Fatal Python error: Segmentation fault, at t/handler.py:3";
    assert_eq!(crash, expected);
    check_py(
        "import os\nos.fork()",
        PATIENT_MS,
        "threw: PermissionError: [Errno 1] Operation not permitted: the sandbox has no network, no other processes, and no files but its own",
    );
    check_py("exit(7)", PATIENT_MS, "threw: the tool called exit(7)");
}

#[test]
fn standard_input_and_output_do_not_touch_the_channel() {
    check_py(
        "import os, sys
print('{\"done\": 1}', flush=True)
sys.__stdout__.write('hello')
os.write(1, b'\\x05\\x00\\x00\\x00hello')
os.system('echo hello')
try:
    input('? ')
except EOFError:
    return {'ok': True, 'data': 'nothing to read'}",
        PATIENT_MS,
        r#"returned {"ok":true,"data":"nothing to read"}"#,
    );
}

fn run_py(python: &str) -> String {
    end_of(&py_body(python).never_repeated().answer())
}

#[test]
fn a_flood_of_promises_ends_at_the_limit() {
    let flood = "const again = () => Promise.resolve().then(again); await again();";
    check_js(flood, SHORT_MS, "broke: it ran longer than 300 ms and was stopped");
    let loops = "for (;;) await null;";
    check_js(loops, SHORT_MS, "broke: it ran longer than 300 ms and was stopped");
}

#[test]
fn a_stuck_native_function_of_the_engine_ends_at_the_limit() {
    let timed_out = "broke: it ran longer than 300 ms and was stopped";
    for wedge in [
        "const list = []; list.length = 2 ** 32 - 1; return list.join('');",
        "const list = []; list.length = 2 ** 32 - 1; return list.reverse().length;",
        "const list = []; list.length = 2 ** 32 - 1; list.copyWithin(0, 1);",
    ] {
        check_js(wedge, SHORT_MS, timed_out);
    }
}

#[test]
fn a_pattern_that_explodes_ends_at_the_limit() {
    let bomb = "return /^(a+)+$/.test('a'.repeat(40) + '!');";
    check_js(bomb, SHORT_MS, "broke: it ran longer than 300 ms and was stopped");
}

#[test]
fn endless_recursion_is_an_exception_with_a_place() {
    let thrown = body("const deeper = () => 1 + deeper();\nreturn deeper();").thrown();
    assert_eq!(thrown.kind, None);
    assert!(thrown.message.contains("Maximum call stack size exceeded"), "{}", thrown.message);
    let place = thrown.place.unwrap();
    assert!(place.starts_with("t/handler.js:2:"), "{place}");
    assert!(place.ends_with("const deeper = () => 1 + deeper();"), "{place}");
}

#[test]
fn memory_has_a_limit() {
    let used_up = "broke: it used more than 64 MiB of memory and was stopped";
    check_js("const all = []; for (;;) all.push(new Array(1000).fill(1));", PATIENT_MS, used_up);
    check_js("const all = []; for (;;) all.push('x'.repeat(1e6));", PATIENT_MS, used_up);
    check_js("return 'x'.repeat(2 ** 29).length;", PATIENT_MS, used_up);
    check_js("return new Uint8Array(2 ** 30).length;", PATIENT_MS, used_up);
}

#[test]
fn cpu_time_has_its_own_limit() {
    let mut config = config();
    config.limits.cpu_ms_max = 100;
    let answer = runtime()
        .block_on(async { body("for (;;) {}").run_on(&JsHost::start(config)).await.answer });
    assert_eq!(end_of(&answer), "broke: it used more than 100 ms of CPU time and was stopped");
}

#[test]
fn every_flood_ends_the_call() {
    let bytes = "for (;;) await context.emit('system', 'x'.repeat(100000));";
    check_js(bytes, PATIENT_MS, "broke: it used more than 4194304 bytes of chunks and was stopped");
    let unread = "for (;;) context.assistant('x');";
    let at_once = "broke: it used more than 1024 service calls at once and was stopped";
    check_js(unread, PATIENT_MS, at_once);
    let caught = "for (;;) { try { context.audit.log('x'); } catch {} }";
    check_js(caught, PATIENT_MS, "broke: it used more than 20000 service calls and was stopped");
    let timers = "for (;;) setTimeout(() => {}, 1e6);";
    check_js(timers, PATIENT_MS, "broke: it used more than 1000 timers at once and was stopped");
}

#[test]
fn a_result_that_is_not_json_is_reported_clearly() {
    let check = |source: &str, expected: &str| {
        assert_eq!(body(source).thrown().message, expected, "{source}");
    };
    check("", "`execute` returned undefined; return `{ ok: true, data: … }`");
    check("return () => 1;", "the result is a function");
    check("return { data: { f() {} } };", "the result at /data/f is a function");
    check(
        "return { data: 10n };",
        "the result at /data is a BigInt; use String(value) or Number(value)",
    );
    check(
        "return { data: [1, undefined] };",
        "the result at /data/1 is undefined; write null, or leave it out",
    );
    check("return { 'a/b': Symbol('s') };", "the result at /a~1b is a symbol");
    check("return { data: NaN };", "the result at /data is NaN, which JSON cannot represent");
    check("return [Promise.resolve(1)];", "the result at /0 is a promise; await it");
    check("return { data: new Error('x') };", "the result at /data is an Error; write its message");
    check(
        "const a = {}; a.a = { a }; return a;",
        "the result at /a/a is a cycle: the value contains itself",
    );
    check(
        "return { get x() { throw new Error('trap'); } };",
        "the result could not be read: Error: trap",
    );
    let deep = "let deep = 1; for (let i = 0; i < 101; i += 1) deep = [deep]; return deep;";
    assert!(body(deep).thrown().message.ends_with("is nested deeper than 100 levels"));
}

#[test]
fn valid_json_is_returned_unchanged() {
    let source = "return { a: [1, -0.5, 1e21, 2 ** 53, true, null, 'é\\u0000😀'], gone: undefined,
        date: new Date(0), ['__proto__']: 1, shared: [args, args] };";
    let expected = json!({
        "a": [1, -0.5, 1e21, 9_007_199_254_740_992_u64, true, null, "é\u{0}😀"],
        "date": "1970-01-01T00:00:00.000Z",
        "__proto__": 1,
        "shared": [{ "x": 1 }, { "x": 1 }],
    });
    assert_eq!(body(source).args(json!({ "x": 1 })).value(), expected);
}

#[test]
fn a_lone_surrogate_is_replaced() {
    let script = body(
        "await context.messaging.send({ '\\udc00': 'a\\ud800b' }); return ['\\ud83d', '\\ud83d\\ude00', '\\\\ud83d'];",
    );
    assert_eq!(script.value(), json!(["\u{fffd}", "😀", "\\ud83d"]));
    let sent = script.far.asked_for("messaging.send");
    assert_eq!(sent, [json!({ "message": { "\u{fffd}": "a\u{fffd}b" } })]);
}

#[test]
fn errors_show_file_line_and_source() {
    let thrown = body("return args.nothing.more;").thrown();
    assert!(thrown.message.starts_with("TypeError: "), "{}", thrown.message);
    let place = thrown.place.unwrap();
    assert!(place.starts_with("t/handler.js:2:"), "{place}");
    assert!(place.ends_with("\n    return args.nothing.more;"), "{place}");

    // A refused service reports the line that called it.
    let thrown = body("\nawait context.secrets.get('password');").thrown();
    assert!(thrown.place.unwrap().starts_with("t/handler.js:3:"));
    assert_eq!(thrown.message, "the tool does not name this secret");
    assert!(thrown.partial_side_effects, "it has called a service, so effects cannot be ruled out");
}
