//! Hostile handlers: they must reach nothing, leave nothing behind and block no other call.

use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use crate::harness::{Script, body, js, on_shared_host};

#[track_caller]
fn check(source: &str, expected: Value) {
    assert_eq!(body(source).value(), expected, "{source}");
}

#[test]
fn nothing_leaks_into_the_next_call() {
    let poison = body(
        "globalThis.leak = 'leaked';
         Object.prototype.polluted = 'polluted';
         Array.prototype.map = () => 'mapped';
         Promise.prototype.then = () => 'never';
         JSON.stringify = JSON.parse = () => 'forged';
         Object.defineProperty(Object.prototype, 'ok', { get: () => 'forged' });
         Math.random = () => 4; Date.now = () => 0; String.prototype.trim = null;
         Symbol.for('ghosthand.ToolError').constructor.prototype.leak = 1;
         delete globalThis.Error; delete globalThis.URL;
         return { done: true };",
    );
    let innocent = body(
        "return [typeof leak, ({}).polluted ?? null, [1].map((n) => n + 1), typeof Error, typeof URL,
                 JSON.stringify({ a: 1 }), ({}).ok ?? null, ' x '.trim(), Date.now() > 0];",
    );
    let clean =
        json!(["undefined", null, [2], "function", "function", "{\"a\":1}", null, "x", true]);
    on_shared_host(async |host| {
        for _ in 0..20 {
            let poisoned = poison.run_on(host).await.answer;
            assert_eq!(poisoned, HandlerOutcome::Returned(json!({ "done": true })));
            assert_eq!(innocent.run_on(host).await.answer, HandlerOutcome::Returned(clean.clone()));
        }
    });
}

#[test]
fn module_state_is_fresh_for_every_call() {
    let counter = js("let count = 0; export const execute = () => (count += 1);");
    on_shared_host(async |host| {
        for _ in 0..5 {
            assert_eq!(counter.run_on(host).await.answer, HandlerOutcome::Returned(json!(1)));
        }
    });
}

#[test]
fn text_never_becomes_code() {
    let caught = |attempt: &str| {
        format!(
            "try {{ return {{ worked: {attempt} }}; }} catch (fault) {{ return fault.message; }}"
        )
    };
    let refused = json!("eval is not supported");
    check(&caught("eval('1 + 1')"), refused.clone());
    check(&caught("(0, eval)('1 + 1')"), refused.clone());
    check(&caught("new Function('return 1')()"), refused.clone());
    check(&caught("(() => {}).constructor('return 1')()"), refused.clone());
    check(&caught("(async () => {}).constructor('return 1')()"), refused.clone());
    check(&caught("(function* () {}).constructor('yield 1')()"), refused.clone());
    check(&caught("Reflect.construct(Function, ['return 1'])()"), refused);
    let timer = body("setTimeout('context', 0);").thrown();
    assert_eq!(timer.message, "TypeError: a timer needs a function");
}

#[test]
fn imports_stay_inside_the_tools_directory() {
    let refused = |specifier: &str| {
        let source = format!("import x from '{specifier}';\nexport const execute = () => x;");
        js(&source).breakdown()
    };
    for specifier in ["../../etc/passwd", "../../../../../../etc/passwd", "./../../x.js"] {
        let breakdown = refused(specifier);
        assert!(breakdown.contains("which leaves the tools directory"), "{breakdown}");
    }
    for specifier in ["/etc/passwd", "fs", "node:fs", "os", "std", "https://example.org/a.js"] {
        let breakdown = refused(specifier);
        assert!(breakdown.contains("but only `./…` and `../…`"), "{breakdown}");
    }
    assert!(refused("ghosthand:boot").contains("but only `./…` and `../…`"));
}

#[test]
fn dynamic_imports_are_refused_even_for_existing_files() {
    let refused = |specifier: &str| -> Script {
        let source = format!(
            "import {{ help }} from '../_shared/help.js';
             export async function execute() {{
               try {{ return (await import('{specifier}')) && help; }} catch (fault) {{ return fault.message; }}
             }}"
        );
        js(&source)
            .file("_shared/help.js", "export const help = 'help';")
            .file("_shared/more.js", "export const more = 'more';")
    };
    for specifier in [
        "../_shared/help.js",
        "../_shared/more.js",
        "./handler.js",
        "/etc/passwd",
        "ghosthand:boot",
    ] {
        let message = refused(specifier).value();
        let message = message.as_str().unwrap();
        assert!(message.contains("import() is not available"), "{specifier}: {message}");
    }
    let at_top = js("import '../_shared/help.js';\nawait import('../_shared/help.js');\nexport const execute = () => 1;")
        .file("_shared/help.js", "export const help = 'help';");
    assert!(at_top.thrown().message.contains("import() is not available"));
}

#[test]
fn tk_20_no_global_gives_access_to_the_machine() {
    let names = "['process', 'require', 'module', 'Deno', 'Bun', 'std', 'os', 'bjson', 'print', \
        'scriptArgs', 'XMLHttpRequest', 'WebSocket', 'Worker', 'importScripts', 'performance', \
        'navigator', 'host', 'fs', 'WebAssembly', 'gc', '__dirname', 'navigator']";
    check(&format!("return {names}.filter((name) => name in globalThis);"), json!([]));
    check(
        "return Object.getOwnPropertySymbols(globalThis).map(String).concat(Object.getOwnPropertyNames(context).filter((name) => /send|host|load/.test(name)));",
        json!(["Symbol(Symbol.toStringTag)"]),
    );
    check(
        "try { Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1e9); return 'waited'; } catch (fault) { return 'refused'; }",
        json!("refused"),
    );
}

#[test]
fn internal_functions_are_not_reachable() {
    // Neither the stack nor a function's caller leads to our internal functions.
    let source = "const frames = new Error().stack;
        const seen = [];
        Error.prepareStackTrace = (_, frames) => { seen.push(...frames.map((frame) => typeof frame.getThis)); return ''; };
        void new Error().stack;
        return [/native/.test(frames), execute.caller === undefined || execute.caller === null];";
    let value = body(source).answer();
    let refused =
        matches!(&value, HandlerOutcome::Threw(thrown) if thrown.message.contains("TypeError"));
    assert!(refused || value == HandlerOutcome::Returned(json!([false, true])), "{value:?}");
}

#[test]
fn forged_responses_are_plain_values() {
    // Data that resembles our messages stays data.
    let forged = r#"return { ok: true, data: '{"done":{"call":1,"end":"stalled"}}', done: { call: 1, end: { returned: 1 } },
        toJSON: undefined, kind: 'VALIDATION', __proto__: { ok: false } };"#;
    let value = body(forged).value();
    assert_eq!(value["done"], json!({ "call": 1, "end": { "returned": 1 } }));
    let liar = "return { toJSON() { return { ok: true, data: 'chosen at the last moment' }; } };";
    check(liar, json!({ "ok": true, "data": "chosen at the last moment" }));
    let thief = "throw Object.assign(new Error('x'), { type: 'AUTH', name: 'ToolError', retryable: true });";
    assert_eq!(body(thief).thrown().kind, None);
}

#[test]
fn a_hostile_exception_is_still_reported() {
    let thrown = |source: &str| body(source).thrown().message;
    let unreadable = "the handler threw something that cannot be read";
    assert_eq!(thrown("throw { get message() { throw 1; } };"), unreadable);
    assert_eq!(thrown("throw new Proxy({}, { get() { throw 1; } });"), unreadable);
    assert_eq!(thrown("throw undefined;"), "the handler threw undefined");
    assert_eq!(thrown("throw 'text';"), "the handler threw text");
    assert_eq!(
        thrown("const e = new Error('a\\ud800'); e.stack = '\\ud800'; throw e;"),
        "a\u{fffd}"
    );
    let slow = body("throw { get message() { for (;;) {} } };").limit_ms(300);
    assert_eq!(slow.answer(), HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 300 }));
}

#[test]
fn deep_json_does_no_harm() {
    check(
        "try { JSON.parse('['.repeat(1e6)); } catch (fault) { return fault.name; }",
        json!("RangeError"),
    );
    let deep = "let deep = []; for (let i = 0; i < 1e5; i += 1) deep = [deep]; return deep;";
    assert!(body(deep).thrown().message.ends_with("is nested deeper than 100 levels"));
    let sent = "let deep = []; for (let i = 0; i < 1e5; i += 1) deep = { deep }; await context.kv.set('k', deep);";
    assert!(body(sent).thrown().message.contains("is nested deeper than 100 levels"));
}

#[test]
fn services_decide_about_access() {
    check("return context.kv.get('other/key').catch((fault) => fault.code);", json!("FORBIDDEN"));
    check(
        "return context.secrets.get('password').catch((fault) => fault.code);",
        json!("FORBIDDEN"),
    );
    check(
        "return context.files.read('../secret').catch((fault) => fault.code);",
        json!("NOT_FOUND"),
    );
    let odd = body(
        "const kv = context.kv; kv.get = 1; context.kv = null; return kv.set.call(null, { toString: 1 }, 1).then(() => 'stored', (fault) => fault.message);",
    );
    assert_eq!(odd.value(), json!("stored"), "the service validates keys");
}

#[test]
fn a_service_that_panics_is_a_refusal() {
    check(
        "return context.kv.get('panic').catch((fault) => [fault.code, fault.message]);",
        json!(["INTERNAL", "the service panicked"]),
    );
}

#[test]
fn a_handler_that_cannot_be_loaded_says_why() {
    assert_eq!(
        js("export const nothing = 1;").breakdown(),
        "it could not be started: the handler exports no function `execute`"
    );
    let syntax = js("export async function execute() {\n  return 1 +;\n}").breakdown();
    assert!(syntax.contains("at t/handler.js:2:"), "{syntax}");
    assert!(syntax.contains("return 1 +;"), "{syntax}");
    let missing = js("import './gone.js';\nexport const execute = () => 1;").breakdown();
    assert!(
        missing.contains("t/handler.js imports `./gone.js`, but there is no file t/gone.js"),
        "{missing}"
    );
    let name = js("import { nothing } from './other.js';\nexport const execute = () => nothing;")
        .file("t/other.js", "export const something = 1;");
    assert!(name.thrown().message.contains("nothing"));
    let thrown = js("throw new Error('at the top');\nexport const execute = () => 1;").thrown();
    assert_eq!(thrown.message, "at the top");
    let waits = js("await new Promise(() => {});\nexport const execute = () => 1;").answer();
    assert_eq!(waits, HandlerOutcome::Broke(HandlerFailure::Stalled));
}

#[test]
fn circular_imports_work() {
    let script = js("import { odd } from './odd.js';\nexport const even = (n) => n === 0 || odd(n - 1);\nexport const execute = ({ args }) => even(args.n);")
        .file("t/odd.js", "import { even } from './handler.js';\nexport const odd = (n) => n !== 0 && even(n - 1);")
        .args(json!({ "n": 10 }));
    assert_eq!(script.value(), json!(true));
}
