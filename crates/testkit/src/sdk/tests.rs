//! The check finds what is wrong.

use contract::Wire;
use serde_json::{Value, json};

use super::{Verdict, check_bodies};

fn line(wire: Wire, body: &Value) -> String {
    format!("{}\n", json!({ "wire": wire.as_str(), "body": body }))
}

fn good() -> Vec<(Wire, Value)> {
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    vec![
        (
            Wire::Anthropic,
            json!({
                "model": "claude-sonnet-5-5", "max_tokens": 100, "stream": true,
                "messages": [
                    { "role": "user", "content": "x" },
                    { "role": "assistant", "content": [
                        { "type": "thinking", "thinking": "hm", "signature": "s" },
                        { "type": "tool_use", "id": "a", "name": "clock", "input": {},
                          "caller": { "type": "direct" } },
                    ] },
                    { "role": "user", "content": [
                        { "type": "tool_result", "tool_use_id": "a", "content": "x" },
                    ] },
                ],
                "tools": [{ "name": "clock", "input_schema": schema, "strict": true }],
            }),
        ),
        (
            Wire::Chat,
            json!({
                "model": "gpt-5.4", "stream": true, "stream_options": { "include_usage": true },
                "messages": [
                    { "role": "user", "content": "x" },
                    { "role": "assistant", "tool_calls": [{ "id": "a", "type": "function",
                      "function": { "name": "clock", "arguments": "{}" } }] },
                    { "role": "tool", "tool_call_id": "a", "content": "x" },
                ],
            }),
        ),
        (
            Wire::Responses,
            json!({
                "model": "gpt-5.4", "store": false,
                "input": [
                    { "role": "user", "content": "x" },
                    { "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "s" },
                    { "type": "function_call", "call_id": "a", "name": "clock", "arguments": "{}" },
                    { "type": "function_call_output", "call_id": "a", "output": "x" },
                ],
                "tools": [{ "type": "function", "name": "clock", "parameters": schema,
                            "strict": true }],
            }),
        ),
        (
            Wire::Gemini,
            json!({
                "contents": [{ "role": "user", "parts": [{ "text": "x" }] }],
                "tools": [{ "functionDeclarations": [
                    { "name": "clock", "parametersJsonSchema": schema },
                ] }],
                "generationConfig": { "maxOutputTokens": 100 },
            }),
        ),
    ]
}

#[test]
fn sdk_types_accept_only_valid_bodies() {
    let lines: String = good().iter().map(|(wire, body)| line(*wire, body)).collect();
    match check_bodies(&lines) {
        Verdict::Fit(table) => assert!(table.contains("anthropic        1       0"), "{table}"),
        Verdict::Misfit(table) => panic!("{table}"),
    }

    let spoil = |index: usize, pointer: &str, value: Value| {
        let (wire, mut body) = good().swap_remove(index);
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[key] = value;
        line(wire, &body)
    };
    let bad = [
        (spoil(0, "/temperature", 1.into()), "temperature: Extra"),
        (
            spoil(
                0,
                "/messages/1/content",
                json!([{ "type": "tool_use", "id": "a", "name": "b",
            "input": {}, "surprise": 1 }]),
            ),
            "surprise: Extra",
        ),
        (spoil(0, "/messages/2/content", json!([{ "type": "tool_result" }])), "tool_use_id: Field"),
        (
            spoil(
                1,
                "/messages",
                json!([{ "role": "assistant", "tool_calls": [{ "id": "a",
            "type": "function", "function": { "name": "x", "arguments": {} } }] }]),
            ),
            "valid string",
        ),
        (
            spoil(2, "/tools", json!([{ "type": "function", "name": "x", "parameters": {} }])),
            "strict: Field required",
        ),
        (
            spoil(3, "/generationConfig", json!({ "max_output_tokens": 1 })),
            "max_output_tokens: Extra",
        ),
    ];
    let lines: String = bad.iter().map(|(line, _)| line.as_str()).collect();
    let verdict = check_bodies(&lines);
    let Verdict::Misfit(table) = verdict else { panic!("{verdict:?}") };
    for (number, (_, expected)) in bad.iter().enumerate() {
        assert!(table.contains(&format!("line {}, ", number + 1)), "{expected}: {table}");
        assert!(table.contains(expected), "{expected}: {table}");
    }
}
