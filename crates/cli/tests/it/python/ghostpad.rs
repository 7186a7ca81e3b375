//! Ghostpad's rows through the whole program: real Python files, a real conversation.

use std::fs;
use std::path::Path;

use crate::support::program::run;

const STATEFUL: &str = r#"
from services.kv_store_service import kv_store
from services.persona_service import persona_service
from services.ai_service import ai_service
from utils.tool_utils import assistant_chunk, context_chunk, create_system_message_in_conversation

async def greet(metadata):
    await kv_store.set("greeting", "Hello {{user}}, I am {{char}}.")
    names = await persona_service.get_persona_names_for_conversation(metadata["conversation_id"])
    return {"greeting": await kv_store.get("greeting"), "personas": names}

async def collect(item: str):
    await kv_store.rpush("bag", item)
    return {"bag": await kv_store.lrange("bag", 0, -1), "size": await kv_store.llen("bag")}

def plain(text: str):
    return text.upper()

async def nothing():
    pass

async def breaks():
    raise ValueError("the well is dry")

async def streams(topic: str):
    yield assistant_chunk(f"Looking at {topic}. ")
    yield context_chunk(f"{topic} is secret")

async def announce(metadata):
    await create_system_message_in_conversation("The gates open.", metadata["conversation_id"])
    return "announced"

async def cleanup():
    await kv_store.set("cleaned", (await kv_store.get("cleaned", 0)) + 1)

async def cleanings():
    return {"cleaned": await kv_store.get("cleaned", 0)}

async def status(conversation_id=None):
    return f"{await kv_store.llen('bag')} in the bag"

async def is_open():
    return bool(await kv_store.get("open", False))

async def set_open(value: bool):
    await kv_store.set("open", value)

async def enter():
    return "inside"

async def draws():
    return {"ok": True, "data": {"rows": 1}, "artifacts": [{"name": "list.csv", "text": "name\ngoat\n"}]}

async def looks_alike():
    return {"ok": True, "data": 1, "artifacts": "two of them", "more": []}

async def broken_condition():
    raise RuntimeError("no weather")

def tool(name, function, parameters=None, **more):
    required = list(parameters or {})
    schema = {"name": name, "description": f"Does {name}.",
              "parameters": {"type": "object", "properties": parameters or {}, "required": required}}
    return {"function": function, "schema": schema, **more}

TEXT = {"type": "string"}
TOOLS = [
    tool("greet", greet),
    tool("collect", collect, {"item": TEXT}, report_status=status),
    tool("plain", plain, {"text": TEXT}),
    tool("nothing", nothing),
    tool("breaks", breaks),
    tool("streams", streams, {"topic": TEXT}),
    tool("announce", announce),
    tool("cleanings", cleanings, cleanup_function=cleanup),
    tool("set_open", set_open, {"value": {"type": "boolean"}}),
    tool("enter", enter, condition=is_open),
    tool("rain", enter, condition=broken_condition),
    tool("draws", draws),
    tool("looks_alike", looks_alike),
]
"#;

/// A project with the file above as `tools/play.py`.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    fs::write(dir.path().join("tools/play.py"), STATEFUL).unwrap();
    dir
}

fn call(dir: &Path, tool: &str, args: &str) -> (i32, String) {
    let ran = run(dir, &["call", &format!("play.{tool}"), args]);
    (ran.code, ran.out.trim_end().to_owned())
}

#[test]
fn gd_02_a_tool_may_return_text_json_chunks_or_nothing_and_fail() {
    let dir = project();
    let check = |tool: &str, args: &str, code: i32, expected: &str| {
        assert_eq!(call(dir.path(), tool, args), (code, expected.to_owned()), "{tool}");
    };
    check("plain", r#"{"text": "hi"}"#, 0, r#""HI""#);
    check("collect", r#"{"item": "rope"}"#, 0, r#"{"bag":["rope"],"size":1}"#);
    check("nothing", "{}", 0, "null");
    check("streams", r#"{"topic": "bread"}"#, 0, r#""bread is secret""#);
    let (code, out) = call(dir.path(), "breaks", "{}");
    assert!(code == 1 && out.contains("INTERNAL") && !out.contains("well"), "{out}");
    let people = run(dir.path(), &["call", "play.breaks"]).err;
    assert!(people.contains("the well is dry") && people.contains("play.py:"), "{people}");
}

#[test]
fn a_tool_of_a_module_returns_files_for_the_person() {
    let dir = project();
    let ran = run(dir.path(), &["call", "play.draws", "{}", "--save", "."]);
    assert_eq!((ran.code, ran.out.trim_end()), (0, r#"{"rows":1}"#), "{}", ran.err);
    assert_eq!(fs::read_to_string(dir.path().join("list.csv")).unwrap(), "name\ngoat\n");
    let data = r#"{"ok":true,"data":1,"artifacts":"two of them","more":[]}"#;
    assert_eq!(call(dir.path(), "looks_alike", "{}"), (0, data.to_owned()));
}

/// A function that takes no `metadata` would raise if it got it; one that takes it has it.
#[test]
fn gd_03_metadata_is_given_to_those_who_take_it_and_to_nobody_else() {
    let dir = project();
    assert_eq!(call(dir.path(), "plain", r#"{"text": "hi"}"#), (0, r#""HI""#.to_owned()));
    let (code, greeted) = call(dir.path(), "greet", "{}");
    assert!(code == 0 && greeted.contains(r#""personas":["Assistant"]"#), "{greeted}");
    let forged = call(dir.path(), "plain", r#"{"text": "hi", "metadata": {}}"#);
    assert!(forged.0 == 1 && forged.1.contains("metadata"), "{forged:?}");
}

#[test]
fn gd_16_placeholders_are_filled_in_what_is_read_for_a_conversation() {
    let dir = project();
    let expected = r#"{"greeting":"Hello User, I am Assistant.","personas":["Assistant"]}"#;
    assert_eq!(call(dir.path(), "greet", "{}"), (0, expected.to_owned()));
}

#[test]
fn gd_06_a_condition_is_checked_at_call_time_and_one_that_fails_hides_the_tool() {
    let dir = project();
    let refused = run(dir.path(), &["call", "play.enter"]);
    assert!(refused.code == 1 && refused.out.contains("unavailable"), "{}", refused.out);
    assert_eq!(call(dir.path(), "set_open", r#"{"value": true}"#).0, 0);
    assert_eq!(call(dir.path(), "enter", "{}"), (0, r#""inside""#.to_owned()));
    let broken = run(dir.path(), &["why", "play.rain"]);
    assert!(broken.out.contains("no weather"), "{}", broken.out);
}

#[test]
fn gd_07_status_and_cleanup_belong_to_every_answer() {
    let dir = project();
    assert_eq!(call(dir.path(), "collect", r#"{"item": "rope"}"#).0, 0);
    let chat = |message: &str| run(dir.path(), &["chat", "--conversation", "talk", message]);
    for message in ["/plain text=one", "hello"] {
        let said = chat(message);
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    }
    let events = run(dir.path(), &["replay", "talk", "--events"]).out;
    assert!(events.contains("play.collect: 1 in the bag"), "{events}");
    assert_eq!(call(dir.path(), "cleanings", "{}"), (0, r#"{"cleaned":2}"#.to_owned()));
}

#[test]
fn gd_08_chunks_and_messages_go_where_they_belong_and_a_replay_is_the_same() {
    let dir = project();
    let chat = |message: &str| run(dir.path(), &["chat", "--conversation", "talk", message]);
    let streamed = chat("/streams topic=bread");
    assert!(streamed.out.starts_with("Looking at bread. "), "{}", streamed.out);
    assert!(
        !streamed.out.contains("secret") && !streamed.err.contains("secret"),
        "{}",
        streamed.err
    );
    let announced = chat("/announce");
    assert!(announced.err.contains("The gates open."), "{}", announced.err);
    let again = run(dir.path(), &["replay", "talk"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
}

#[test]
fn a_tool_may_ask_the_model_itself() {
    let dir = project();
    let asks = "from services.ai_service import ai_service\n\nasync def ask():\n    return await \
                ai_service.complete('hello')\n\nTOOLS = [{'function': ask, 'schema': {'name': \
                'ask', 'description': 'Asks.', 'parameters': {'type': 'object', 'properties': \
                {}}}}]\n";
    fs::write(dir.path().join("tools/asks.py"), asks).unwrap();
    let ran = run(dir.path(), &["call", "asks.ask"]);
    assert!(ran.code == 0 && ran.out.contains("stand-in"), "{}{}", ran.out, ran.err);
}
