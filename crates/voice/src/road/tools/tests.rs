//! Calls of providers, good and bad.

use serde_json::json;

use super::*;

fn tools(target: &str) -> WireTools {
    let parameters = json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": { "query": { "type": "string" } },
    });
    let id = "kb_search".parse().unwrap();
    WireTools::compile(&[ToolOffer { id, description: "Search.".into(), parameters }], target)
}

#[test]
fn vx_12_a_call_that_cannot_be_read_says_why() {
    let tools = tools("openai-realtime");
    let message = |input: Input| match input {
        Input::CallMalformed { message, .. } => message,
        other => format!("{other:?}"),
    };
    assert!(message(tools.call_of_text("c", "kb_search", "{\"q")).contains("not JSON"));
    assert!(message(tools.call_of_text("c", "kb_search", "[1]")).contains("must be a JSON object"));
    assert!(message(tools.call_of_text("c", " ", "{}")).contains("no name"));
    assert!(message(tools.call_of_text("", "kb_search", "{}")).contains("no id"));
}

#[test]
fn a_good_call_has_the_contract_s_name() {
    for target in ["openai-realtime", "gemini-live"] {
        let tools = tools(target);
        assert_eq!(tools.entries().len(), 1);
        let call = tools.call_of_text("c1", &tools.wire_name("kb_search"), r#"{"query":"x"}"#);
        let expected = Call {
            id: CallId("c1".into()),
            tool: "kb_search".into(),
            args: json!({ "query": "x" }),
        };
        assert_eq!(call, Input::CallAsked { call: expected });
    }
    let none = tools("openai-realtime").call_of_text("c", "kb_search", "");
    assert!(matches!(none, Input::CallAsked { call } if call.args == json!({})));
}
