//! Shared links: what was chosen is shown as it was, to whoever has the secret, until it ends.

use std::sync::Arc;

use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use store::Store;
use testkit::script::{ScriptedModel, calls, says, thinks};

use crate::support::client::{Client, TextResponse};
use crate::support::test_server::{World, answered, at_rest, begin};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";

async fn share(client: &Client, path: &str, choice: Value) -> Value {
    let response = client.send("POST", &format!("{path}/shares"), choice).await;
    assert_eq!(response.status, 201, "{}", response.text);
    response.json()
}

fn text<'a>(json: &'a Value, field: &str) -> &'a str {
    json[field].as_str().unwrap_or_else(|| panic!("no {field} in {json}"))
}

#[track_caller]
fn assert_closed(response: &TextResponse) {
    let policy = response.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow, noarchive"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(response.headers[name], value, "{name}");
    }
    assert!(!response.headers.contains_key("set-cookie"));
    assert!(!response.text.contains("<script"), "{}", response.text);
}

/// A conversation with thinking, a tool that writes to all channels, an approval, and a file.
async fn told(client: &Client) -> String {
    let path = begin(client).await;
    answered(client, &path, "Speak <b>now</b>").await;
    let mut request = client.request("POST", "/api/attachments?name=cat.png", "");
    *request.body_mut() = Full::new(Bytes::from_static(PNG));
    let kind = "application/octet-stream".parse().unwrap();
    request.headers_mut().insert("content-type", kind);
    let file = client.respond(request).await.json();
    let body = json!({"text": "A cat", "files": [{"digest": file["digest"], "name": "cat.png"}]});
    client.send("POST", &format!("{path}/messages"), body).await;
    at_rest(client, &path).await;
    path
}

fn model() -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new([
        thinks("My thoughts.").calls("speak", json!({"text": "loud argument"})),
        says("**Said.** [See](document:abc/1-2) <script>alert(1)</script>"),
        calls("send", json!({"text": "to approve"})),
        says("Later words."),
    ]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_what_was_chosen_and_nothing_else() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&model()).await;
    let (ana, ben, anybody) = (served.of(ana), served.of(ben), &served.client);
    let path = told(&ana).await;
    let settings = json!({"systemPrompt": "A hidden prompt."});
    ana.send("PUT", &format!("{path}/settings"), settings).await;
    let plain = share(&ana, &path, json!({})).await;
    let week = plain["expiresAt"].as_u64().unwrap() - plain["createdAt"].as_u64().unwrap();
    assert_eq!(week, 7 * 24 * 3_600 * 1_000);
    let page = anybody.get(text(&plain, "path")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert_closed(&page);
    for shown in ["Speak &lt;b&gt;now&lt;/b&gt;", "<strong>Said.</strong>", "Hello.", "A cat"] {
        assert!(page.text.contains(shown), "{shown} in {}", page.text);
    }
    let never = [
        "My thoughts",
        "secret plan",
        "to approve",
        "hidden prompt",
        "Be kind",
        "ana",
        "document:",
    ];
    let chosen = ["loud argument", "cat.png", "/files/"];
    for hidden in never.iter().chain(&chosen) {
        assert!(!page.text.contains(hidden), "{hidden} in {}", page.text);
    }
    let all = share(&ana, &path, json!({"tools": true, "files": true, "expiresInSeconds": 3600}));
    let all = all.await;
    let page = anybody.get(text(&all, "path")).await;
    for shown in chosen {
        assert!(page.text.contains(shown), "{shown} in {}", page.text);
    }
    // The call that waits is shown with its arguments; the question about it is not.
    for hidden in never.iter().filter(|hidden| **hidden != "to approve") {
        assert!(!page.text.contains(hidden), "{hidden} in {}", page.text);
    }
    let (_, rest) = page.text.split_once("src=\"").unwrap();
    let picture = rest.split_once('"').unwrap().0;
    let file = anybody.raw(anybody.request("GET", picture, "")).await;
    assert_eq!(
        (file.status().as_u16(), &file.headers()["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    assert_eq!(file.headers()["cache-control"], "no-store");
    let other = picture.replace(text(&all, "path"), text(&plain, "path"));
    assert_eq!(anybody.get(&other).await.status, 404, "files were not chosen for this link");
    // The store has no secret, and others have neither the list nor the right to revoke.
    let secret = text(&plain, "path").trim_start_matches("/s/");
    assert_eq!(secret.len(), 32);
    assert!(!world.stored_values().await.contains(secret));
    let listed = ana.get("/api/shares").await;
    assert!(!listed.text.contains(secret) && listed.json().as_array().unwrap().len() == 2);
    assert_eq!(ben.get("/api/shares").await.json(), json!([]));
    let at = format!("/api/shares/{}", text(&plain, "id"));
    ben.send("DELETE", &at, json!({})).await;
    assert_eq!(ben.send("POST", &format!("{at}/update"), json!({})).await.status, 404);
    assert_eq!(ben.send("POST", &format!("{path}/shares"), json!({})).await.status, 404);
    assert_eq!(anybody.get(text(&plain, "path")).await.status, 200);
    // Its end.
    let key = format!("pad/ana/share/{}", text(&plain, "id")).parse().unwrap();
    let record = world.store.kv().get(&key).await.unwrap().unwrap();
    let mut ended: Value = record.value.to().unwrap();
    ended["expiresAt"] = plain["createdAt"].clone();
    let (ended, any) = (store::Json::of(&ended).unwrap(), store::Expected::Any);
    world.store.kv().set(&key, ended, any, store::Expiry::Unchanged).await.unwrap();
    assert_eq!(anybody.get(text(&plain, "path")).await.status, 410);
    assert_eq!(ana.get("/api/shares").await.json().as_array().unwrap().len(), 1);
    // Whoever has no token any more shares nothing.
    served.end().await;
    world.tokens.remove(0);
    let served = world.serve(&model()).await;
    assert_eq!(served.client.get(text(&all, "path")).await.status, 410);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_what_was_there_until_it_is_updated_revoked_or_deleted() {
    let world = World::new();
    let steps = [says("First."), says("Second.")];
    let served = world.serve(&Arc::new(ScriptedModel::new(steps))).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "One").await;
    let (shared, other) =
        (share(client, &path, json!({})).await, share(client, &path, json!({})).await);
    let link = text(&shared, "path");
    answered(client, &path, "Two").await;
    client.send("PUT", &path, json!({"title": "Renamed"})).await;
    let page = client.get(link).await.text;
    assert!(page.contains("First.") && !page.contains("Second.") && !page.contains("Renamed"));
    let at = format!("/api/shares/{}", text(&shared, "id"));
    let updated = client.send("POST", &format!("{at}/update"), json!({})).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    assert_eq!(updated.json()["expiresAt"], shared["expiresAt"]);
    let page = client.get(link).await.text;
    assert!(page.contains("Second.") && page.contains("Renamed"), "{page}");
    // What is taken back later was shared nevertheless, until the link is updated.
    client.send("DELETE", &format!("{path}/messages/2"), json!({})).await;
    assert!(client.get(link).await.text.contains("Second."));
    client.send("POST", &format!("{at}/update"), json!({})).await;
    assert!(!client.get(link).await.text.contains("Second."));
    assert_eq!(client.send("DELETE", &at, json!({})).await.status, 204);
    let gone = client.get(link).await;
    assert_eq!(gone.status, 410, "{}", gone.text);
    assert_closed(&gone);
    assert!(gone.text.contains("no longer available"), "{}", gone.text);
    let mut request = client.request("GET", link, "");
    request.headers_mut().insert("accept-language", "ru, en;q=0.5".parse().unwrap());
    let gone = client.respond(request).await.text;
    assert!(gone.contains("lang=\"ru\"") && gone.contains("больше не действует"), "{gone}");
    assert_eq!(client.get(text(&other, "path")).await.status, 200);
    client.send("DELETE", &path, json!({})).await;
    assert_eq!(client.get(text(&other, "path")).await.status, 410);
    assert_eq!(client.get("/api/shares").await.json(), json!([]));
    let all = world.stored_values().await;
    assert!(!all.contains("/share/"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_links_are_counted_and_ends_are_limited() {
    let mut world = World::new();
    (world.limits.wrong_tokens_burst, world.limits.wrong_tokens_per_second) = (2, 0);
    (world.limits.shared_burst, world.limits.shared_per_second) = (5, 0);
    let served = world.serve(&Arc::new(ScriptedModel::new([says("Yes.")]))).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "One").await;
    for seconds in [json!(0), json!(59), json!(400 * 24 * 3_600), json!("long")] {
        let response = client
            .send("POST", &format!("{path}/shares"), json!({"expiresInSeconds": seconds}))
            .await;
        assert_eq!(response.status, 400, "{seconds}");
    }
    let shared = share(client, &path, json!({})).await;
    let status = async |path: &str| client.get(path).await.status.as_u16();
    let wrong = format!("/s/{}", "A".repeat(32));
    assert_eq!([status(&wrong).await, status("/s/x").await], [410, 410]);
    assert_eq!(status(&wrong).await, 429, "too many wrong ones");
    assert_eq!(status(text(&shared, "path")).await, 200, "the right one is not refused for that");
    assert_eq!(status(text(&shared, "path")).await, 200);
    let late = client.get(text(&shared, "path")).await;
    assert_eq!((late.status.as_u16(), &late.headers["retry-after"]), (429, &"1".parse().unwrap()));
    assert_closed(&late);
}
