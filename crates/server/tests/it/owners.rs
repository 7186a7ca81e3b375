//! Several people, one server: nobody sees another's.

use std::sync::Arc;

use serde_json::json;
use server::Token;
use testkit::script::{ScriptedModel, calls};

use crate::client::Client;
use crate::world::{World, begin, say};

const ANA: &str = "ana-0123456789abcdef";
const BEN: &str = "ben-0123456789abcdef";

fn world() -> World {
    let mut world = World::new();
    for (owner, secret) in [("ana", ANA), ("ben", BEN)] {
        world.tokens.push(Token::parse(&format!("{owner}={secret}")).unwrap());
    }
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_or_answers_for_another() {
    let world = world();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({}))]));
    let served = world.serve(&model).await;
    let (ana, ben) = (served.of(ANA), served.of(BEN));
    let path = begin(&ana).await;
    let mut stream = ana.stream(&format!("{path}/stream"), None).await;
    say(&ana, &path, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    assert_eq!(ben.get("/api/conversations").await.json(), json!([]));
    for (method, path) in [
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("GET", format!("{path}/stream")),
        ("POST", format!("{path}/stop")),
    ] {
        assert_eq!(ben.send(method, &path, json!({})).await.status, 404, "{method} {path}");
    }
    let message = format!("{path}/messages");
    assert_eq!(ben.send("POST", &message, json!({"text": "x"})).await.status, 404);
    assert_eq!(ben.get("/api/approvals").await.json(), json!([]));
    let request = ana.get("/api/approvals").await.json()[0]["id"].as_str().unwrap().to_owned();
    let answer = format!("/api/approvals/{request}");
    assert_eq!(ben.send("POST", &answer, json!({"answer": "approve"})).await.status, 409);
    assert_eq!(world.ran.load(std::sync::atomic::Ordering::SeqCst), 0);
    let lines = ana.get("/api/conversations").await.json();
    assert_eq!(lines[0]["title"], "Send it!");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_or_its_cookie_lets_in_and_nothing_else_does() {
    let world = world();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let nobody = &served.client;
    assert_eq!(nobody.get("/api/session").await.status, 401);
    assert_eq!(served.of("wrong-0123456789abcdef").get("/api/session").await.status, 401);
    assert_eq!(served.of(ANA).get("/api/session").await.json()["owner"], "ana");
    assert_eq!(nobody.get("/login?token=wrong-0123456789abcdef").await.status, 401);
    let told = nobody.get(&format!("/login?token={ANA}")).await;
    assert_eq!((told.status.as_u16(), &told.headers["location"]), (303, &"/".parse().unwrap()));
    let cookie = told.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly; SameSite=Lax") && !cookie.contains(ANA), "{cookie}");
    let held = cookie.split(';').next().unwrap();
    assert_eq!(with_cookie(nobody, held).await, 200);
    assert_eq!(with_cookie(nobody, &format!("ghosthand={ANA}")).await, 401);
}

async fn with_cookie(client: &Client, cookie: &str) -> u16 {
    let mut request = client.request("GET", "/api/session", "");
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    client.told(request).await.status.as_u16()
}
