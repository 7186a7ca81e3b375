//! Hosts that requests reach, and hosts that they do not.

use serde_json::json;

use super::*;
use crate::EffectLevel;

/// A world whose network knows the names of `script`, and the server's port.
fn world(server: &Server, script: &Arc<Script>) -> World {
    let mut world = World::new();
    world.network = server.network().with_resolver(Arc::clone(script) as Arc<dyn Resolver>);
    world
}

#[tokio::test]
async fn a_request_is_sent_and_its_response_returned() {
    let server = Server::start(|_| {
        Page::with("201 Made It", "x-one: 1\r\nset-cookie: a=b\r\nset-cookie: c=d\r\n", "grüße")
    })
    .await;
    let script = Script::new(&[("api.example.com", &["127.0.0.1"])]);
    let port = server.port();
    let run =
        world(&server, &script).run("writes", json!({"net": [format!("*.example.com:{port}")]}));
    let url = format!("http://api.example.com:{port}/a%20b?q=1#frag");
    let asked = json!({
        "url": url, "method": "POST", "body": "hi", "redirect": "follow",
        "headers": [["authorization", "Bearer x"], ["content-type", "text/plain"]],
    });
    assert_eq!(run.effects(), EffectLevel::None);
    let answer = ask(&run, "fetch", asked).await.unwrap();
    assert_eq!(
        answer,
        json!({
            "status": 201, "statusText": "Made It", "redirected": false, "body": "grüße",
            "url": format!("http://api.example.com:{port}/a%20b?q=1"),
            "headers": [
                ["content-length", "7"], ["x-one", "1"], ["set-cookie", "a=b"], ["set-cookie", "c=d"],
            ],
        })
    );
    assert_eq!(run.effects(), EffectLevel::Written);
    let [request] = server.requests().try_into().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<&str> = head.lines().collect();
    lines.sort_unstable();
    let host = format!("host: api.example.com:{port}");
    let mut expected = vec![
        "POST /a%20b?q=1 HTTP/1.1",
        "accept-encoding: identity",
        "accept: */*",
        "authorization: Bearer x",
        "content-length: 2",
        "content-type: text/plain",
        host.as_str(),
        "user-agent: ghosthand",
    ];
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert_eq!(body, "hi");
}

#[tokio::test]
async fn a_read_has_no_effect_and_bytes_are_base64() {
    let server = Server::start(|_| {
        Page::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n\xff\x00".to_vec())
    })
    .await;
    let mut world = World::new();
    world.network = server.network();
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let answer =
        ask(&run, "fetch", json!({"url": format!("http://{}/", server.authority())})).await;
    let answer = answer.unwrap();
    assert_eq!((&answer["bodyBase64"], &answer["body"]), (&json!("/wA="), &Value::Null));
    assert_eq!(run.effects(), EffectLevel::None);
    let head = json!({"url": format!("http://{}/", server.authority()), "method": "HEAD"});
    assert_eq!(ask(&run, "fetch", head).await.unwrap()["body"], "");
}

#[tokio::test]
async fn odd_addresses_are_sent_as_browsers_send_them() {
    let server = Server::start(|request| Page::ok(request.lines().next().unwrap())).await;
    let mut world = World::new();
    world.network = server.network();
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let check = async |path: &str, expected: &str| {
        let url = format!("http://{}{path}", server.authority());
        let answer = ask(&run, "fetch", json!({"url": url})).await.unwrap();
        assert_eq!(answer["body"], format!("GET {expected} HTTP/1.1"), "{path}");
    };
    check("", "/").await;
    check("?", "/?").await;
    check("/a/../b/./c", "/b/c").await;
    check("/a|b^c`d{e}[f]", "/a|b^c%60d%7Be%7D[f]").await;
    check("/?a|b^c`d{e}'\"<>", "/?a|b^c`d{e}%27%22%3C%3E").await;
    check("/ä ö", "/%C3%A4%20%C3%B6").await;
    check("/%0d%0aX-A:%20b", "/%0d%0aX-A:%20b").await;
    check("/a\r\nb", "/ab").await; // line ends are not part of a URL
}

#[tokio::test]
async fn redirects_are_followed_as_far_as_allowed() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/5") => Page::redirect(302, "/4"),
        Some("/4") => Page::redirect(301, "3"),
        Some("/3") => Page::redirect(307, "/2"),
        Some("/2") => Page::redirect(308, "/1"),
        Some("/1") => Page::redirect(303, "/0"),
        Some("/6") => Page::redirect(302, "/5"),
        _ => Page::ok("home"),
    })
    .await;
    let mut world = World::new();
    world.network = server.network();
    let run = world.run("read_only", json!({"net": [server.authority()]}));
    let host = server.authority();
    let get = async |path| ask(&run, "fetch", json!({"url": format!("http://{host}{path}")})).await;
    let answer = get("/5").await.unwrap();
    assert_eq!((&answer["body"], &answer["redirected"]), (&json!("home"), &json!(true)));
    assert_eq!(answer["url"], format!("http://{host}/0"));
    assert_eq!(get("/6").await, Err("LIMIT_REACHED".into()));
}

#[tokio::test]
async fn a_redirect_is_checked_like_the_first_address() {
    let server = Server::start(|request| {
        let location = request.split(' ').nth(1).and_then(|path| path.split_once("to="));
        Page::redirect(302, location.map_or("/", |(_, location)| location))
    })
    .await;
    let script = Script::new(&[
        ("api.example.com", &["127.0.0.1"]),
        ("inner.example.com", &["10.0.0.7"]),
        ("meta.example.com", &["169.254.169.254"]),
        ("evil.org", &["127.0.0.1"]),
    ]);
    let port = server.port();
    let declared = json!({"net": [format!("*.example.com:{port}"), "*.example.com"]});
    let run = world(&server, &script).run("read_only", declared);
    let check = async |location: &str, expected: &str| {
        let url = format!("http://api.example.com:{port}/?to={location}");
        let refusal = fault(&run, "fetch", json!({"url": url})).await;
        assert_eq!(refusal.code, expected, "{location}: {refusal}");
    };
    check(&format!("http://evil.org:{port}/"), "NOT_ALLOWED").await;
    check(&format!("http://127.0.0.1:{port}/"), "NOT_ALLOWED").await;
    check(&format!("http://inner.example.com:{port}/"), "NOT_ALLOWED").await;
    check("https://inner.example.com/", "NOT_ALLOWED").await;
    check("https://meta.example.com/latest/meta-data/", "NOT_ALLOWED").await;
    check("http://169.254.169.254/latest/meta-data/", "NOT_ALLOWED").await;
    check("http://api.example.com/", "NOT_ALLOWED").await; // http on a port that is not declared
    check("file:///etc/passwd", "NOT_ALLOWED").await;
    check("https://a:b@api.example.com/", "BAD_REQUEST").await;
    check("http://[bad", "UNREACHABLE").await;
    assert_eq!(server.requests().len(), 10, "one request each, and no more");
}

#[tokio::test]
async fn credentials_do_not_cross_to_another_host() {
    let first = Server::start(|_| Page::ok("")).await;
    let target = format!("http://b.example.com:{}/", first.port());
    let second = Server::start(move |_| Page::redirect(307, &target)).await;
    let script =
        Script::new(&[("a.example.com", &["127.0.0.1"]), ("b.example.com", &["127.0.0.1"])]);
    let ports = [first.port(), second.port()];
    let mut world = World::new();
    let network = Network::new(NetworkAccess::this_machine(&ports)).unwrap();
    world.network = network.with_resolver(script);
    world.secrets.insert("TOKEN", "s3cret-token");
    let declared = json!({
        "net": ports.map(|port| format!("*.example.com:{port}")), "secrets": ["TOKEN"],
    });
    let run = world.run("writes", declared);
    ask(&run, "secrets.get", json!({"name": "TOKEN"})).await.unwrap();
    let url = format!("http://a.example.com:{}/", ports[1]);
    let headers = json!({"authorization": "Bearer x", "cookie": "c=d", "accept": "s3cret-token"});
    let asked = json!({"url": url, "method": "POST", "body": "hi", "headers": headers});
    ask(&run, "fetch", asked).await.unwrap();
    assert!(second.requests()[0].contains("Bearer x"));
    let [leaked] = first.requests().try_into().unwrap();
    for word in ["Bearer", "c=d", "s3cret"] {
        assert!(!leaked.contains(word), "{leaked}");
    }
    assert!(leaked.starts_with("POST / ") && leaked.ends_with("hi"), "{leaked}");

    let asked = json!({"url": url, "method": "POST", "body": "t=s3cret-token"});
    assert_eq!(ask(&run, "fetch", asked).await, Err("NOT_ALLOWED".into()));
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_checked_again() {
    let server = Server::start(|request| match request.starts_with("GET /again") {
        true => Page::redirect(302, "/end"),
        false => Page::ok("here"),
    })
    .await;
    let port = server.port();
    // The second answer would be the attack: the name is not resolved again before connecting.
    let script = Script::new(&[("api.example.com", &["127.0.0.1", "10.0.0.7"])]);
    let run = world(&server, &script)
        .run("read_only", json!({"net": [format!("api.example.com:{port}")]}));
    let url = format!("http://api.example.com:{port}");
    let answer = ask(&run, "fetch", json!({"url": format!("{url}/")})).await.unwrap();
    assert_eq!(answer["body"], "here");
    assert_eq!(script.asked(), ["api.example.com"], "one DNS query per hop");

    // A later hop resolves again, and checks the new answer.
    let script = Script::new(&[("api.example.com", &["127.0.0.1", "10.0.0.7"])]);
    let run = world(&server, &script)
        .run("read_only", json!({"net": [format!("api.example.com:{port}")]}));
    let refusal = ask(&run, "fetch", json!({"url": format!("{url}/again")})).await;
    assert_eq!(refusal, Err("NOT_ALLOWED".into()));
    assert_eq!(script.asked().len(), 2);
}

#[tokio::test]
async fn one_forbidden_address_makes_the_name_forbidden() {
    let server = Server::start(|_| Page::ok("here")).await;
    let port = server.port();
    let script = Script::new(&[
        ("good.example.com", &["127.0.0.1 127.0.0.1"]),
        ("mixed.example.com", &["127.0.0.1 10.0.0.7"]),
        ("mapped.example.com", &["::ffff:127.0.0.1"]),
        ("meta.example.com", &["169.254.169.254"]),
        ("meta6.example.com", &["fd00:ec2::254"]),
        ("any.example.com", &["0.0.0.0"]),
    ]);
    let run = world(&server, &script)
        .run("read_only", json!({"net": [format!("*.example.com:{port}"), "*.example.com:1"]}));
    let check = async |url: String, expected: Result<(), &str>| {
        let seen = ask(&run, "fetch", json!({"url": url})).await.map(|_| ());
        assert_eq!(seen, expected.map_err(ToOwned::to_owned), "{url}");
    };
    check(format!("http://good.example.com:{port}/"), Ok(())).await;
    check("http://good.example.com:1/".into(), Err("NOT_ALLOWED")).await; // not an allowed port
    for name in ["mixed", "meta", "meta6", "any"] {
        check(format!("http://{name}.example.com:{port}/"), Err("NOT_ALLOWED")).await;
    }
    check(format!("http://unknown.example.com:{port}/"), Err("UNREACHABLE")).await;
    let refusal = fault(&run, "fetch", json!({"url": format!("http://mixed.example.com:{port}/")}));
    assert!(!refusal.await.message.contains("10.0.0.7"), "private addresses are not revealed");
}

#[tokio::test]
async fn this_machine_is_unreachable_unless_allowed() {
    let server = Server::start(|_| Page::ok("here")).await;
    let mut world = World::new();
    let script = Script::new(&[("localhost", &["127.0.0.1 ::1"])]);
    world.network = Network::new(NetworkAccess::Public).unwrap().with_resolver(script);
    let port = server.port();
    let hosts = ["127.0.0.1", "localhost", "[::1]"];
    let run = world.run("read_only", json!({"net": hosts.map(|host| format!("{host}:{port}"))}));
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1"] {
        let asked = json!({"url": format!("http://{host}:{port}/")});
        assert_eq!(ask(&run, "fetch", asked).await, Err("NOT_ALLOWED".into()), "{host}");
    }
    assert_eq!(server.requests().len(), 0);
}
