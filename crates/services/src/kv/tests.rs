//! Keys of a tool, by its declared prefixes.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use store::{ManualClock, PageRequest, Prefix, SqliteOptions, SqliteStore, Timestamp};

use super::tool_kv_prefix;
use crate::EffectLevel;
use crate::handler_services::tests::{World, ask, fault};

fn notes() -> Value {
    json!({"kv": ["notes/", "tasks/open/"]})
}

#[tokio::test]
async fn of_two_writers_with_the_same_revision_one_succeeds() {
    let world = World::new();
    let run = world.run("writes", notes());
    let set = async |args| ask(&run, "kv.set", args).await;

    let absent = json!({"key": "notes/a", "value": {"n": 1}, "expectedRevision": null});
    let first = set(absent.clone()).await.unwrap();
    assert_eq!(set(absent).await, Err("CONFLICT".into()));
    let got = ask(&run, "kv.get", json!({"key": "notes/a"})).await.unwrap();
    assert_eq!(got, json!({"value": {"n": 1}, "revision": first["revision"]}));

    let update = json!({"key": "notes/a", "value": 2, "expectedRevision": first["revision"]});
    assert!(set(update.clone()).await.is_ok());
    assert_eq!(set(update).await, Err("CONFLICT".into()));
    assert!(set(json!({"key": "notes/a", "value": 3})).await.is_ok(), "nothing expected");

    let stale = json!({"key": "notes/a", "expectedRevision": first["revision"]});
    assert_eq!(ask(&run, "kv.delete", stale).await, Err("CONFLICT".into()));
    assert_eq!(ask(&run, "kv.delete", json!({"key": "notes/a"})).await, Ok(json!(true)));
    assert_eq!(ask(&run, "kv.delete", json!({"key": "notes/a"})).await, Ok(json!(false)));
    assert_eq!(ask(&run, "kv.get", json!({"key": "notes/a"})).await, Ok(Value::Null));
}

#[tokio::test]
async fn only_a_write_that_happened_counts() {
    let world = World::new();
    let run = world.run("writes", notes());
    let never = json!({"key": "notes/a", "value": 1, "expectedRevision": 99});
    assert_eq!(ask(&run, "kv.set", never).await, Err("CONFLICT".into()));
    assert_eq!(ask(&run, "kv.delete", json!({"key": "notes/a"})).await, Ok(json!(false)));
    assert_eq!(run.effects(), EffectLevel::None);
    ask(&run, "kv.set", json!({"key": "notes/a", "value": 1})).await.unwrap();
    assert_eq!(run.effects(), EffectLevel::Written);
}

#[tokio::test]
async fn keys_stay_below_their_prefixes_and_owners_are_separate() {
    let mut world = World::new();
    let run = world.run("writes", notes());
    for key in ["note", "other/a", "tool-kv/shared/notes/a", "ledger/1", "", "/notes/a", "tasks/a"]
    {
        let refusal = fault(&run, "kv.set", json!({"key": key, "value": 1})).await;
        assert_eq!(refusal.code, "NOT_ALLOWED", "{key}");
    }
    let long = json!({"key": format!("notes/{}", "x".repeat(600)), "value": 1});
    assert_eq!(ask(&run, "kv.set", long).await, Err("BAD_REQUEST".into()));

    ask(&run, "kv.set", json!({"key": "notes/a", "value": 1})).await.unwrap();
    world.owner = "client/shared";
    let other = world.run("writes", notes());
    assert_eq!(ask(&other, "kv.get", json!({"key": "notes/a"})).await, Ok(Value::Null));
    ask(&other, "kv.set", json!({"key": "notes/a", "value": 2})).await.unwrap();

    let all = world.store.kv().keys(&Prefix::all(), PageRequest::first(10)).await.unwrap().items;
    let all: Vec<&str> = all.iter().map(|key| key.as_str()).collect();
    assert_eq!(all, ["tool-kv/client%2Fshared/notes/a", "tool-kv/shared/notes/a"]);
    assert_ne!(tool_kv_prefix("a/b"), tool_kv_prefix("a%2Fb"));
}

#[tokio::test]
async fn a_listing_shows_what_is_declared() {
    let mut world = World::new();
    world.limits.kv_list_items_max = 3;
    let run = world.run("writes", notes());
    for key in ["notes/b", "notes/a", "tasks/open/c"] {
        ask(&run, "kv.set", json!({"key": key, "value": key})).await.unwrap();
    }
    let keys = async |prefix: &str| {
        let listed = ask(&run, "kv.list", json!({"prefix": prefix})).await?;
        let key = |item: &Value| item["key"].as_str().unwrap().to_owned();
        Ok::<_, String>(listed.as_array().unwrap().iter().map(key).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(keys("").await.unwrap(), "notes/a notes/b tasks/open/c");
    assert_eq!(keys("notes/").await.unwrap(), "notes/a notes/b");
    assert_eq!(keys("notes/b").await.unwrap(), "notes/b");
    assert_eq!(keys("tasks/").await.unwrap(), "tasks/open/c");
    assert_eq!(keys("ledger/").await, Err("NOT_ALLOWED".into()));
    ask(&run, "kv.set", json!({"key": "notes/c", "value": 1})).await.unwrap();
    assert_eq!(keys("").await, Err("TOO_LARGE".into()));

    world.limits.kv_value_bytes_max = 10;
    let run = world.run("writes", notes());
    let args = json!({"key": "notes/a", "value": "more than ten bytes"});
    assert_eq!(ask(&run, "kv.set", args).await, Err("TOO_LARGE".into()));
}

#[tokio::test]
async fn a_value_expires() {
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000)));
    let mut world = World::new();
    let options = SqliteOptions::with_clock(Arc::clone(&clock));
    world.store = Arc::new(SqliteStore::temporary(options).unwrap());
    let run = world.run("writes", notes());
    ask(&run, "kv.set", json!({"key": "notes/a", "value": 1, "ttlMs": 50.5})).await.unwrap();
    clock.advance(Duration::from_millis(50));
    assert_ne!(ask(&run, "kv.get", json!({"key": "notes/a"})).await, Ok(Value::Null));
    clock.advance(Duration::from_millis(1));
    assert_eq!(ask(&run, "kv.get", json!({"key": "notes/a"})).await, Ok(Value::Null));
}

#[tokio::test]
async fn a_star_allows_every_key_of_the_owner_and_of_no_other() {
    let mut world = World::new();
    let run = world.run("writes", json!({"kv": ["*"]}));
    ask(&run, "kv.set", json!({"key": "user_balance", "value": 5})).await.unwrap();
    let listed = ask(&run, "kv.list", json!({})).await.unwrap();
    assert_eq!(listed[0]["key"], "user_balance");
    world.owner = "somebody else";
    let other = world.run("writes", json!({"kv": ["*"]}));
    assert_eq!(ask(&other, "kv.get", json!({"key": "user_balance"})).await, Ok(Value::Null));
}

/// GD-18: a tool with every key cannot write those that need approval.
#[tokio::test]
async fn gd_18_every_key_does_not_include_those_that_need_approval() {
    let world = World::new();
    let all = world.run("writes", json!({"kv": ["*"]}));
    let set = json!({"key": "guarded/rule", "value": "be kind"});
    assert_eq!(ask(&all, "kv.set", set.clone()).await, Err("NOT_ALLOWED".into()));
    let push = json!({"key": "guarded/rules", "value": 1});
    assert_eq!(ask(&all, "kv.rpush", push).await, Err("NOT_ALLOWED".into()));
    assert_eq!(ask(&all, "kv.get", json!({"key": "guarded/rule"})).await, Ok(Value::Null));
    let own = world.run("writes", json!({"kv": ["guarded/"]}));
    assert!(ask(&own, "kv.set", set).await.is_ok());
}

#[tokio::test]
async fn list_operations_push_pop_read_and_remove() {
    let world = World::new();
    let run = world.run("writes", json!({"kv": ["*"]}));
    let call = async |name: &str, mut args: Value| {
        args["key"] = json!("bag");
        ask(&run, name, args).await.unwrap()
    };
    assert_eq!(call("kv.rpush", json!({"value": "b"})).await, json!(1));
    assert_eq!(call("kv.lpush", json!({"value": "a"})).await, json!(2));
    assert_eq!(call("kv.rpush", json!({"value": {"c": 1}})).await, json!(3));
    assert_eq!(
        call("kv.lrange", json!({"start": 0, "stop": -1})).await,
        json!(["a", "b", {"c": 1}])
    );
    assert_eq!(call("kv.lremove_at", json!({"index": 1})).await, json!(true));
    assert_eq!(call("kv.lremove_at", json!({"index": 9})).await, json!(false));
    assert_eq!(call("kv.llen", json!({})).await, json!(2));
    assert_eq!(call("kv.lpop", json!({})).await, json!("a"));
    assert_eq!(call("kv.rpop", json!({})).await, json!({"c": 1}));
    assert_eq!(call("kv.rpop", json!({})).await, Value::Null);
    assert_eq!(call("kv.exists", json!({})).await, json!(true));
    assert_eq!(ask(&run, "kv.keys", json!({})).await.unwrap(), json!(["bag"]));
}
