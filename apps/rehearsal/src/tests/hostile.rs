//! Any message: no panic, the same answer twice, and arguments that fit the contract.

use contract::{Reply, ToolOffer};
use dialect::{Arguments, UnknownArguments};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples::{offer, repository, synthetic};
use super::{rehearsal, request, send, user};

/// Checks every call with the contract's own check.
#[track_caller]
fn judge(tools: &[ToolOffer], reply: &Reply, message: &str) {
    for call in reply.calls() {
        let offer =
            tools.iter().find(|offer| offer.id.as_str() == call.tool).expect("an offered tool");
        let arguments = Arguments::compile(&offer.parameters).expect("a sound schema");
        if let Err(rejection) = arguments.check(call.args.clone(), UnknownArguments::Refuse) {
            panic!("{message:?} became {} {}: {rejection}", call.tool, call.args);
        }
    }
}

/// Pieces of messages, so that random ones reach the rules and not only the threshold.
const PIECES: [&str; 84] = [
    "search",
    "find",
    "for",
    "знайди",
    "найди",
    "validate",
    "email",
    "ann@example.org",
    "a@b",
    "top",
    "3",
    "-7",
    "50",
    "0",
    "1.5",
    "1,000",
    "=",
    ":",
    "top_k=3",
    "top_k=",
    "query:",
    "query=\"x\"",
    "\"",
    "«",
    "»",
    "\"tide clock\"",
    "block",
    "user",
    "for 5 minutes",
    "for 40 days",
    "create",
    "event",
    "called",
    "tomorrow",
    "завтра",
    "from 9 to 17",
    "from 22 to 2",
    "at 5pm",
    "2026-12-09T07:00:00Z",
    "2026-02-30",
    "09.12.2026",
    "next week",
    "in 2 hours",
    "only",
    "photos",
    "without",
    "snippets",
    "set",
    "timer",
    "alarm",
    "weather",
    "in",
    "Riga",
    "translate",
    "into",
    "Ukrainian",
    "https://example.org/ü",
    "http://x",
    "AB-1234",
    "123e4567-e89b-12d3-a456-426614174000",
    "kitchen",
    "lights",
    "on",
    "off",
    "average",
    "parcel",
    "weight",
    "width=10",
    "height=2.5",
    "add",
    "task",
    "due",
    "tags: a, b",
    "priority high",
    "/",
    "/kb_search",
    "{",
    "}",
    ";",
    "and then",
    "quote",
    "send",
    "mail",
    "urgent",
];

fn message() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 1..14)
        .prop_map(|words| words.join(" "));
    prop_oneof![3 => pieces, 1 => any::<String>(), 1 => "[а-яіїєґ /=:\"«»0-9.,;?'’-]{0,60}"]
}

/// Small schemas of every kind of field.
fn parameters() -> impl Strategy<Value = Value> {
    let field = prop::sample::select(vec![
        json!({ "type": "string" }),
        json!({ "type": "string", "minLength": 3, "maxLength": 8 }),
        json!({ "type": "string", "pattern": "^[a-z]{3,6}$" }),
        json!({ "type": "string", "pattern": r"^\d+$" }),
        json!({ "type": "string", "format": "date" }),
        json!({ "type": "string", "format": "time" }),
        json!({ "type": "string", "format": "date-time" }),
        json!({ "type": "string", "format": "duration" }),
        json!({ "type": "string", "format": "email" }),
        json!({ "type": "string", "format": "uri" }),
        json!({ "type": "string", "format": "uuid" }),
        json!({ "type": "string", "format": "ipv4" }),
        json!({ "type": "string", "format": "hostname" }),
        json!({ "type": ["string", "null"], "maxLength": 5 }),
        json!({ "type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5 }),
        json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
        json!({ "type": "integer", "default": 4 }),
        json!({ "type": "boolean" }),
        json!({ "const": "fixed" }),
        json!({ "enum": ["low", "high", 3, null] }),
        json!({ "type": "array", "items": { "type": "string" }, "maxItems": 2 }),
        json!({ "type": "array", "items": { "type": "integer" }, "uniqueItems": true, "minItems": 2 }),
        json!({ "type": "array", "items": { "enum": ["photos", "search"] } }),
        json!({ "anyOf": [{ "type": "integer", "minimum": 3 }, { "type": "null" }] }),
        json!({ "$ref": "#/$defs/size" }),
        json!({ "type": "object", "required": ["width"], "properties": { "width": { "type": "integer" }, "from": { "type": "string" } } }),
        json!({ "type": "object" }),
    ]);
    let names = prop::sample::subsequence(
        vec!["query", "top_k", "from", "to", "email", "title", "weight"],
        1..5,
    );
    (names, prop::collection::vec((field, any::<bool>()), 5)).prop_map(|(names, fields)| {
        let chosen: Vec<_> = names.into_iter().zip(fields).collect();
        let required: Vec<_> = chosen.iter().filter(|(_, (_, required))| *required).map(|(name, _)| *name).collect();
        let properties: serde_json::Map<String, Value> =
            chosen.iter().map(|(name, (field, _))| ((*name).to_owned(), field.clone())).collect();
        json!({
            "type": "object", "additionalProperties": false, "required": required, "properties": properties,
            "$defs": { "size": { "type": "number", "minimum": 2 } },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_sample_tools_get_only_what_fits(text in message()) {
        for tools in [repository(), synthetic()] {
            let request = request(tools.clone(), vec![user(&text)]);
            let reply = rehearsal().answer(&request);
            judge(&tools, &reply, &text);
            prop_assert_eq!(reply, rehearsal().answer(&request));
        }
    }

    #[test]
    fn any_schema_gets_only_what_fits(parameters in parameters(), text in message(), answer in message()) {
        let tools = vec![offer("things.search", "Search for things", parameters)];
        let mut messages = Vec::new();
        for message in [format!("search for {text}"), answer, format!("/search {text}")] {
            let reply = send(&tools, &mut messages, &message);
            judge(&tools, &reply, &message);
        }
    }
}

#[test]
fn broken_schemas_cause_no_panic() {
    let schemas = [
        json!(null),
        json!(true),
        json!([]),
        json!({ "properties": 3, "required": "x" }),
        json!({ "properties": { "a": { "$ref": "#/properties/a" } }, "required": ["a"] }),
        json!({ "properties": { "a": { "type": "array", "items": { "$ref": "#/properties/a" } } }, "required": ["a"] }),
        json!({ "properties": { "a": { "type": "string", "pattern": "(" } }, "required": ["a"] }),
    ];
    for schema in schemas {
        let tools = vec![offer("things.search", "Search for things", schema)];
        for text in ["search for x", "/search x a=1 {", "/search {\"a\": [[[]]]}", "a: 5"] {
            send(&tools, &mut Vec::new(), text);
        }
    }
}

#[test]
fn long_messages_and_many_tools_cause_no_panic() {
    let tools: Vec<ToolOffer> = (0..20).flat_map(|_| repository()).collect();
    for piece in ["знайди ", "«", "a=", "\"'", "(", "1+", "\n", "2026-12-09 ", "query: ", "x"]
    {
        send(
            &tools,
            &mut Vec::new(),
            &format!("search for {}", piece.repeat(10_000 / piece.len())),
        );
    }
}
