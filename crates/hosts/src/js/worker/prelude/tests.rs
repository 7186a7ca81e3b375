//! The prelude compiles and is found by name.

use contract::{ErrorType, IntentType};

use super::*;

#[test]
fn every_prelude_module_compiles() {
    for (name, source) in SOURCES {
        if let Err(fault) = compile_own(name, source) {
            panic!("{name}: {fault}");
        }
    }
}

/// The quoted words of the object that follows `start`.
fn words_after(start: &str) -> Vec<String> {
    let source = source(ERROR_TYPES).unwrap();
    let list = source.split_once(start).unwrap().1.split_once('}').unwrap().0;
    list.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn handlers_have_the_error_and_intent_types_of_the_contract() {
    let errors: Vec<_> = ErrorType::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(words_after("ErrorType = Object.freeze({"), errors);
    let intents: Vec<_> = IntentType::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(words_after("IntentType = Object.freeze({"), intents);
}
