//! Every example of Ghostpad's reference, unchanged, does what the reference says.

use hosts::python::HookKind;
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use super::harness::Pad;
use crate::harness::runtime;

#[test]
fn the_calculator_calculates() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let calculate = async |operation: &str, a: f64, b: f64| {
            let args = json!({ "operation": operation, "a": a, "b": b });
            pad.data("core/calculator.py#calculator", args).await
        };
        assert_eq!(calculate("add", 2.0, 3.0).await, json!("2.0 add 3.0 = 5.0"));
        assert_eq!(calculate("multiply", 2.0, 3.0).await, json!("2.0 multiply 3.0 = 6.0"));
        assert_eq!(calculate("divide", 1.0, 0.0).await, json!("Error: Division by zero"));
        assert_eq!(calculate("power", 1.0, 0.0).await, json!("Error: Unknown operation 'power'"));
        let answer = pad
            .answer("core/calculator.py#calculator", json!({ "operation": "add", "a": 1, "b": 2 }))
            .await;
        let envelope = json!({ "ok": true, "data": "1 add 2 = 3", "intents": [] });
        assert_eq!(answer, HandlerOutcome::Returned(envelope));
    });
}

#[test]
fn the_search_streams_its_chunks_in_order() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let answer = pad.answer("core/web_search.py#web_search", json!({ "query": "rust" })).await;
        let found = "Search results for 'rust': Found 3 relevant articles about web development best practices.";
        let envelope = json!({ "ok": true, "data": found, "intents": [], "streaming": true });
        assert_eq!(answer, HandlerOutcome::Returned(envelope));
        let chunks = pad.far.asked_for("chunk");
        let channels: Vec<_> = chunks.iter().map(|chunk| chunk["channel"].as_str().unwrap()).collect();
        assert_eq!(channels, ["assistant", "system", "assistant", "context", "assistant"]);
        assert_eq!(chunks[0]["text"], "Searching for: rust...\n");
        assert_eq!(chunks[1]["text"], "🔍 Connecting to search API\n");
        assert_eq!(chunks[3]["text"], found);
    });
}

#[test]
fn the_settings_are_checked_and_stored() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let save = async |params: Value| {
            let kind = HookKind::Ui("save_settings");
            pad.side("core/settings_manager.py#settings_ui", kind, params).await.unwrap()
        };
        let error = |text: &str| json!({ "success": false, "error": text });
        assert_eq!(save(json!({ "username": " " })).await, error("Username is required"));
        let no_email = json!({ "username": "john", "email": "john" });
        assert_eq!(save(no_email).await, error("Invalid email address"));
        assert_eq!(pad.far.stored("user_username"), None);
        let good = json!({ "username": "john", "email": "john@example.com", "theme": "dark" });
        let saved = json!({
            "success": true,
            "message": "Settings saved successfully",
            "clear_inputs": [],
            "refresh_components": ["settings_table"],
            "close_modal": true,
        });
        assert_eq!(save(good).await, saved);
        assert_eq!(pad.far.stored("user_username"), Some(json!("john")));
        assert_eq!(pad.far.stored("user_theme"), Some(json!("dark")));
        let set = &pad.far.asked_for("kv.set")[0];
        assert_eq!(set["conversationId"], "conversation-1", "the host may want to know");
        // The tool has no function.
        let answer = pad.answer("core/settings_manager.py#settings_ui", json!({})).await;
        assert!(
            matches!(answer, HandlerOutcome::Broke(HandlerFailure::NotStarted { .. })),
            "{answer:?}"
        );
    });
}

#[test]
fn the_features_work_as_described() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let auto = "features/auto.py#background_task";
        assert_eq!(pad.data(auto, json!({})).await, "run 1");
        assert_eq!(pad.data(auto, json!({})).await, "run 2", "a module keeps its state");
        let once = "features/one_time.py#expensive_op";
        assert_eq!(pad.data(once, json!({ "query": "x" })).await, "searched for x");
        let hours = "features/business_hours.py#business_op";
        let open = pad.side(hours, HookKind::Condition, Value::Null).await.unwrap();
        assert!(open.is_boolean(), "{open}");
        assert_eq!(pad.data(hours, json!({})).await, "done");
        let status =
            pad.side("features/status.py#system_status", HookKind::Status, Value::Null).await;
        assert_eq!(status, Ok(json!("Status: Active")));
        let cleaned =
            pad.side("features/cleanup.py#resource_tool", HookKind::Cleanup, Value::Null).await;
        assert_eq!(cleaned, Ok(Value::Null));
        let printed = json!({ "level": "info", "text": "Cleaning up resources..." });
        assert_eq!(pad.far.asked_for("console"), [printed]);
    });
}

#[test]
fn the_snippets_run_unchanged() {
    runtime().block_on(async {
        let pad = Pad::with_examples();
        let one = || json!({ "param1": "x" });
        let basic = pad.data("snippets/basic.py#basic_tool", json!({ "param1": "x", "param2": 1 }));
        assert_eq!(basic.await, "Result");
        let text = pad.data("snippets/with_metadata.py#metadata_tool", one()).await;
        let text = text.as_str().unwrap();
        assert!(text.starts_with("Result for conversation conversation-1 at 2"), "{text}");
        let streamed = pad.data("snippets/streaming.py#streaming_tool", one()).await;
        assert_eq!(streamed, "Web search results: The capital of France is Paris.");
        let robust = async |param: &str| {
            pad.data("snippets/robust.py#robust_tool", json!({ "param": param })).await
        };
        assert_eq!(robust("x").await, "Success: x");
        assert_eq!(robust(" ").await, "Validation error: Parameter cannot be empty");
        assert_eq!(robust("down").await, "Connection failed: no route");
        assert_eq!(robust("odd").await, "Operation failed: Please try again");
        let logged = pad.far.asked_for("console");
        assert_eq!(logged[0]["level"], "error");
        assert_eq!(logged[0]["text"], "tool: Unexpected error in robust_tool: 'odd'");
        let submit = async |is: &str| {
            let params = json!({ "is": is });
            pad.side("snippets/ui_errors.py#form", HookKind::Ui("submit"), params).await.unwrap()
        };
        assert_eq!(submit("ok").await["message"], "Operation completed: ok");
        assert_eq!(submit("invalid").await["error"], "Invalid input: no name");
        assert_eq!(submit("denied").await["error"], "Access denied: not yours");
        let hidden =
            pad.side("snippets/safe_condition.py#act", HookKind::Condition, Value::Null).await;
        assert_eq!(hidden, Ok(json!(false)));
        pad.far.store("key", json!(5));
        let args = json!({ "key": 1, "default_value": 2, "value": 3, "conversation_id": "c" });
        let used = pad.data("snippets/services.py#use", args).await;
        assert_eq!(used, json!([["Ada", "Bo"], "message-1"]));
        let message = json!({ "content": "content", "conversationId": "c" });
        assert_eq!(pad.far.asked_for("messages.system"), [message]);
    });
}

/// In the style of the public project: state in kv, chunks, conditions, forms, a model, and a
/// context parameter that no schema names.
const STYLE: &str = r#"
from core.tool_utils import system_chunk, create_system_message_in_conversation
from services.kv_store_service import kv_store
from services.persona_service import persona_service
from services.ai_service import ai_service
from utils.constants import ERROR_NO_OPENAI_API_KEY
from typing import AsyncGenerator
import openai
import random

KEY = "mood"


async def is_set(conversation_id: str = None) -> bool:
    return await kv_store.exists(f"{KEY}_{conversation_id}")


async def set_mood(mood: str, ctx, metadata=None) -> AsyncGenerator[object, None]:
    conversation_id = metadata.get("conversation_id") if metadata else None
    await kv_store.set(f"{KEY}_{conversation_id}", mood)
    yield system_chunk(f"[[char]] is {mood}")


async def whisper(text: str, ctx=None):
    await kv_store.rpush("chat", "a", text)
    await kv_store.lpush("chat", "first", "second")
    last = await kv_store.lrange("chat", -2, -1)
    await kv_store.lremove_at("chat", 0)
    return [last, await kv_store.llen("chat"), await kv_store.lpop("chat"), await kv_store.rpop("chat")]


async def visit(params):
    settings = await ai_service.get_openai_settings()
    if not settings["api_key"]:
        return {"success": False, "error": ERROR_NO_OPENAI_API_KEY}
    openai.api_key = settings["api_key"]
    response = openai.chat.completions.create(
        model=settings["model_name"],
        messages=[{"role": "user", "content": params["url"]}],
        temperature=0.7,
    )
    await kv_store.set("page", response.choices[0].message.content)
    return {"success": True, "message": "Generated"}


async def status(conversation_id: str = None):
    names = await persona_service.get_persona_names_for_conversation(conversation_id)
    return f"{len(names)} personas"


async def ask():
    return [await ai_service.complete("hi"), await ai_service.complete_json("hi", {"type": "object"})]


TOOLS = [
    {"function": set_mood, "condition": is_set, "schema": {"name": "set_mood", "description": "", "parameters": {"type": "object", "properties": {"mood": {"type": "string"}}}}},
    {"function": lambda *args, **kwargs: None, "auto_tool": True, "report_status": status, "schema": {"name": "status", "description": ""}},
    {"function": whisper, "schema": {"name": "whisper", "description": ""}},
    {"function": ask, "schema": {"name": "ask", "description": ""}},
    {"schema": {"name": "Browser", "description": ""}, "ui_feature": {"id": "b"}, "ui_handlers": {"visit": visit}},
]
"#;

#[test]
fn files_in_the_style_of_the_public_project_run_without_edits() {
    runtime().block_on(async {
        let pad = Pad::with_files(&[("core/style.py", STYLE)]);
        let tool = |name: &str| format!("core/style.py#{name}");
        let hidden = pad.side(&tool("set_mood"), HookKind::Condition, Value::Null).await;
        assert_eq!(hidden, Ok(json!(false)));
        assert_eq!(pad.data(&tool("set_mood"), json!({ "mood": "glad" })).await, "");
        assert_eq!(pad.far.asked_for("chunk")[0]["text"], "[[char]] is glad");
        let shown = pad.side(&tool("set_mood"), HookKind::Condition, Value::Null).await;
        assert_eq!(shown, Ok(json!(true)));
        assert_eq!(pad.data(&tool("status"), json!({})).await, Value::Null);
        let status = pad.side(&tool("status"), HookKind::Status, Value::Null).await;
        assert_eq!(status, Ok(json!("2 personas")));
        let result = pad.data(&tool("whisper"), json!({ "text": "b" })).await;
        assert_eq!(result, json!([["a", "b"], 3, "second", "b"]));
        assert_eq!(pad.data(&tool("ask"), json!({})).await, json!(["<p>2</p>", { "n": 1 }]));
        let visited =
            pad.side(&tool("Browser"), HookKind::Ui("visit"), json!({ "url": "abc" })).await;
        assert_eq!(visited, Ok(json!({ "success": true, "message": "Generated" })));
        assert_eq!(pad.far.stored("page"), Some(json!("<p>3</p>")));
        let other =
            pad.side(&tool("Browser"), HookKind::Ui("leave"), Value::Null).await.unwrap_err();
        assert_eq!(
            other.to_string(),
            "it could not be started: there is no form handler `leave`; there are visit"
        );
    });
}
