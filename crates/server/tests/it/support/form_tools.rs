//! A module of tools with forms, conditions and handlers, and a host that runs them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use policy::{BoxFuture, HandlerOutcome, Hook, HookKind, Host, Job, Services};
use registry::{ModuleReader, ModuleReport};
use serde_json::{Value, json};
use server::ConditionClock;
use tokio::sync::Semaphore;

/// Module files of a test contain JSON: what Python would report about them.
pub(crate) struct Reports;

impl ModuleReader for Reports {
    fn read(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport> {
        let report = |file: &String| {
            let text = std::fs::read_to_string(tools_dir.join(file)).unwrap();
            let items = serde_json::from_str(text.strip_prefix("TOOLS = ").unwrap()).unwrap();
            let module = file.trim_end_matches(".py").to_owned();
            ModuleReport {
                file: file.clone(),
                module,
                items,
                uses: vec!["kv".into(), "messages".into()],
                fault: None,
                item_faults: Vec::new(),
            }
        };
        files.iter().map(report).collect()
    }
}

fn item(order: usize, name: &str, more: Value) -> Value {
    let mut item = json!({
        "order": order,
        "name": name,
        "schema": {"name": name, "description": format!("Does {name} in the game.")},
    });
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

/// A widget and an instant with their own conditions, a form with handlers, a form that
/// calls its tool.
pub(crate) fn game() -> Value {
    let widget = json!({
        "id": "enemy", "type": "widget", "kv_key": "hp-{conversation_id}", "new_field": [1],
        "widget_config": {"type": "percent", "max_value_key": "hp_max-{conversation_id}"},
    });
    let instant = json!({"id": "punch", "type": "ui_v1", "layout": {"type": "instant"}});
    let form = json!({
        "id": "notes", "type": "ui_v1",
        "layout": {"type": "modal", "components": [
            {"id": "who", "type": "table_display", "data_source":
                {"type": "persona_properties", "key": "count-{conversation_id}", "include_user": true}},
            {"id": "strange", "type": "hologram", "props": {"depth": 3}},
        ]},
    });
    let flags = json!({"conditional": true, "ui": true});
    json!([
        item(0, "enemy", json!({"ui_feature": widget, "flags": flags})),
        item(1, "punch", json!({"ui_feature": instant, "flags": flags, "ui_handlers": ["punch"]})),
        item(
            2,
            "notes",
            json!({
                "ui_feature": form, "flags": {"ui": true}, "callable": true,
                "ui_handlers": ["add", "breaks"], "signature": {},
            })
        ),
        item(
            3,
            "wish",
            json!({
                "ui_feature": {"id": "wish", "type": "ui_v1"}, "flags": {"ui": true}, "callable": true,
                "signature": {"parameters": ["text"], "required": ["text"]},
                "schema": {"name": "wish", "description": "Makes a wish.", "parameters": {
                    "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
                "settings": {"requires_confirmation": true},
            })
        ),
    ])
}

/// Runs what the game's functions would do; counts how often conditions are evaluated.
pub(crate) struct Game {
    pub conditions: Arc<AtomicUsize>,
}

impl Host for Game {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        let args = job.run.call().args().clone();
        let services = job.services;
        Box::pin(async move {
            let message = json!({"content": "{{user}} wished."});
            services.call("messages.system", message).await.unwrap();
            HandlerOutcome::Returned(
                json!({"ok": true, "data": format!("wished {}", args["text"])}),
            )
        })
    }

    /// The condition holds while `open-CONVERSATION` is true, and fails on other values.
    fn hook<'a>(&'a self, side: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        let Hook { what, params, context, services, .. } = side;
        let id = context["conversationId"].as_str().unwrap().to_owned();
        Box::pin(async move {
            match what {
                HookKind::Condition => {
                    let open = value(&*services, &format!("open-{id}")).await;
                    self.conditions.fetch_add(1, Ordering::SeqCst);
                    match open {
                        Value::Bool(open) => Ok(json!(open)),
                        Value::Null => Ok(json!(false)),
                        odd @ (Value::Number(_)
                        | Value::String(_)
                        | Value::Array(_)
                        | Value::Object(_)) => Err(format!("no condition: {odd}")),
                    }
                }
                HookKind::Status | HookKind::Cleanup => Ok(Value::Null),
                HookKind::Ui(name) if name == "breaks" => Err("it fell over".to_owned()),
                HookKind::Ui(name) => {
                    let message = json!({"content": format!("{{{{char}}}} saw {name}.")});
                    services.call("messages.system", message).await.unwrap();
                    Ok(json!({
                        "success": true, "message": params, "clear_inputs": ["a"],
                        "refresh_components": ["b"], "close_modal": true, "own": 1,
                    }))
                }
            }
        })
    }
}

async fn value(services: &dyn Services, key: &str) -> Value {
    let found = services.call("kv.get", json!({"key": key})).await.unwrap();
    found.get("value").cloned().unwrap_or(found)
}

/// A clock that the test advances.
#[derive(Clone)]
pub(crate) struct ManualClock(Arc<Semaphore>);

impl Default for ManualClock {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl ManualClock {
    pub(crate) fn tick(&self) {
        self.0.add_permits(1);
    }
}

impl ConditionClock for ManualClock {
    fn tick(&self) -> BoxFuture<'static, ()> {
        let ticks = Arc::clone(&self.0);
        Box::pin(async move { ticks.acquire_owned().await.unwrap().forget() })
    }
}
