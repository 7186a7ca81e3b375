//! Deleting a conversation deletes the keys that tools stored for it, and no others.

use policy::ConversationId;
use serde_json::json;
use services::{conversation_keys, tool_kv_prefix};
use store::{Expected, Expiry, Json, Key, PageRequest, Store};

use super::world::{World, opened};

async fn set(world: &World, key: &Key, value: &serde_json::Value) {
    let value = Json::of(value).unwrap();
    world.store.kv().set(key, value, Expected::Any, Expiry::Never).await.unwrap();
}

async fn stored_keys(world: &World) -> Vec<String> {
    let home = tool_kv_prefix("ana");
    let page = PageRequest::first(100);
    let found = world.store.kv().keys(&home.parse().unwrap(), page).await.unwrap();
    found.items.iter().map(|key| key.as_str()[home.len()..].to_owned()).collect()
}

/// GD-12, with ids that contain each other.
#[tokio::test]
async fn gd_12_ids_that_contain_each_other_do_not_delete_each_others_keys() {
    let world = World::new();
    let conversations = world.conversations();
    let ids = ["chat-1", "chat-1-2", "chat-12"].map(|id| ConversationId(id.into()));
    for id in &ids {
        conversations.open(id, opened()).await.unwrap();
    }
    let key = |name: &str| -> Key { format!("{}{name}", tool_kv_prefix("ana")).parse().unwrap() };
    for name in ["mood-chat-1", "mood-chat-1-2", "mood-chat-12", "mood", "count-chat-1-ada"] {
        set(&world, &key(name), &json!(1)).await;
    }
    // The first one stores a key for an author whose name is `2`.
    let own = key("count-chat-1-2");
    let note = services::store_keys::noted_key(&ids[0], &own).unwrap();
    set(&world, &note, &json!(own.as_str())).await;
    set(&world, &own, &json!(1)).await;
    assert!(conversation_keys::is_noted(world.store.as_ref(), &ids[0], &own).await.unwrap());
    conversations.delete(&ids[1]).await.unwrap();
    let left = ["count-chat-1-2", "count-chat-1-ada", "mood", "mood-chat-1", "mood-chat-12"];
    assert_eq!(stored_keys(&world).await, left, "keys of the other conversation are kept");
    set(&world, &key("mood-chat-1-2"), &json!(1)).await;
    conversations.open(&ids[1], opened()).await.unwrap();
    conversations.delete(&ids[0]).await.unwrap();
    assert_eq!(stored_keys(&world).await, ["mood", "mood-chat-1-2", "mood-chat-12"]);
    let notes = services::store_keys::noted_keys(&ids[0]).unwrap();
    let notes = world.store.kv().keys(&notes, PageRequest::first(9)).await.unwrap();
    assert!(notes.items.is_empty());
}
