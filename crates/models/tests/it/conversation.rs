//! A small conversation, for any wire.

use contract::{
    Block, Call, CallId, CallResult, Message, OutputSchema, Part, Request, Role, Rung, ToolOffer,
    Wire,
};
use models::wire::ResponseMode;
use models::{Key, Preparer, Provider, Secret};
use serde_json::{Value, json};

pub(crate) fn provider(wire: Wire) -> Provider {
    let key = Key::Given(Secret::new("sk-test-key"));
    match wire {
        Wire::Anthropic => Provider::anthropic(key),
        Wire::Chat => Provider::openai_chat(key),
        Wire::Responses => Provider::openai(key),
        Wire::Gemini => Provider::gemini(key),
    }
}

pub(crate) fn model(wire: Wire) -> &'static str {
    match wire {
        Wire::Anthropic => "claude-haiku-5-5",
        Wire::Chat | Wire::Responses => "gpt-5",
        Wire::Gemini => "gemini-3-pro",
    }
}

/// The model with its provider, as native items name it.
pub(crate) fn model_at(wire: Wire) -> String {
    format!("{}:{}", provider(wire).name, model(wire))
}

pub(crate) fn preparer(wire: Wire) -> Preparer {
    Preparer::new(provider(wire), model(wire)).unwrap()
}

pub(crate) fn body(wire: Wire, request: &Request) -> Value {
    preparer(wire).prepare(request, ResponseMode::Stream).unwrap().body
}

/// The body of a conversation with this assistant message.
pub(crate) fn body_for(wire: Wire, blocks: Vec<Block>) -> Value {
    let messages = vec![user("Which weather?"), Message::assistant(blocks), user("Go on.")];
    body(wire, &Request { messages, tools: tools(), ..Request::default() })
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(vec![Block::text(text)])
}

pub(crate) fn tools() -> Vec<ToolOffer> {
    let weather = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "minLength": 1 },
            "unit": { "type": "string", "enum": ["c", "f"] },
            "headers": { "type": "object", "additionalProperties": { "type": "string" } },
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    let offer = |id: &str, description: &str, parameters| ToolOffer {
        id: id.parse().unwrap(),
        description: description.to_owned(),
        parameters,
    };
    vec![
        offer("get_weather", "The weather in a city.", weather),
        offer("clock.now", "The time.", json!({ "type": "object", "properties": {} })),
    ]
}

fn call(id: &str, tool: &str, args: Value) -> Block {
    Part::Call(Call { id: CallId(id.to_owned()), tool: tool.to_owned(), args }).into()
}

fn result(id: &str, tool: &str, content: Value, is_error: bool) -> Block {
    Part::Result(CallResult { id: CallId(id.to_owned()), tool: tool.to_owned(), content, is_error })
        .into()
}

/// Two calls by another model, their results in two messages, then a question.
pub(crate) fn with_results() -> Request {
    let messages = vec![
        user("Which weather, and when?"),
        Message::assistant(vec![
            Block { part: Part::Thinking { text: "Two calls.".to_owned() }, native: None },
            Block::text("I look."),
            call("c1", "get_weather", json!({ "city": "Paris", "headers": { "x": "1" } })),
            call("c2", "clock.now", json!({})),
            Part::TornCall {
                id: CallId("c3".to_owned()),
                tool: "get_weather".to_owned(),
                text: "{\"ci".to_owned(),
                why: "cut".to_owned(),
            }
            .into(),
        ]),
        Message {
            role: Role::User,
            blocks: vec![
                Block::text("By the way:"),
                result("c1", "get_weather", json!({ "celsius": 21, "$ref": "#/x" }), false),
            ],
        },
        Message::user(vec![result("c2", "clock.now", json!({ "type": "TIMEOUT" }), true)]),
        user("Well?"),
    ];
    Request { system: "Be brief.".to_owned(), tools: tools(), messages, ..Request::default() }
}

pub(crate) fn shaped(rung: Rung) -> Request {
    let schema = json!({
        "type": "object",
        "properties": {
            "cards": { "type": "array", "items": {
                "type": "object",
                "properties": { "front": { "type": "string" }, "back": { "type": "string" } },
                "required": ["front", "back"],
            } },
            "tags": { "type": "object", "additionalProperties": { "type": "integer" } },
        },
        "required": ["cards"],
    });
    let shape = OutputSchema {
        name: "cards".parse().unwrap(),
        description: "Flash cards.".to_owned(),
        schema,
        rung,
    };
    Request { messages: vec![user("der Hund")], shape: Some(shape), ..Request::default() }
}
