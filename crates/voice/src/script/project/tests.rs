//! What a script may say about the tools of a project.

use contract::Contract;
use serde_json::json;

use super::PlayedHandler;
use crate::script::parse;

fn contracts() -> Vec<Contract> {
    let schema = json!({
        "toolId": "book", "version": "1.0.0", "description": "Books.", "category": "action",
        "sideEffects": "writes", "idempotent": false, "requiresConfirmation": true,
        "allowedModes": ["voice"], "latencyBudgetMs": 800, "parameters": { "type": "object" },
    });
    vec![serde_json::from_value(schema).unwrap()]
}

fn check(script: &str, expected: Result<&[PlayedHandler], &str>) {
    let found = parse(script).unwrap().played_handlers(&contracts());
    match expected {
        Ok(handlers) => assert_eq!(found.unwrap(), handlers, "{script}"),
        Err(text) => {
            let fault = found.unwrap_err().to_string();
            assert!(fault.contains(text), "{script}: {fault}");
        }
    }
}

fn handler(ms: u64, response: Option<serde_json::Value>) -> PlayedHandler {
    PlayedHandler { tool: "book".to_owned(), ms, response }
}

#[test]
fn a_script_says_how_long_a_handler_takes_and_what_it_answers() {
    check("at 0s user says \"hi\"", Ok(&[]));
    check("tool book takes 900ms", Ok(&[handler(900, None)]));
    let response = json!({ "ok": true, "data": { "n": 1 }, "intents": [] });
    check("tool book after 1s returns {\"n\": 1}", Ok(&[handler(1_000, Some(response))]));
    let error = json!({ "type": "PERMANENT", "message": "full", "retryable": false });
    let response = json!({ "ok": false, "error": error });
    check("tool book after 0s fails \"full\"", Ok(&[handler(0, Some(response))]));
}

#[test]
fn a_script_cannot_change_a_contract_or_end_a_real_handler() {
    check("tool book reads", Err("line 1: `reads` is a matter of the contract of `book`"));
    check("\ntool cook takes 1s", Err("line 2: the project has no tool `cook`"));
    check("at 1s tool call-1 returns {}", Err("line 1: the handlers of the project end by"));
    check("tool book after 1s stops", Err("`returns` or `fails`"));
}
