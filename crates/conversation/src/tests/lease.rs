//! Leases of conversations, and how they end after their holder died.

use std::time::Duration;

use serde_json::json;
use store::{Expected, Expiry, Json, Store};

use super::world::{World, id, opened};
use crate::ConversationFault;
use crate::conversations::lease::LEASE_TIME;
use crate::store_keys;

/// Writes the lease of another process, with an expiry far in the future.
async fn held_by(world: &World, holder: serde_json::Value) {
    let key = store_keys::lease(&id()).unwrap();
    let month = Expiry::After(Duration::from_secs(30 * 24 * 3600));
    let holder = Json::of(&holder).unwrap();
    world.store.kv().set(&key, holder, Expected::Any, month).await.unwrap();
}

#[tokio::test]
async fn a_wrong_clock_does_not_hold_a_conversation_longer_than_a_lease_lasts() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    // Without an open turn the holder would be waited for.
    conversations.say(&id(), "zero").await.unwrap();
    conversations.flush().await;
    held_by(&world, json!({ "process": 1 })).await;
    assert!(matches!(conversations.say(&id(), "one").await, Err(ConversationFault::Held)));
    assert!(conversations.is_held(&id()).await.unwrap());
    tokio::time::pause();
    tokio::time::advance(LEASE_TIME - Duration::from_secs(1)).await;
    tokio::time::resume();
    // It is alive: it was renewed in the meantime.
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
    assert_eq!(conversations.say(&id(), "one").await.unwrap(), 2);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_lease_of_a_dead_process_ends_at_once() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    // No process has this number; everything else is as this process would write it.
    let mut holder =
        serde_json::to_value(crate::conversations::lease::holder::Holder::own()).unwrap();
    holder["process"] = json!(u32::MAX - 1);
    held_by(&world, holder).await;
    assert!(!conversations.is_held(&id()).await.unwrap());
    assert_eq!(conversations.say(&id(), "one").await.unwrap(), 1);
    // The lease that was taken over is an ordinary one.
    let other = world.conversations();
    assert!(matches!(other.say(&id(), "two").await, Err(ConversationFault::Held)));
}
