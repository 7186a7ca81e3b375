//! The types that `new` hands to authors, tried with the compiler that editors use.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::packages;

use crate::support::program::run;

fn complaints(dir: &Path) -> String {
    let mut tsc = Command::new(packages::node());
    tsc.arg(packages::node_module("typescript", "typescript/bin/tsc"));
    let found = tsc.args(["-p", "tools/jsconfig.json"]).current_dir(dir).output();
    String::from_utf8(found.expect("the compiler starts").stdout).unwrap()
}

#[test]
fn new_tools_come_with_types_and_a_users_own_files_stay() {
    let dir = tempfile::tempdir().unwrap();
    let tools = dir.path().join("tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("jsconfig.json"), "{}").unwrap();
    fs::write(tools.join("error-types.d.ts"), "// mine\n").unwrap();
    assert_eq!(run(dir.path(), &["new", "one"]).code, 0);
    assert_eq!(fs::read_to_string(tools.join("jsconfig.json")).unwrap(), "{}");
    assert_eq!(fs::read_to_string(tools.join("error-types.d.ts")).unwrap(), "// mine\n");
    let types = fs::read_to_string(tools.join("ghosthand.d.ts")).unwrap();
    let (first, _) = types.split_once('\n').unwrap();
    fs::write(tools.join("ghosthand.d.ts"), format!("{first}\n// of an older version\n")).unwrap();
    assert_eq!(run(dir.path(), &["new", "two"]).code, 0);
    assert_eq!(fs::read_to_string(tools.join("ghosthand.d.ts")).unwrap(), types);
    assert_eq!(run(dir.path(), &["new", "three", "--lang", "py", "--dir", "other"]).code, 0);
    assert!(!dir.path().join("other/ghosthand.d.ts").exists());
}

#[test]
fn the_compiler_accepts_every_template_and_sees_a_wrong_result() {
    let dir = tempfile::tempdir().unwrap();
    for template in ["retrieval", "action", "utility"] {
        let made = run(dir.path(), &["new", &format!("my-{template}"), "--template", template]);
        assert_eq!(made.code, 0, "{made:?}");
    }
    let services = "/** @type {import('../ghosthand').Execute} */\n\
                    export async function execute({ context }) {\n  \
                    const keys = (await context.kv.list('a/')).map((one) => one.key.length);\n  \
                    const stat = await context.files.stat('a.txt');\n  \
                    const { revision } = await context.files.write('a.txt', 'a', {\n    \
                    expectedRevision: stat?.revision ?? null,\n  });\n  \
                    const sizes = (await context.files.list('a')).map((one) => one.size + 1);\n  \
                    const talk = context.metadata.conversationId.length;\n  \
                    return { ok: true, data: { keys, sizes, talk, end: revision.length } };\n}\n";
    fs::write(dir.path().join("tools/my-action/handler.js"), services).unwrap();
    assert_eq!(complaints(dir.path()), "");
    let handler = "/** @type {import('../ghosthand').Execute} */\n\
                   export async function execute({ context }) {\n  context.nothing();\n  \
                   return { ok: 'yes', data: 1 };\n}\n";
    fs::write(dir.path().join("tools/my-utility/handler.js"), handler).unwrap();
    let said = complaints(dir.path());
    assert!(said.contains("Property 'nothing' does not exist on type 'Context'"), "{said}");
    assert!(said.contains("handler.js(4,"), "{said}");
}

const USE: &str = r#"from ghosthand import Context, ToolError, kv_store


async def execute(args: dict[str, str], context: Context) -> object:
    answer = await context.fetch("https://a.example/", method="POST", json={"a": 1})
    held = await context.kv.get("key")
    await context.kv.set("key", 1, expected_revision=None, ttl_ms=5)
    names: list[str] = [one["key"] for one in await context.kv.list()]
    text: str = await answer.text()
    raw: bytes = await answer.bytes()
    await context.progress(0.5, "half")
    context.audit.log("seen", {"n": 1})
    if context.session.mode == "voice" and held is None:
        raise ToolError("NOT_FOUND", "nothing", retryable=True)
    await kv_store.set("key", [names, text, len(raw)])
    return context.ask({"q": {"message": "How loud?"}})


async def wrong(args: dict[str, str], context: Context) -> None:
    context.session.state["x"] = 1
    await context.kv.get(5)
"#;

#[test]
fn mypy_reads_the_stub_as_it_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let made = run(dir.path(), &["new", "one", "--lang", "py"]);
    assert_eq!(made.code, 0, "{made:?}");
    fs::write(dir.path().join("tools/use.py"), USE).unwrap();
    let mut mypy = Command::new(packages::python("python-types"));
    mypy.args(["-m", "mypy", "--strict", "--cache-dir", "cache", "ghosthand.pyi", "use.py"]);
    let found = mypy.current_dir(dir.path().join("tools")).output().unwrap();
    let said = String::from_utf8(found.stdout).unwrap();
    let errors: Vec<_> = said.lines().filter(|line| line.contains(": error: ")).collect();
    assert_eq!(errors.len(), 2, "{said}");
    assert!(errors[0].starts_with("use.py:20: ") && errors[1].starts_with("use.py:21: "), "{said}");
}
