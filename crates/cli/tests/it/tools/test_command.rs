//! `ghosthand test` on tools that are wrong: each fault is named, and the exit code says so.

use std::fs;
use std::path::Path;

use testkit::tool_folder::documentation;

use crate::support::program::{Run, repository, run};

/// One tool `shout` in a directory of its own.
fn tool(schema: &str, example: &str, handler: &str, fixtures: Option<&str>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("tools/shout");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("schema.json"), schema).unwrap();
    fs::write(folder.join("doc_summary.md"), "Say it loudly.\nUse it to be heard.\n").unwrap();
    fs::write(folder.join("doc.md"), documentation(example)).unwrap();
    fs::write(folder.join("handler.js"), handler).unwrap();
    if let Some(fixtures) = fixtures {
        fs::write(folder.join("fixtures.json"), fixtures).unwrap();
    }
    dir
}

fn schema(category: &str, effects: &str, capabilities: &str) -> String {
    format!(
        r#"{{"toolId": "shout", "version": "1.0.0", "description": "Say it loudly.",
        "category": "{category}", "sideEffects": "{effects}", "idempotent": false,
        "requiresConfirmation": false, "allowedModes": ["text"], "latencyBudgetMs": 500,
        "capabilities": {capabilities}, "parameters": {{"type": "object",
        "additionalProperties": false, "required": ["text"],
        "properties": {{"text": {{"type": "string", "description": "What to say."}}}}}}}}"#
    )
}

const EXAMPLE: &str = "```json\n{\"text\": \"a\"}\n```\n```json result\n{\"said\": \"A\"}\n```";
const SHOUT: &str = "export async function execute({ args }) {
  return { ok: true, data: { said: args.text.toUpperCase() } };
}
";

fn test(dir: &Path) -> Run {
    run(dir, &["test", "shout"])
}

/// A utility gives exactly what its documentation shows.
#[test]
fn tk_22_an_example_that_no_longer_holds_is_shown_with_the_difference() {
    let utility = schema("utility", "none", "{}");
    let good = test(tool(&utility, EXAMPLE, SHOUT, None).path());
    assert_eq!(good.code, 0, "{good:?}");
    assert!(good.out.contains("ok    runs as shown"), "{}", good.out);

    let louder = SHOUT.replace("toUpperCase()", "toUpperCase() + '!', loud: true");
    let bad = test(tool(&utility, EXAMPLE, &louder, None).path());
    assert_eq!(bad.code, 1, "{bad:?}");
    for part in
        ["FAIL  runs as shown", "`/said` is \"A!\"", "  expected \"A\"", "`/loud` was not expected"]
    {
        assert!(bad.out.contains(part), "{part} is not in\n{}", bad.out);
    }
    assert!(bad.err.ends_with("2 examples of 1 tool: 1 failed\n"), "{}", bad.err);

    let broken = SHOUT.replace("return", "console.log('here'); throw new Error('no');\n  return");
    let bad = test(tool(&utility, EXAMPLE, &broken, None).path());
    assert_eq!(bad.code, 1, "{bad:?}");
    for part in ["it failed: INTERNAL", "note: no at shout/handler.js:2:", "console: here"] {
        assert!(bad.out.contains(part), "{part} is not in\n{}", bad.out);
    }
}

/// What has effects runs in its fixtures alone, never with its examples.
#[test]
fn a_tool_with_effects_runs_only_in_its_fixtures() {
    let schema = schema("action", "writes", r#"{"kv": ["said/"], "files": ["out"]}"#);
    let handler = "export async function execute({ args, context }) {
  if (args.text === 'a') throw new Error('an example was run');
  await context.kv.set('said/last', args.text);
  await context.files.write('out/said.txt', args.text);
  return { ok: true, data: { said: args.text } };
}
";
    let case = |more: &str| {
        format!(r#"[{{"name": "one", "args": {{"text": "b"}}, "kv": {{"said/old": 1}}, {more}}}]"#)
    };
    let good = case(
        r#""expect": {"data": {"said": "b"}}, "kv_after": {"said/last": "b", "said/old": 1,
        "said/none": null}, "files_after": {"out/said.txt": "b", "out/none": null}, "intents": []"#,
    );
    let dir = tool(&schema, EXAMPLE, handler, Some(&good));
    let found = test(dir.path());
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("ok    fixture                   one  fixtures.json"), "{found:?}");
    assert!(!dir.path().join("out").exists() && !dir.path().join(".ghosthand").exists());

    let bad = case(
        r#""expect": {"data": {"said": "c", "more": 1}}, "kv_after": {"said/last": null,
        "said/none": 1}, "files_after": {"out/said.txt": {"contains": ["x"]}, "out/none": "b"},
        "intents": [{"type": "SUPPRESS_AUDIO", "value": true}]"#,
    );
    let found = test(tool(&schema, EXAMPLE, handler, Some(&bad)).path());
    assert_eq!(found.code, 1, "{found:?}");
    for part in [
        "FAIL  fixture",
        "`/said` is \"b\"",
        "`/more` is missing",
        "key `said/last` should be absent; it is \"b\"",
        "key `said/none` is missing",
        "file `out/said.txt` does not contain \"x\"",
        "file `out/none` is missing",
        "intents: it is []",
    ] {
        assert!(found.out.contains(part), "{part} is not in\n{}", found.out);
    }
}

#[test]
fn the_network_of_a_fixture_is_written_down_and_nothing_else_answers() {
    let schema =
        schema("action", "writes", r#"{"net": ["api.example.com"], "secrets": ["SAY_TOKEN"]}"#);
    let handler = "export async function execute({ args, context }) {
  const token = await context.secrets.get('SAY_TOKEN');
  const headers = { authorization: `Bearer ${token}` };
  const url = `https://api.example.com/say/${args.text}`;
  const reply = await context.fetch(url, { method: 'POST', headers }).catch(() => null);
  if (!reply?.ok) return { ok: true, data: { said: null } };
  return { ok: true, data: { said: (await reply.json()).text, type: reply.headers.get('content-type') } };
}
";
    let fixtures = |url: &str, said: &str| {
        format!(
            r#"[{{"name": "one", "args": {{"text": "b"}}, "secrets": {{"SAY_TOKEN": "t0k-en-1"}},
            "fetch": [{{"method": "POST", "url": "{url}",
            "reply": {{"status": 200, "json": {{"text": "B"}}}}}}],
            "expect": {{"data": {{"said": {said}}}}}}}]"#
        )
    };
    let listed = fixtures("https://api.example.com/say/b", r#""B", "type": "application/json""#);
    let found = test(tool(&schema, EXAMPLE, handler, Some(&listed)).path());
    assert_eq!(found.code, 0, "{found:?}");
    // The handler swallows the refusal and even gives what is expected; it is told all the same.
    let unlisted = fixtures("https://api.example.com/say/c", "null");
    let found = test(tool(&schema, EXAMPLE, handler, Some(&unlisted)).path());
    assert_eq!(found.code, 1, "{found:?}");
    let refusal = "`fetch` has no reply for POST https://api.example.com/say/b";
    assert!(found.out.contains(refusal), "{}", found.out);
}

#[test]
fn a_fixture_file_that_is_wrong_names_the_place() {
    let check = |fixtures: &str, what: &str| {
        let schema = schema("action", "writes", "{}");
        let found = test(tool(&schema, EXAMPLE, SHOUT, Some(fixtures)).path());
        assert_eq!(found.code, 1, "{found:?}");
        let said = found.out + &found.err;
        assert!(said.contains(what), "{what} is not in\n{said}");
    };
    let place = "--> tools/shout/fixtures.json:2:1";
    check("[{\"name\": \"one\",\n\"arg\" : {}, \"expect\": {\"data\": 1}}]", place);
    check("[{\"name\": \"one\",\n\"arg\" : {}}]", "did you mean `args`?");
    check("[{\"name\": \"one\"}]", "a case has no `expect`");
    check(
        "[{\"name\": \"one\", \"expect\": {\"date\": 1}}]",
        "`expect` must have either `data` or `error`",
    );
    check(
        r#"[{"name": "one", "files": {"../a": ""}, "expect": {"data": 1}}]"#,
        "`../a` is not a path",
    );
    let both = r#"[{"name": "a", "expect": {"data": 1}, "fetch": [{"url": "https://a.example",
        "reply": {"status": 200, "body": "", "json": 1}}]}]"#;
    check(both, "fixtures.json:2:");
    check(both, "give `body` or `json`, not both");
    let twins = r#"[{"name": "a", "expect": {"data": 1}}, {"name": "a", "expect": {"data": 1}}]"#;
    check(twins, "two cases are named `a`");
}

/// TK-21: plan then commit, CONFLICT and degradation each have a sample, and it is run.
#[test]
fn tk_21_the_patterns_have_samples_that_run() {
    let check = |sample: &str, cases: &[&str]| {
        let found = run(&repository(), &["test", sample]);
        assert_eq!(found.code, 0, "{found:?}");
        for case in cases {
            let line = format!("ok    fixture                   {case}  fixtures.json");
            assert!(found.out.contains(&line), "{line} is not in\n{}", found.out);
        }
    };
    check(
        "calendar_create_event",
        &[
            "a time that was planned is booked",
            "a calendar that changed since the plan is a conflict",
            "the same call again writes nothing",
        ],
    );
    check("calendar_get_availability", &["a calendar that is understood in part is degraded"]);
    check("kb_search", &["a document that cannot be read degrades the answer"]);
}

/// A module's cases stand beside it, with a list for each of its tools.
#[test]
fn the_tools_of_a_module_are_tested_with_its_fixtures() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "note", "--lang", "py", "--module"]).code, 0);
    let nothing = run(dir.path(), &["test", "note.note"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
    assert!(nothing.err.contains("nothing was tested"), "{nothing:?}");
    assert!(nothing.err.contains("write cases into `note.fixtures.json`"), "{nothing:?}");
    let all = run(dir.path(), &["test"]);
    assert_eq!(all.code, 0, "{all:?}");
    assert!(all.err.contains("nothing was tested: 1 tool without examples"), "{all:?}");
    let write = |text: &str| fs::write(dir.path().join("tools/note.fixtures.json"), text);
    let case = |expected: &str| {
        format!(
            r#"{{"note": [{{"name": "two words", "args": {{"text": "one two", "remember": true}},
                "kv": {{"note_total": 3}}, "expect": {{"data": "{expected}"}},
                "kv_after": {{"note_total": 5}}}}]}}"#
        )
    };
    write(&case("2 words")).unwrap();
    let good = run(dir.path(), &["test", "note"]);
    assert_eq!(good.code, 0, "{good:?}");
    assert!(good.out.contains("ok    fixture                   two words"), "{good:?}");
    assert!(good.err.contains("1 fixture of 1 tool passed"), "{good:?}");
    write(&case("3 words")).unwrap();
    assert_eq!(run(dir.path(), &["test", "note"]).code, 1);
    write(r#"{"noet": [{"name": "x", "expect": {"data": 1}}]}"#).unwrap();
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 1, "{check:?}");
    assert!(check.out.contains("tools/note.fixtures.json:1:2"), "{check:?}");
    assert!(check.out.contains("did you mean `note`?"), "{check:?}");
}

/// What was only looked at is not said to have run.
#[test]
fn examples_of_a_tool_with_effects_are_said_not_to_run() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "keep", "--template", "action"]).code, 0);
    let found = run(dir.path(), &["test", "keep"]);
    assert_eq!(found.code, 0, "{found:?}");
    let said = "examples checked but not run, because it writes; \
                add cases to keep/fixtures.json to run it";
    assert!(found.out.contains(said), "{found:?}");
    assert!(found.err.contains("; 2 examples checked but not run"), "{found:?}");
}

#[test]
fn a_story_that_is_no_story_is_told() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "good"]);
    fs::write(dir.path().join("story.json"), "{}").unwrap();
    for (name, said) in [
        ("story.json", "a story is a Markdown file"),
        ("nosuch/story.md", "there is no file `nosuch/story.md`"),
    ] {
        let found = run(dir.path(), &["test", name]);
        assert_eq!(found.code, 1, "{found:?}");
        assert!(found.err.contains(said), "{found:?}");
    }
}
