//! Sets are compiled once; another order is another set.

use contract::FaultKind;
use serde_json::json;

use super::*;
use crate::provider::Key;

fn compiler() -> Compiler {
    Compiler::new(&Provider::anthropic(Key::NotNeeded), StrictMode::PerTool).unwrap()
}

fn offer(parameters: Value) -> ToolOffer {
    ToolOffer { id: "look.up".parse().unwrap(), description: "Looks.".to_owned(), parameters }
}

fn two(first: &str, second: &str) -> Value {
    json!({ "type": "object", "properties": { first: { "type": "string" }, second: {} } })
}

#[test]
fn the_same_offers_are_compiled_once() {
    let compiler = compiler();
    let first = compiler.compile(&[offer(two("a", "b"))]).unwrap();
    let again = compiler.compile(&[offer(two("a", "b"))]).unwrap();
    let other = compiler.compile(&[offer(two("b", "a"))]).unwrap();
    assert!(Arc::ptr_eq(&first, &again) && !Arc::ptr_eq(&first, &other));
    assert_ne!(first.entries(), other.entries());
    assert_eq!(first.by_wire_name("look_up").unwrap().name, "look.up");
}

#[test]
fn the_number_of_cached_sets_is_limited() {
    let compiler = compiler();
    for index in 0..=SETS_MAX {
        compiler.compile(&[offer(two("a", &format!("b{index}")))]).unwrap();
    }
    assert_eq!(compiler.known.lock().unwrap().len(), 1);
}

#[test]
fn a_dialect_that_does_not_exist_is_a_fault() {
    let odd = Provider { dialect: Some("klingon".to_owned()), ..Provider::ollama("http://x") };
    let fault = Compiler::new(&odd, StrictMode::Missing).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadRequest);
    assert!(fault.fix.contains("ollama"), "{fault}");
}
