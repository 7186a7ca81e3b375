//! Structured answers in each provider's own field.

use serde_json::{Value, json};

use super::compile_output;
use crate::{same_value, target, targets};

fn cards() -> Value {
    json!({"type": "object", "properties": {"cards": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"front": {"type": "string"}, "note": {"type": "string"}}, "required": ["front"], "additionalProperties": false}}}, "required": ["cards"], "additionalProperties": false})
}

#[test]
fn each_provider_has_its_own_field() {
    for (name, pointer) in [
        ("anthropic", "/output_config/format/schema"),
        ("anthropic-strict", "/output_config/format/schema"),
        ("openai-chat-strict", "/response_format/json_schema/schema"),
        ("openai-responses", "/text/format/schema"),
        ("gemini", "/responseJsonSchema"),
        ("gemini-parameters", "/responseSchema"),
        ("ollama", "/format"),
        ("mcp", "/outputSchema"),
    ] {
        let output = compile_output(&cards(), "cards", target(name).unwrap()).unwrap();
        assert_eq!(output.wire.pointer(pointer), Some(&output.schema), "{name}");
        let answer = json!({"cards": [{"front": "a"}, {"front": "b", "note": "n"}]});
        let wire = output.plan.encode(&answer).unwrap();
        assert!(same_value(&output.plan.decode(&wire).unwrap(), &answer));
    }
}

#[test]
fn a_list_is_wrapped_if_the_root_must_be_an_object() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let answer = json!([1, 2]);
    for target in targets() {
        let Ok(output) = compile_output(&list, "numbers", target) else { continue };
        let wire = output.plan.encode(&answer).unwrap();
        assert!(same_value(&output.plan.decode(&wire).unwrap(), &answer), "{}", target.name);
    }
    let strict = compile_output(&list, "n", target("openai-responses-strict").unwrap()).unwrap();
    assert_eq!(strict.plan.encode(&answer).unwrap(), json!({"input": [1, 2]}));
    let gemini = compile_output(&list, "n", target("gemini").unwrap()).unwrap();
    assert_eq!(gemini.plan.encode(&answer).unwrap(), answer);
}

#[test]
fn a_target_without_structured_output_says_so() {
    for name in ["openai-realtime", "gemini-live"] {
        let faults = compile_output(&cards(), "cards", target(name).unwrap()).unwrap_err();
        assert!(faults[0].to_string().contains("request a call of one tool instead"));
    }
}

#[test]
fn every_corpus_schema_compiles_or_says_why_not() {
    let mut problems = Vec::new();
    for case in crate::tests::corpus::cases() {
        for target in targets() {
            let Ok(output) = compile_output(&case["schema"], "answer", target) else { continue };
            let field = match target.output {
                super::OutputForm::AnthropicFormat => &output.wire["output_config"]["format"],
                super::OutputForm::ResponseFormat => &output.wire["response_format"],
                super::OutputForm::TextFormat => &output.wire["text"]["format"],
                super::OutputForm::ResponseJsonSchema | super::OutputForm::ResponseSchema => {
                    &output.wire
                }
                super::OutputForm::OllamaFormat
                | super::OutputForm::OutputSchema
                | super::OutputForm::OpenApiResponse
                | super::OutputForm::Missing => &output.schema,
            };
            for refusal in fake_providers::rules::output_refusals(target.name, field) {
                problems
                    .push(format!("{} at {}: {refusal:?} in {field}", case["name"], target.name));
            }
            for value in case["accept"].as_array().unwrap() {
                match output.plan.encode(value).and_then(|wire| {
                    output.plan.decode(&wire).map_err(|fault| crate::PlanFault {
                        pointer: fault.pointer,
                        what: fault.what,
                    })
                }) {
                    Ok(back) if same_value(&back, value) => {}
                    other => {
                        problems.push(format!("{} at {}: {other:?}", case["name"], target.name))
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
