//! An owner's account: where they are signed in, what they used, and what it cost.

use std::sync::Arc;

use contract::{Block, Message, Model, Request, Secret, Usage};
use fake_providers::Turn;
use models::{Key, Provider};
use providers::{ConfiguredProvider, Purpose, UsageBook};
use serde_json::{Value, json};
use store::SystemClock;
use testkit::script::says;

use super::login;
use crate::support::client::{Client, TextResponse};
use crate::support::model_world::ModelWorld;
use crate::support::test_server::{World, answered, begin};

async fn signed_in(client: &Client, token: &str) -> String {
    let response = login(client, token).await;
    let cookie = response.headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn by(client: &Client, cookie: &str, method: &str, path: &str) -> TextResponse {
    let mut request = client.request(method, path, "");
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    client.respond(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_their_logins_and_ends_one_or_all_of_them() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(testkit::script::ScriptedModel::new([]))).await;
    let client = &served.client;
    let (phone, laptop) = (signed_in(client, ana).await, signed_in(client, ana).await);
    let other = signed_in(client, ben).await;
    let list = by(client, &laptop, "GET", "/api/logins").await.json();
    assert_eq!(list.as_array().unwrap().len(), 2, "{list}");
    assert_eq!((&list[0]["isThis"], &list[1]["isThis"]), (&json!(true), &json!(false)));
    assert!(list[0]["begun"].as_u64() > Some(0) && list[0]["lastUsed"].as_u64() > Some(0));
    let secret = laptop.split_once('=').unwrap().1;
    assert!(!list.to_string().contains(secret), "{list}");

    // Nobody ends the login of another.
    let id = |list: &Value, at: usize| list[at]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/logins/{}", id(&list, 1));
    assert_eq!(by(client, &other, "DELETE", &path).await.status, 404);
    assert_eq!(by(client, &phone, "GET", "/api/session").await.status, 200);
    assert_eq!(by(client, &laptop, "DELETE", &path).await.status, 204);
    assert_eq!(by(client, &phone, "GET", "/api/session").await.status, 401);
    assert_eq!(by(client, &laptop, "DELETE", &path).await.status, 404);

    let everywhere = by(client, &laptop, "DELETE", "/api/logins").await;
    assert_eq!(everywhere.status, 204);
    assert!(everywhere.headers["set-cookie"].to_str().unwrap().ends_with("Max-Age=0"));
    assert_eq!(by(client, &laptop, "GET", "/api/session").await.status, 401);
    assert_eq!(by(client, &other, "GET", "/api/session").await.status, 200);
    // The token itself is still valid, and has no login.
    assert_eq!(served.of(ana).get("/api/logins").await.json(), json!([]));
}

fn key() -> Key {
    Key::Given(Secret::new("sk-env"))
}

/// Anthropic's prices, from our far side.
fn priced(world: &ModelWorld) -> Vec<ConfiguredProvider> {
    let provider = Provider::anthropic(key());
    let provider = Provider { base_url: world.far.base_url(), ..provider };
    vec![ConfiguredProvider { provider, first_model: None }]
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_has_its_cost_where_the_price_is_known_and_says_where_it_is_not() {
    let world = ModelWorld::new().await;
    let served = world.serve(priced(&world), Some(vec![says("Own.")])).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Hello").await;
    let shown = client.get(&path).await.json();
    assert_eq!(
        shown["cost"]["conversation"],
        json!({"dollars": 0.0, "isMost": false, "unknown": 1})
    );
    assert_eq!(shown["window"], Value::Null);

    let model = json!({"model": "anthropic:claude-haiku-4-5"});
    assert_eq!(client.send("PUT", &format!("{path}/model"), model).await.status, 204);
    // A dollar for a million tokens that it reads, five for those that it writes.
    let used = Usage { input: 10_000, output: 2_000, ..Usage::default() };
    world.far.then(Turn::says("Far.").usage(used));
    answered(client, &path, "And you?").await;
    let shown = client.get(&path).await.json();
    let answer = json!({"dollars": 0.02, "isMost": false, "unknown": 0});
    assert_eq!(shown["cost"]["answer"], answer, "{}", shown["cost"]);
    assert_eq!(shown["cost"]["conversation"]["unknown"], 1);
    assert_eq!((&shown["contextTokens"], &shown["window"]), (&json!(12_000), &json!(200_000)));

    let report = client.get("/api/usage/periods").await.json();
    let days: Vec<_> =
        report["periods"].as_array().unwrap().iter().map(|one| &one["days"]).collect();
    assert_eq!(days, [1, 7, 30]);
    for period in report["periods"].as_array().unwrap() {
        assert_eq!(period["turns"], 2);
        let of = |name: &str| {
            let models = period["models"].as_array().unwrap().iter();
            models.clone().find(|one| one["model"] == name).unwrap().clone()
        };
        let known = of("anthropic:claude-haiku-4-5");
        assert_eq!((&known["turns"], &known["usage"]["input"]), (&json!(1), &json!(10_000)));
        assert_eq!(known["cost"], answer);
        assert_eq!(of("script:scripted")["cost"]["unknown"], 1);
    }
    for bad in ["utcOffset=1081", "utcOffset=-99999999999", "utcOffset=x"] {
        let response = client.get(&format!("/api/usage/periods?{bad}")).await;
        assert_eq!(response.status, 400, "{bad}: {}", response.text);
    }
    served.end().await;
}

/// Voice sessions, Ghostpen and flashcards ask models whose answers are in no conversation.
#[tokio::test(flavor = "multi_thread")]
async fn answers_outside_of_conversations_count_in_the_usage_of_their_owner() {
    let world = ModelWorld::new().await;
    let served = world.serve(priced(&world), None).await;
    let client = &served.client;
    let owner = client.get("/api/session").await.json()["owner"].as_str().unwrap().to_owned();
    let book = UsageBook::new(world.world.store.clone(), Arc::new(SystemClock));
    let far = Provider { base_url: world.far.base_url(), ..Provider::anthropic(key()) };
    let far: Arc<dyn Model> = Arc::new(models::Client::new(far, "claude-haiku-4-5").unwrap());
    let used = Usage { input: 10_000, output: 2_000, ..Usage::default() };
    let messages = vec![Message::user(vec![Block::text("Hello")])];
    let request = Request { messages, output_tokens_max: Some(100), ..Request::default() };
    let asked_by = [(owner.as_str(), Purpose::Voice), (owner.as_str(), Purpose::Pen)];
    for (owner, purpose) in asked_by.into_iter().chain([("somebody", Purpose::Cards)]) {
        world.far.then(Turn::says("Far.").usage(used));
        let metered = book.metered(Arc::clone(&far), owner, purpose);
        metered.ask(&request, &mut |_| {}).await.unwrap();
    }
    let names = ("nobody:knows", "nobody:knows");
    book.add(&owner, Purpose::Cards, names, used).await.unwrap();
    book.add(&owner, Purpose::Cards, names, used).await.unwrap();
    let report = client.get("/api/usage/periods").await.json();
    let today = &report["periods"][0];
    assert_eq!(today["turns"], 4, "{today}");
    assert_eq!(today["cost"], json!({"dollars": 0.04, "isMost": false, "unknown": 2}));
    let models = today["models"].as_array().unwrap();
    let known = models.iter().find(|one| one["model"] == "anthropic:claude-haiku-4-5").unwrap();
    assert_eq!((&known["turns"], &known["usage"]["output"]), (&json!(2), &json!(4_000)));
    served.end().await;
}
