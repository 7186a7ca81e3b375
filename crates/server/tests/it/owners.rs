//! Several owners on one server: none can see the data of another.

mod account;

use std::sync::Arc;

use serde_json::{Value, json};
use server::{InboxNotice, InboxNotices, Token};
use testkit::script::{ScriptedModel, calls};

use crate::support::client::{Client, TextResponse};
use crate::support::test_server::{World, begin_with};

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
async fn an_owner_cannot_read_or_answer_for_another() {
    let world = world();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({}))]));
    let served = world.serve(&model).await;
    let (ana, ben) = (served.of(ANA), served.of(BEN));
    let (path, mut stream) = begin_with(&ana, "Send it!").await;
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
async fn an_inbox_has_what_waits_for_its_owner_and_its_stream_tells_of_notices() {
    let world = world();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({}))]));
    let served = world.serve(&model).await;
    let (ana, ben) = (served.of(ANA), served.of(BEN));
    let (_, mut stream) = begin_with(&ana, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    let asked = ana.send("POST", "/api/call/send", json!({"text": "a"})).await;
    assert_eq!(asked.status, 409, "{}", asked.text);
    let notices = InboxNotices::new(world.store.clone());
    let mut changes = ana.stream("/api/approvals/stream", None).await;
    let notice = InboxNotice::new("mcp-far".to_owned(), "mcp_tools", "far", 2);
    notices.put("ana", &notice).await.unwrap();
    assert_eq!(changes.next().await.unwrap().kind, "change");
    let inbox = ana.get("/api/inbox").await.json();
    let approvals = inbox["approvals"].as_array().unwrap();
    assert_eq!(approvals.len(), 2, "{inbox}");
    let conversation = approvals.iter().find(|one| one["title"] == "Send it!").unwrap();
    assert_eq!(conversation["asker"], Value::Null);
    assert!(approvals.iter().any(|one| one["asker"] == "a program over HTTP"), "{inbox}");
    assert_eq!(
        (&inbox["notices"][0]["subject"], &inbox["notices"][0]["count"]),
        (&json!("far"), &json!(2))
    );
    assert_eq!(ana.get("/api/session").await.json()["notices"], 1);
    let nothing = json!({"approvals": [], "questions": [], "doubts": [], "notices": []});
    assert_eq!(ben.get("/api/inbox").await.json(), nothing);
    notices.remove("ana", "mcp-far").await.unwrap();
    assert_eq!(changes.next().await.unwrap().kind, "change");
    assert_eq!(ana.get("/api/inbox").await.json()["notices"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_or_its_cookie_authenticates() {
    let world = world();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let anonymous = &served.client;
    assert_eq!(anonymous.get("/api/session").await.status, 401);
    assert_eq!(served.of("wrong-0123456789abcdef").get("/api/session").await.status, 401);
    assert_eq!(served.of(ANA).get("/api/session").await.json()["owner"], "ana");
    assert_eq!(login(anonymous, "wrong-0123456789abcdef").await.status, 401);
    let response = login(anonymous, ANA).await;
    assert_eq!(
        (response.status.as_u16(), &response.headers["location"]),
        (303, &"/".parse().unwrap())
    );
    let cookie = response.headers["set-cookie"].to_str().unwrap().to_owned();
    let name = format!("ghosthand-{}", anonymous.address.port());
    assert!(cookie.starts_with(&format!("{name}=")) && !cookie.contains(ANA), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Max-Age=2592000"), "{cookie}");
    let cookie_pair = cookie.split(';').next().unwrap();
    assert_eq!(with_cookie(anonymous, "GET", cookie_pair, None).await.json()["owner"], "ana");
    let secret = cookie_pair.split_once('=').unwrap().1;
    for wrong in [format!("{name}={ANA}"), format!("ghosthand={secret}"), format!("{name}=")] {
        assert_eq!(with_cookie(anonymous, "GET", &wrong, None).await.status, 401, "{wrong}");
    }
    // It is valid only for the host where it was created.
    let other = format!("localhost:{}", anonymous.address.port());
    assert_eq!(with_cookie(anonymous, "GET", cookie_pair, Some(&other)).await.status, 401);
    assert!(!world.stored_values().await.contains(secret), "only a digest is stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_survives_a_restart_and_ends_with_a_sign_out_or_its_token() {
    let mut world = world();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let port = served.client.address.port();
    let mut cookies = Vec::new();
    for token in [ANA, ANA, BEN] {
        let response = login(&served.client, token).await;
        let cookie = response.headers["set-cookie"].to_str().unwrap().to_owned();
        cookies.push(cookie.split(';').next().unwrap().to_owned());
    }
    served.end().await;
    world.tokens.pop();
    world.port = port;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let who = async |at: usize| {
        with_cookie(&served.client, "GET", &cookies[at], None).await.status.as_u16()
    };
    assert_eq!((who(0).await, who(1).await, who(2).await), (200, 200, 401));
    let out = with_cookie(&served.client, "DELETE", &cookies[0], None).await;
    assert_eq!(out.status, 204);
    assert!(out.headers["set-cookie"].to_str().unwrap().ends_with("Max-Age=0"));
    assert_eq!((who(0).await, who(1).await), (401, 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_do_not_lock_out_the_right_one() {
    let mut world = world();
    world.limits.wrong_tokens_burst = 3;
    world.limits.wrong_tokens_per_second = 0;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let anonymous = &served.client;
    let wrong = "wrong-0123456789abcdef";
    let mut response = Vec::new();
    for _ in 0..200 {
        response.push(login(anonymous, wrong).await.status.as_u16());
    }
    assert_eq!(response.iter().filter(|status| **status == 401).count(), 3);
    let refused = served.of(wrong).get("/api/session").await;
    assert_eq!(
        (refused.status.as_u16(), &refused.headers["retry-after"]),
        (429, &"1".parse().unwrap())
    );
    assert_eq!(login(anonymous, ANA).await.status, 303);
    assert_eq!(served.of(BEN).get("/api/session").await.status, 200);
    assert_eq!(
        anonymous.get("/api/session").await.status,
        401,
        "a missing token does not count as a wrong one"
    );
}

async fn login(client: &Client, token: &str) -> TextResponse {
    let mut request = client.request("POST", "/login", &format!("token={token}"));
    let kind = "application/x-www-form-urlencoded".parse().unwrap();
    request.headers_mut().insert("content-type", kind);
    client.respond(request).await
}

async fn with_cookie(
    client: &Client,
    method: &str,
    cookie: &str,
    host: Option<&str>,
) -> TextResponse {
    let mut request = client.request(method, "/api/session", "");
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    if let Some(host) = host {
        request.headers_mut().insert("host", host.parse().unwrap());
    }
    client.respond(request).await
}
