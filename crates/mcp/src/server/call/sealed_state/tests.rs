//! Sealed state opens only for its own caller and call.

use std::time::Duration;

use serde_json::json;
use store::{SqliteOptions, SqliteStore};

use super::{CallState, StateKind, StateSealer, binding_of};
use crate::server::caller::{Caller, Principal};

fn caller(program: &str) -> Caller {
    let (principal, program) = (Principal::local(), program.to_owned());
    Caller { principal, program, can_ask: Vec::new() }
}

fn carried() -> CallState {
    let text = |text: &str| text.to_owned();
    let about = StateKind::Approval(text("ask:1"));
    CallState { conversation: text("c"), turn: 1, call: text("id"), about }
}

#[tokio::test]
async fn only_the_same_call_of_the_same_caller_opens_it() {
    let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let sealer = StateSealer::of(&store).await.unwrap();
    let args = json!({ "a": 1, "b": 2 });
    let bound = binding_of(&caller("x"), "note", &args);
    let sealed = sealer.seal(&carried(), bound.as_bytes(), Duration::from_secs(60)).unwrap();
    let opens = |bound: String| sealer.open(&sealed, bound.as_bytes());
    assert_eq!(opens(bound), Some(carried()));
    assert_eq!(
        opens(binding_of(&caller("x"), "note", &json!({ "b": 2, "a": 1 }))),
        Some(carried())
    );
    assert_eq!(opens(binding_of(&caller("y"), "note", &args)), None);
    assert_eq!(opens(binding_of(&caller("x"), "other", &args)), None);
    assert_eq!(opens(binding_of(&caller("x"), "note", &json!({ "a": 2 }))), None);
    assert_eq!(sealer.open("nonsense", b""), None);
}

#[tokio::test]
async fn another_process_of_the_same_store_opens_it_and_another_store_does_not() {
    let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let sealed =
        StateSealer::of(&store).await.unwrap().seal(&carried(), b"x", Duration::from_secs(60));
    let again = StateSealer::of(&store).await.unwrap();
    assert_eq!(again.open(sealed.as_ref().unwrap(), b"x"), Some(carried()));
    let other = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let other = StateSealer::of(&other).await.unwrap();
    assert_eq!(other.open(sealed.as_ref().unwrap(), b"x"), None);
}
