//! A seal opens for the caller and the call it was made for, and for nobody else.

use std::time::Duration;

use serde_json::json;
use store::{SqliteOptions, SqliteStore};

use super::{About, Carried, Seals, bond};
use crate::serve::caller::{Caller, Principal};

fn caller(program: &str) -> Caller {
    let (principal, program) = (Principal::local(), program.to_owned());
    Caller { principal, program, can_ask: Vec::new() }
}

fn carried() -> Carried {
    let text = |text: &str| text.to_owned();
    let about = About::Approval(text("ask:1"));
    Carried { conversation: text("c"), turn: 1, call: text("id"), about }
}

#[tokio::test]
async fn only_the_same_call_of_the_same_caller_opens_it() {
    let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let seals = Seals::of(&store).await.unwrap();
    let args = json!({ "a": 1, "b": 2 });
    let bound = bond(&caller("x"), "note", &args);
    let sealed = seals.seal(&carried(), bound.as_bytes(), Duration::from_secs(60)).unwrap();
    let opens = |bound: String| seals.open(&sealed, bound.as_bytes());
    assert_eq!(opens(bound), Some(carried()));
    assert_eq!(opens(bond(&caller("x"), "note", &json!({ "b": 2, "a": 1 }))), Some(carried()));
    assert_eq!(opens(bond(&caller("y"), "note", &args)), None);
    assert_eq!(opens(bond(&caller("x"), "other", &args)), None);
    assert_eq!(opens(bond(&caller("x"), "note", &json!({ "a": 2 }))), None);
    assert_eq!(seals.open("nonsense", b""), None);
}

#[tokio::test]
async fn another_process_of_the_same_store_opens_it_and_another_store_does_not() {
    let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let sealed = Seals::of(&store).await.unwrap().seal(&carried(), b"x", Duration::from_secs(60));
    let again = Seals::of(&store).await.unwrap();
    assert_eq!(again.open(sealed.as_ref().unwrap(), b"x"), Some(carried()));
    let other = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    let other = Seals::of(&other).await.unwrap();
    assert_eq!(other.open(sealed.as_ref().unwrap(), b"x"), None);
}
