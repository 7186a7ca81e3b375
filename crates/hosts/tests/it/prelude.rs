//! What handlers get: `context`, the error types and our web APIs.

use contract::ErrorType;
use serde_json::{Value, json};

use crate::harness::{body, js};

#[track_caller]
fn check(expression: &str, expected: Value) {
    assert_eq!(body(&format!("return {expression};")).value(), expected, "{expression}");
}

#[test]
fn a_tool_error_carries_everything() {
    let script = js("import { ToolError, ErrorType, IntentType } from '../_core/error-types.js';
export async function execute() {
  if (IntentType.SUPPRESS_AUDIO !== 'SUPPRESS_AUDIO') return 1;
  throw new ToolError(ErrorType.RATE_LIMIT, 'slow down', {
    retryable: true, partialSideEffects: true, details: { seconds: 3 },
  });
}");
    let thrown = script.thrown();
    assert_eq!(thrown.kind, Some(ErrorType::RateLimit), "{thrown:?}");
    assert_eq!((thrown.message.as_str(), thrown.retryable), ("slow down", true));
    assert!(thrown.partial_side_effects);
    assert_eq!(thrown.details, json!({ "seconds": 3 }));
    assert!(thrown.place.unwrap().starts_with("t/handler.js:4:"));

    let odd = js("import { ToolError } from '../_core/error-types.js';
export const execute = () => { throw new ToolError('ODD', 'strange'); };");
    assert_eq!(odd.thrown().message, "strange (unknown error type `ODD`)");
}

#[test]
fn the_context_is_what_the_capabilities_allow() {
    let names = "return Object.keys(context).sort();";
    let always = json!([
        "ask",
        "assistant",
        "audit",
        "call",
        "clientId",
        "context",
        "emit",
        "messaging",
        "progress",
        "session",
        "signal",
        "system",
        "tool",
        "voice"
    ]);
    let nothing = body(names).context("capabilities", json!({}));
    assert_eq!(nothing.value(), always);
    let fetch = body("return [typeof fetch, typeof context.fetch, context.kv === undefined];");
    let without = fetch.context("capabilities", json!({ "net": false }));
    assert_eq!(without.value(), json!(["undefined", "undefined", true]));
    let all = body(
        "return ['kv', 'files', 'fetch', 'secrets', 'attachments'].map((name) => typeof context[name]);",
    );
    assert_eq!(all.value(), json!(["object", "object", "function", "object", "object"]));
    let voice = body("return context.voice.isActive();");
    assert_eq!(voice.value(), json!(false));
    let voice =
        body("return context.voice.isActive();").context("session", json!({ "mode": "voice" }));
    assert_eq!(voice.value(), json!(true));
}

#[test]
fn services_are_called_by_name_and_in_order() {
    let script = body(
        "context.audit.log('begin', { n: 1 });
         await context.progress(0.5, 'half');
         context.assistant('a'); context.system('b'); context.context('c');
         await context.emit('assistant', 4);
         console.warn('careful', { a: [1] }, new Error('x'));
         const before = await context.kv.get('k');
         const { revision } = await context.kv.set('k', { v: 1 }, { expectedRevision: null, ttlMs: 5 });
         const list = await context.kv.list('k');
         const gone = await context.kv.delete('k');
         return { before, revision, list, gone, secret: await context.secrets.get('token') };",
    );
    let expected = json!({
        "before": null, "revision": 1, "list": ["k"], "gone": true, "secret": "s3cret"
    });
    assert_eq!(script.value(), expected);
    let asked = script.far.asked();
    let ordered: Vec<_> =
        asked.iter().filter(|(name, _)| !name.starts_with("kv") && name != "secrets.get").collect();
    let chunk = |channel: &str, text: &str| {
        ("chunk".to_owned(), json!({ "channel": channel, "text": text }))
    };
    let expected = [
        ("audit.log".to_owned(), json!({ "event": "begin", "data": { "n": 1 } })),
        ("progress".to_owned(), json!({ "fraction": 0.5, "note": "half" })),
        chunk("assistant", "a"),
        chunk("system", "b"),
        chunk("context", "c"),
        chunk("assistant", "4"),
        ("console".to_owned(), json!({ "level": "warn", "text": "careful {\"a\":[1]} Error: x" })),
    ];
    assert_eq!(ordered, expected.iter().collect::<Vec<_>>());
    let set = json!({ "expectedRevision": null, "ttlMs": 5, "key": "k", "value": { "v": 1 } });
    assert_eq!(script.far.asked_for("kv.set"), [set]);
}

#[test]
fn events_before_the_end_are_delivered_before_the_answer() {
    let script = body("for (let i = 0; i < 50; i += 1) context.audit.log('step', i);\nreturn 1;");
    assert_eq!(script.value(), json!(1));
    assert_eq!(script.far.asked_for("audit.log").len(), 50);
}

#[test]
fn fetch_answers_like_on_the_web() {
    let script = body(
        "const answer = await fetch(new URL('/x?q=1', 'https://example.org/a/b'), {
           method: 'post', headers: { 'X-One': ' 1 ' }, body: new URLSearchParams({ a: 'b c' }),
         });
         const asked = await answer.json();
         const again = await answer.text().catch((fault) => fault.message);
         return [answer.ok, answer.status, answer.headers.get('Content-Type'), answer.url, asked, again];",
    );
    let asked = json!({
        "url": "https://example.org/x?q=1", "method": "POST", "redirect": "follow", "body": "a=b+c",
        "headers": [
            ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"], ["x-one", "1"]
        ],
    });
    let expected = json!([
        true,
        200,
        "application/json",
        "https://example.org/x?q=1",
        asked,
        "the body has been read already"
    ]);
    assert_eq!(script.value(), expected);
    check(
        "(await new Response(new Uint8Array([255, 0, 254]), { status: 404 }).arrayBuffer()).byteLength",
        json!(3),
    );
}

#[test]
fn addresses_are_parsed_like_on_the_web() {
    for (input, base, expected) in [
        (
            "https://User:p@EXAMPLE.org:443/a/../b/./c?x=1#y",
            "",
            "https://User:p@example.org/b/c?x=1#y",
        ),
        ("http://example.org:8080", "", "http://example.org:8080/"),
        ("../c?d", "https://example.org/a/b/", "https://example.org/a/c?d"),
        ("//other.org/x", "https://example.org/", "https://other.org/x"),
        ("?q", "https://example.org/a?b#c", "https://example.org/a?q"),
        ("#h", "https://example.org/a?b#c", "https://example.org/a?b#h"),
        ("https://example.org/ü ö?ä=ß", "", "https://example.org/%C3%BC%20%C3%B6?%C3%A4=%C3%9F"),
        ("https:\\\\example.org\\a", "", "https://example.org/a"),
        ("http://0x7f.1/", "", "http://127.0.0.1/"),
        ("http://2130706433/", "", "http://127.0.0.1/"),
        ("http://[::1]:80/", "", "http://[::1]/"),
        ("mailto:ana@example.org", "", "mailto:ana@example.org"),
        ("data:text/plain,hi there", "", "data:text/plain,hi%20there"),
        ("file:///etc/passwd", "", "file:///etc/passwd"),
        ("https://example.org:99999/", "", "no"),
        ("https://exa mple.org/", "", "no"),
        ("http://256.1.1.1/", "", "no"),
        ("/relative", "", "no"),
        ("https://", "", "no"),
    ] {
        let script = body(
            "try { return new URL(args.input, args.base || undefined).href; } catch { return 'no'; }",
        );
        let value = script.args(json!({ "input": input, "base": base })).value();
        assert_eq!(value, expected, "{input} from {base}");
    }
    check(
        "(() => { const url = new URL('https://a.org/?x=1&y=2'); url.searchParams.set('x', 'ä&'); \
         url.searchParams.append('z', '~'); url.hash = 'h'; url.port = '8443'; return url.href; })()",
        json!("https://a.org:8443/?x=%C3%A4%26&y=2&z=%7E#h"),
    );
    check(
        "[...new URLSearchParams('a=1&b=%zz&a=+2')]",
        json!([["a", "1"], ["b", "%zz"], ["a", " 2"]]),
    );
    check("JSON.stringify({ u: new URL('https://a.org') })", json!(r#"{"u":"https://a.org/"}"#));
}

#[test]
fn text_bytes_and_base64_round_trip() {
    let text = "const text = 'aé€😀';";
    check(
        &format!(
            "(() => {{ {text} const bytes = new TextEncoder().encode(text); \
          return [bytes.length, new TextDecoder().decode(bytes) === text]; }})()"
        ),
        json!([10, true]),
    );
    check(
        "new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97, 0xff, 0xe2, 0x82]))",
        json!("a\u{fffd}\u{fffd}"),
    );
    check(
        "(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xc0, 0x80])); } catch (e) { return e.name; } })()",
        json!("TypeError"),
    );
    check(
        "(() => { const d = new TextDecoder(); return d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + d.decode(new Uint8Array([0xac])); })()",
        json!("€"),
    );
    check(
        "['', 'a', 'ab', 'abc', '\\xff\\x00'].map((s) => [btoa(s), atob(btoa(s)) === s])",
        json!([["", true], ["YQ==", true], ["YWI=", true], ["YWJj", true], ["/wA=", true]]),
    );
    check(
        "(() => { try { btoa('€'); } catch (e) { return e.name; } })()",
        json!("InvalidCharacterError"),
    );
}

#[test]
fn clones_are_deep_and_keep_cycles() {
    check(
        "(() => { const a = { d: new Date(5), m: new Map([[1, { x: 1 }]]), s: new Set([1]), b: new Uint8Array([1, 2]) }; \
         a.self = a; const c = structuredClone(a); \
         return [c !== a, c.self === c, +c.d, c.m.get(1).x, c.m.get(1) !== a.m.get(1), c.s.has(1), c.b[1]]; })()",
        json!([true, true, 5, 1, true, true, 2]),
    );
    check(
        "(() => { try { structuredClone(() => 1); } catch (e) { return e.name; } })()",
        json!("DataCloneError"),
    );
}

#[test]
fn timers_run_in_order_and_can_be_cleared() {
    let script = body(
        "const seen = [];
         const cleared = setTimeout(() => seen.push('never'), 1);
         clearTimeout(cleared);
         setTimeout((name) => seen.push(name), 6, 'late');
         setTimeout(() => seen.push('soon'), 0);
         queueMicrotask(() => seen.push('micro'));
         await new Promise((resolve) => {
           let count = 0;
           const every = setInterval(() => { count += 1; if (count === 3) { clearInterval(every); setTimeout(resolve, 10); } }, 1);
         });
         return seen;",
    );
    assert_eq!(script.value(), json!(["micro", "soon", "late"]));
    let thrown =
        body("setTimeout(() => { throw new Error('later'); }, 1); await context.kv.get('never');")
            .thrown();
    assert_eq!(thrown.message, "later");
}

#[test]
fn randomness_comes_from_the_system() {
    let script = body(
        "const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
         const bytes = crypto.getRandomValues(new Uint32Array(8));
         return [new Set(ids).size, ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)), bytes.some((n) => n !== 0)];",
    );
    assert_eq!(script.value(), json!([20, true, true]));
}

#[test]
fn signals_notify_their_listeners() {
    check(
        "(() => { const c = new AbortController(); const seen = []; \
         c.signal.addEventListener('abort', (e) => seen.push(e.type, c.signal.reason.name)); \
         c.signal.onabort = () => seen.push('on'); c.abort(); c.abort(); \
         return [...seen, c.signal.aborted, AbortSignal.abort('r').reason, AbortSignal.any([c.signal]).aborted]; })()",
        json!(["on", "abort", "AbortError", true, "r", true]),
    );
    check(
        "(() => { try { new AbortSignal(); } catch (e) { return e.name; } })()",
        json!("TypeError"),
    );
    check("'fire' in AbortSignal", json!(false));
}

#[test]
fn dates_are_in_utc_and_there_is_no_intl() {
    check("[new Date(0).getTimezoneOffset(), typeof Intl]", json!([0, "undefined"]));
}
