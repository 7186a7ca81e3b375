//! Who holds a conversation, and how long a dead or forgotten holder is waited for.

use std::time::Duration;

use serde_json::json;
use store::{Expected, Expiry, Json, Store};

use super::world::{World, id, opened};
use crate::ConversationFault;
use crate::conversations::lease::LEASE_TIME;
use crate::store_keys;

/// Writes the right of another process, good for longer than any process could want.
async fn held_by(world: &World, holder: serde_json::Value) {
    let key = store_keys::lease(&id()).unwrap();
    let month = Expiry::After(Duration::from_secs(30 * 24 * 3600));
    let holder = Json::of(&holder).unwrap();
    world.store.kv().set(&key, holder, Expected::Any, month).await.unwrap();
}

#[tokio::test]
async fn a_clock_that_was_wrong_holds_no_conversation_longer_than_a_right_lasts() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    held_by(&world, json!({ "process": 1 })).await;
    assert!(matches!(conversations.say(&id(), "one").await, Err(ConversationFault::Held)));
    assert!(conversations.is_held(&id()).await.unwrap());
    tokio::time::pause();
    tokio::time::advance(LEASE_TIME - Duration::from_secs(1)).await;
    tokio::time::resume();
    // It lives: it was renewed meanwhile.
    held_by(&world, json!({ "process": 1 })).await;
    assert!(matches!(conversations.say(&id(), "one").await, Err(ConversationFault::Held)));
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    assert!(matches!(conversations.say(&id(), "one").await, Err(ConversationFault::Held)));
    tokio::time::pause();
    tokio::time::advance(LEASE_TIME).await;
    tokio::time::resume();
    assert!(!conversations.is_held(&id()).await.unwrap());
    assert_eq!(conversations.say(&id(), "one").await.unwrap(), 1);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_dead_process_is_not_waited_for() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    // Such a number no process has; everything else is as this process would write it.
    let mut holder =
        serde_json::to_value(crate::conversations::lease::holder::Holder::own()).unwrap();
    holder["process"] = json!(u32::MAX - 1);
    held_by(&world, holder).await;
    assert!(!conversations.is_held(&id()).await.unwrap());
    assert_eq!(conversations.say(&id(), "one").await.unwrap(), 1);
    // The right that was taken over is a right like any other.
    let other = world.conversations();
    assert!(matches!(other.say(&id(), "two").await, Err(ConversationFault::Held)));
}
