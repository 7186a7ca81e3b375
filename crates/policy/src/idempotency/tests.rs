//! TK-13: which key a call has, and which calls share one.

use contract::{Action, HandlerAnswer};
use serde_json::json;

use super::*;
use crate::test_fixtures::World;

fn key(change: impl FnOnce(&mut World), id_use: IdUse) -> String {
    let world = World::new("send_mail", json!({"to": "ana", "cc": "bo"})).with(change);
    idempotency_key(&world.call(), id_use)
}

#[test]
fn tk_13_a_long_id_of_its_own_is_the_key() {
    assert_eq!(key(|_| {}, IdUse::Unique), "provider:call_0123456789");
    assert_eq!(key(|world| world.id = "call_0001", IdUse::Unique), "provider:call_0001");
    for (id, id_use) in [("call_001", IdUse::Unique), ("call_0123456789", IdUse::Shared)] {
        let key = key(|world| world.id = id, id_use);
        let hex = key.strip_prefix("hash:").unwrap();
        assert!(hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit()), "{key}");
    }
}

#[test]
fn tk_13_the_hash_is_of_conversation_tool_arguments_and_turn() {
    let short =
        |change: fn(&mut World)| key(|world| (world.id = "0", change(world)).1, IdUse::Unique);
    let first = short(|_| {});
    assert_eq!(first, short(|world| world.id = "1"));
    assert_eq!(first, short(|world| world.args = json!({"cc": "bo", "to": "ana"})));
    assert_ne!(first, short(|world| world.turn += 1));
    assert_ne!(first, short(|world| world.args = json!({"to": "ana"})));
    assert_ne!(first, short(|world| world.conversation = "elsewhere"));
    assert_ne!(first, short(|world| world.contract = crate::test_fixtures::contract("pay")));
}

#[test]
fn the_handlers_answers_are_part_of_the_hash() {
    let key = |answer: Option<&str>| {
        let mut world = World::new("send_mail", json!({})).with(|world| world.id = "0");
        if let Some(text) = answer {
            let content = json!({"text": text});
            let replied = HandlerAnswer { action: Action::Accept, content };
            world.answers.0.insert("which".to_owned(), replied);
        }
        idempotency_key(&world.call(), IdUse::Unique)
    };
    let keys = [key(None), key(Some("ana")), key(Some("bo"))];
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2], "{keys:?}");
}
