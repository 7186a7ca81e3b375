//! The tools that the tests offer: the repository's samples, and synthetic ones.

use contract::ToolOffer;
use serde_json::{Value, json};

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../../tools/", $name, "/schema.json"))
    };
}

/// The ten sample tools of the repository.
pub(super) fn repository() -> Vec<ToolOffer> {
    [
        sample!("calendar-create-event"),
        sample!("calendar-get-availability"),
        sample!("end-voice-session"),
        sample!("extract-contacts"),
        sample!("format-datetime"),
        sample!("ignore-user"),
        sample!("kb-get"),
        sample!("kb-search"),
        sample!("start-voice-session"),
        sample!("validate-email"),
    ]
    .into_iter()
    .map(|text| {
        let contract: Value = serde_json::from_str(text).unwrap();
        let text = |name: &str| contract[name].as_str().unwrap().to_owned();
        offer(&text("toolId"), &text("description"), contract["parameters"].clone())
    })
    .collect()
}

pub(super) fn offer(id: &str, description: &str, parameters: Value) -> ToolOffer {
    ToolOffer { id: id.parse().unwrap(), description: description.to_owned(), parameters }
}

fn tool(id: &str, description: &str, required: &[&str], properties: Value) -> ToolOffer {
    let parameters = json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    });
    offer(id, description, parameters)
}

/// Synthetic tools, for fields that the samples do not have.
pub(super) fn synthetic() -> Vec<ToolOffer> {
    vec![
        tool(
            "core.calculator.calculator",
            "Perform basic math calculations",
            &["operation", "a", "b"],
            json!({
                "operation": { "type": "string", "enum": ["add", "subtract", "multiply", "divide"] },
                "a": { "type": "number", "description": "First number" },
                "b": { "type": "number", "description": "Second number" },
            }),
        ),
        tool(
            "weather.forecast",
            "Get the weather forecast of a city",
            &["city"],
            json!({
                "city": { "type": "string", "description": "The city" },
                "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 },
                "units": { "type": "string", "enum": ["metric", "imperial"] },
            }),
        ),
        tool(
            "mail.send",
            "Send an e-mail message",
            &["to", "subject", "body"],
            json!({
                "to": { "type": "array", "minItems": 1, "items": { "type": "string", "format": "email" } },
                "subject": { "type": "string", "minLength": 1 },
                "body": { "type": "string", "minLength": 1 },
                "urgent": { "type": "boolean" },
            }),
        ),
        tool(
            "tasks.add",
            "Add a task to the todo list",
            &["title"],
            json!({
                "title": { "type": "string", "minLength": 1, "maxLength": 80 },
                "due": { "type": "string", "format": "date" },
                "priority": { "type": "string", "enum": ["low", "normal", "high"] },
                "tags": { "type": "array", "items": { "type": "string" } },
            }),
        ),
        tool(
            "timer.set",
            "Set a kitchen timer",
            &["minutes"],
            json!({ "minutes": { "type": "integer", "minimum": 1, "maximum": 180 } }),
        ),
        tool(
            "alarm.set",
            "Wake the user up with an alarm",
            &["time"],
            json!({
                "time": { "type": "string", "format": "time" },
                "snooze": { "type": "string", "format": "duration" },
            }),
        ),
        tool(
            "pages.fetch",
            "Fetch a web page by its link",
            &["url"],
            json!({ "url": { "type": "string", "format": "uri" } }),
        ),
        tool(
            "orders.status",
            "Look up the status of an order",
            &["order_id"],
            json!({ "order_id": { "type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$" } }),
        ),
        tool(
            "jobs.cancel",
            "Cancel a running background job",
            &["job"],
            json!({ "job": { "type": "string", "format": "uuid" } }),
        ),
        tool(
            "lights.switch",
            "Switch the lights of a room on or off",
            &["room", "on"],
            json!({
                "room": { "type": "string", "enum": ["kitchen", "bedroom", "living_room"] },
                "on": { "type": "boolean" },
                "brightness": { "type": "integer", "minimum": 0, "maximum": 100 },
            }),
        ),
        tool(
            "numbers.average",
            "Average a series of numbers",
            &["numbers"],
            json!({ "numbers": { "type": "array", "minItems": 1, "items": { "type": "number" } } }),
        ),
        tool(
            "parcels.quote",
            "Quote the postage of a parcel",
            &["parcel"],
            json!({
                "parcel": {
                    "type": "object", "additionalProperties": false, "required": ["weight", "size"],
                    "properties": {
                        "weight": { "type": "number", "exclusiveMinimum": 0 },
                        "size": {
                            "type": "object", "required": ["width", "height"],
                            "properties": { "width": { "type": "integer" }, "height": { "type": "integer" } },
                        },
                    },
                },
            }),
        ),
        tool("jokes.tell", "Tell a joke", &[], json!({})),
        tool(
            "text.translate",
            "Translate a text into another language",
            &["text", "language"],
            json!({
                "text": { "type": "string", "minLength": 1 },
                "language": { "type": "string", "enum": ["en", "uk", "ru", "de", "fr"] },
            }),
        ),
    ]
}
