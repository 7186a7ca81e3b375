//! No client can block the server: not with texts, with requests that never end, or with
//! answers that are never read.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use server::Token;
use testkit::script::ScriptedModel;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::client::Client;
use crate::support::test_server::{World, begin};

/// Holds every render permit until the result is dropped.
fn hold_all(world: &World, seats: usize) -> Vec<std::sync::mpsc::Sender<()>> {
    let mut held = Vec::new();
    for _ in 0..seats {
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let renderers = world.render_pool.clone();
        tokio::spawn(async move { renderers.run(move || gate.recv().is_ok()).await });
        held.push(release);
    }
    held
}

/// One thread answers requests here, so rendering a text on it would block everything.
#[tokio::test]
async fn while_texts_are_rendered_other_requests_are_answered_and_the_server_can_shut_down() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = served.client.clone();
    let deep = json!({ "entry": "assistant", "turn": 1, "event": 1, "text": "> ".repeat(60_000) });
    let file = json!({ "title": "Deep", "entries":
        [{ "entry": "user", "turn": 1, "text": "Go!" }, deep] });
    let response = client.send("POST", "/api/conversations/import", file).await;
    assert_eq!(response.status, 201, "{}", response.text);
    let path = format!("/api/conversations/{}", response.json()["id"].as_str().unwrap());
    let view = client.get(&path).await.json();
    let html = view["entries"][1]["html"].as_str().unwrap();
    assert_eq!(html.matches("<blockquote>").count(), 64);
    let held = hold_all(&world, 2);
    tokio::task::yield_now().await;
    let reading = {
        let (client, path) = (client.clone(), path.clone());
        tokio::spawn(async move { client.get(&path).await.status })
    };
    for _ in 0..3 {
        assert_eq!(client.get("/health").await.status, 200);
        assert_eq!(client.get("/api/conversations").await.status, 200);
    }
    assert!(!reading.is_finished(), "there is no permit for it");
    drop(held);
    assert_eq!(reading.await.unwrap(), 200);
    let held = hold_all(&world, 2);
    tokio::task::yield_now().await;
    let reading = tokio::spawn(async move { client.raw(client.request("GET", &path, "")).await });
    served.end().await;
    drop((held, reading));
}

/// Sends the headers and half a body, and nothing more.
async fn unfinished(client: &Client, path: &str, token: &str) -> TcpStream {
    let mut socket = TcpStream::connect(client.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: 1000\r\n\r\n{{",
        client.address
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket
}

async fn status(socket: &mut TcpStream) -> String {
    let mut response = String::new();
    socket.read_to_string(&mut response).await.unwrap();
    response.split(' ').nth(1).unwrap_or_default().to_owned()
}

const ANA: &str = "ana-0123456789abcdef";

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_times_out_before_and_after_authentication() {
    let mut world = World::new();
    world.tokens.push(Token::parse(ANA).unwrap());
    world.limits.body_time_max = Duration::from_millis(1);
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    for path in ["/api/conversations", "/api/call/look", "/api/conversations/import"] {
        assert_eq!(status(&mut unfinished(client, path, ANA).await).await, "408", "{path}");
        let unauthenticated = &mut unfinished(client, path, "wrong-0123456789abcdef").await;
        assert_eq!(status(unauthenticated).await, "401", "{path}");
    }
    served.end().await;
    world.limits.head_time_max = Duration::from_millis(50);
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    assert_eq!(status(&mut unfinished(&served.client, "/login", ANA).await).await, "408");
    let mut silent = TcpStream::connect(served.client.address).await.unwrap();
    silent.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    let mut response = Vec::new();
    // Closed, with or without an answer.
    drop(silent.read_to_end(&mut response).await);
}

/// Many more connections than the limit, none of which ever completes a request.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_never_end_do_not_block_others() {
    let mut world = World::new();
    world.tokens.push(Token::parse(ANA).unwrap());
    world.limits.connections_max = 24;
    world.limits.unauthenticated_max = 8;
    world.limits.head_time_max = Duration::from_secs(600);
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let ana = served.of(ANA);
    let path = begin(&ana).await;
    let mut stream = ana.stream(&format!("{path}/stream"), None).await;
    let mut held = Vec::new();
    for round in 0..4 {
        for _ in 0..25 {
            held.push(unfinished(&served.client, "/login", "").await);
        }
        assert_eq!(ana.get("/api/session").await.status, 200, "{round}");
        assert_eq!(served.client.get("/health").await.status, 200, "{round}");
    }
    // A connection that was open before is unaffected.
    ana.send("PUT", "/api/kv/a", json!({ "value": 1 })).await;
    while stream.next().await.unwrap().name() != "kv_update" {}
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_reader_is_disconnected_and_resumes_at_its_position() {
    let mut world = World::new();
    world.limits.stall_time_max = Duration::from_millis(100);
    world.limits.streams_per_owner_max = 1;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let path = format!("{}/stream", begin(client).await);
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut stalled = socket.connect(client.address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", client.address);
    stalled.write_all(head.as_bytes()).await.unwrap();
    // The first reader gets the permit; only the headers are read, because a stream has no end.
    while client.raw(client.request("GET", &path, "")).await.status() != 429 {
        tokio::task::yield_now().await;
    }
    // More than all buffers in between can hold; then its permit is free again.
    let long = json!({ "value": "x".repeat(200 << 10) });
    let mut is_free = false;
    for _ in 0..1_000 {
        assert_eq!(client.send("PUT", "/api/kv/a", long.clone()).await.status, 204);
        let again = client.raw(client.request("GET", &path, "")).await;
        is_free = again.status() == 200;
        if is_free {
            break;
        }
    }
    assert!(is_free, "it still has its permit");
    drop(stalled);
}

/// As many readers behind one address as there are people in a school.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_readers_behind_one_address_are_all_served() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    for _ in 0..1_000 {
        assert_eq!(client.get("/api/session").await.status, 200);
    }
    for at in 0..300 {
        let response = client.send("PUT", "/api/kv/a", json!({ "value": at })).await;
        assert_eq!(response.status, 204);
    }
}
