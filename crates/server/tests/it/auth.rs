//! Authentication, and limits on requests.

use std::sync::Arc;

use hyper::body::Body;
use hyper::header::HeaderValue;
use serde_json::json;
use server::Token;
use testkit::script::ScriptedModel;

use crate::support::test_server::{World, begin};

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_foreign_origins_and_bodies_without_a_content_type_are_refused() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let with = async |name: &'static str, value: &str| {
        let mut request = client.request("POST", "/api/conversations", "{}");
        request.headers_mut().insert(name, HeaderValue::try_from(value).unwrap());
        client.respond(request).await.status.as_u16()
    };
    assert_eq!(with("host", "evil.example").await, 403);
    assert_eq!(with("origin", "http://evil.example").await, 403);
    assert_eq!(with("origin", &format!("http://{}", client.address)).await, 201);
    assert_eq!(with("content-type", "text/plain").await, 415);
    let response = client.get("/").await;
    assert_eq!(response.status, 200);
    let policy = response.headers["content-security-policy"].to_str().unwrap();
    let parts: Vec<_> = policy.split(';').map(str::trim).collect();
    for part in ["default-src 'none'", "style-src 'self'"] {
        assert!(parts.contains(&part), "{policy}");
    }
    // Inside of the page, only the script that applies the theme is run.
    let scripts = parts.iter().find_map(|part| part.strip_prefix("script-src "));
    let scripts: Vec<_> = scripts.unwrap().split(' ').collect();
    assert!(
        matches!(scripts[..], ["'self'", digest] if digest.starts_with("'sha256-")),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(client.get("/health").await.json(), json!({"ok": true}));
    assert_eq!(client.get("/assets/../Cargo.toml").await.status, 404);
    assert_eq!(client.get("/nothing").await.json()["error"]["code"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_streams_of_an_owner_is_limited() {
    let mut world = World::new();
    world.limits.streams_per_owner_max = 1;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let path = format!("{}/stream", begin(&served.client).await);
    let _first = served.client.stream(&path, None).await;
    assert_eq!(served.client.get(&path).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_requests_are_refused() {
    let mut world = World::new();
    world.limits.body_bytes_max = 1_000;
    world.limits.reads_burst = 1;
    world.limits.reads_per_second = 0;
    world.limits.writes_burst = 2;
    world.limits.writes_per_second = 0;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let large = json!({"title": "x".repeat(2_000)});
    assert_eq!(client.send("POST", "/api/conversations", large).await.status, 413);
    let wrong = client.send("POST", "/api/conversations", json!({"titel": "x"})).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"]["fix"].is_string());
    assert_eq!(client.get("/api/session").await.status, 200);
    let full = client.get("/api/session").await;
    assert_eq!((full.status.as_u16(), &full.headers["retry-after"]), (429, &"1".parse().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_are_compressed_and_cached_by_their_digest() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let index = client.get("/").await;
    assert_eq!(index.headers["cache-control"], "no-cache");
    let start = index.text.find("/assets/v").unwrap();
    let style = index.text[start..].split('"').next().unwrap();
    let style = style.rsplit_once('/').unwrap().0.to_owned() + "/app.css";
    let cached = client.get(&style).await;
    assert_eq!(cached.status, 200, "{style}");
    assert!(cached.headers["cache-control"].to_str().unwrap().contains("immutable"));
    let bare = client.get("/assets/app.css").await;
    assert_eq!(
        (&bare.text, &bare.headers["cache-control"]),
        (&cached.text, &"no-cache".parse().unwrap())
    );
    let older = client.get("/assets/v0123456789ab/app.css").await;
    assert_eq!(older.headers["cache-control"], "no-cache");
    assert_eq!(client.get("/assets/other/app.css").await.status, 404);
    assert_eq!(client.get("/assets/index.html").await.status, 404);
    let with = async |pairs: &[(&'static str, &str)]| {
        let mut request = client.request("GET", "/assets/app.css", "");
        for (name, value) in pairs {
            request.headers_mut().insert(*name, HeaderValue::try_from(*value).unwrap());
        }
        client.raw(request).await
    };
    let packed = with(&[("accept-encoding", "br, gzip;q=0.8")]).await;
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let tag = packed.headers()["etag"].to_str().unwrap().to_owned();
    assert!(packed.body().size_hint().exact().unwrap() < bare.text.len() as u64 / 2);
    let plain = with(&[("accept-encoding", "gzip;q=0")]).await;
    assert!(!plain.headers().contains_key("content-encoding"));
    assert_ne!(plain.headers()["etag"], tag);
    let again = with(&[("accept-encoding", "gzip"), ("if-none-match", &format!("W/{tag}"))]).await;
    assert_eq!(again.status(), 304);
    let frame = client.get("/assets/components/sealed_frame.html").await;
    let policy = frame.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("sandbox allow-scripts; default-src 'none'"), "{policy}");
    assert_eq!(bare.headers["cross-origin-resource-policy"], "same-origin");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_a_browser_gets_the_sign_in_page() {
    let mut world = World::new();
    let secret = "ana-0123456789abcdef";
    world.tokens.push(Token::parse(secret).unwrap());
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let ask = async |path: &str| {
        let mut request = client.request("GET", path, "");
        request.headers_mut().insert("accept", HeaderValue::from_static("text/html,*/*"));
        client.respond(request).await
    };
    for (path, status) in [("/", 401), ("/api/session", 401), ("/login", 200)] {
        let response = ask(path).await;
        assert_eq!(response.status, status);
        assert!(
            response.text.contains("<form") && response.text.contains("action=\"/login\""),
            "{path}"
        );
        let policy = response.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("form-action 'self'") && !policy.contains("unsafe"), "{policy}");
        assert!(response.text.contains("src=\"/assets/sign_in.js\""), "{path}");
        assert_eq!(response.headers["referrer-policy"], "same-origin");
    }
    assert_eq!(client.get("/").await.json()["error"]["code"], "no_token");
    assert_eq!(ask("/assets/app.css").await.status, 200);
    assert_eq!(ask("/assets/sign_in.js").await.status, 200);
    // A token in a query would be in histories and logs, so it is not accepted.
    let response = ask(&format!("/login?token={secret}")).await;
    assert!(!response.headers.contains_key("set-cookie"));
    let enter = async |form: &str| {
        let mut request = client.request("POST", "/login", form);
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert("content-type", kind);
        client.respond(request).await
    };
    assert_eq!(enter("token=wrong-0123456789abcdef").await.status, 401);
    let response = enter(&format!("token={secret}+")).await;
    assert_eq!(
        (response.status.as_u16(), &response.headers["location"]),
        (303, &"/".parse().unwrap())
    );
    let cookie = response.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    let mut request = client.request("GET", "/", "");
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    assert_eq!(client.respond(request).await.status, 200);
    assert_eq!(client.get("/metrics").await.status, 401);
    let metrics = served.of(secret).get("/metrics").await;
    assert!(metrics.headers["content-type"].to_str().unwrap().starts_with("text/plain"));
}
