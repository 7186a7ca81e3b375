//! The HTTP surface: tokens, other owners, places, kinds of bodies, paths, sizes, MCP sessions.

use serde_json::json;

use super::raw_request::{Reply, UNREADABLE, raw, send};
use super::table::Table;
use super::target::{ANA, BOB, DESK, PRIVATE, PROGRAM, Target, WRONG};

const JSON: (&str, &str) = ("content-type", "application/json");
const BYTES: (&str, &str) = ("content-type", "application/octet-stream");

/// Every operation without a token, with a wrong one, and with a program's.
pub(crate) fn tokens(target: &Target, table: &mut Table) {
    let area = "tokens";
    let others =
        ["/", "/cards", "/metrics", "/mcp"].map(|path| ("GET".to_owned(), path.to_owned()));
    let shapes = ["", "Basic YW5hOmFuYQ==", "Bearer", "Bearer ", "ana-0123456789abcdef"];
    for (method, path) in target.operations.iter().chain(&others) {
        let what = |with: &str| format!("{method} {path} {with}");
        let reply = send(&target.address, method, path, &[JSON], "{}");
        table.expect(area, &what("without a token"), &reply, &[401]);
        let reply = target.say(WRONG, method, path, &json!({}));
        table.expect(area, &what("with a wrong token"), &reply, &[401, 429]);
        if path.starts_with("/api") && !path.starts_with("/api/call/") {
            let reply = target.say(PROGRAM, method, path, &json!({}));
            table.expect(area, &what("with a program's token"), &reply, &[403]);
        }
    }
    for shape in shapes {
        let reply = target.say(shape, "GET", "/api/session", &json!({}));
        table.expect(area, &format!("authorization: {shape:?}"), &reply, &[401, 429]);
    }
    for path in ["/api/session?token=ana-0123456789abcdef", "/login?token=ana-0123456789abcdef"] {
        let reply = send(&target.address, "GET", path, &[], "");
        let is_out = !reply.head.contains("set-cookie") && !reply.body.contains("\"owner\"");
        table.hold(area, path, &reply, is_out);
    }
}

/// Bob with Ana's ids: what he cannot see is not there, and his own is his own.
pub(crate) fn other_owner(target: &Target, table: &mut Table) {
    let area = "other owner";
    // Addresses that name one thing of Ana's. Keys and snippets have no owner in their names:
    // there Bob changes his own, and Ana's are compared in the end.
    let named = ["/api/conversations/", "/api/personas/", "/api/cards/", "/api/approvals/"];
    let unnamed = ["/import", "/cards/known", "/cards/review", "/approvals/stream"];
    let bodies = [
        "{}",
        r#"{"text":"x"}"#,
        r#"{"title":"x","content":"x"}"#,
        r#"{"name":"x"}"#,
        r#"{"answer":"approve"}"#,
        r#"{"ids":[]}"#,
        r#"{"event":1}"#,
        r#"{"turn":1,"text":"x"}"#,
    ];
    for (method, path) in &target.operations {
        let has_id = named.iter().any(|start| path.starts_with(start))
            && !unnamed.iter().any(|end| path.ends_with(end));
        let tries: &[&str] = if method == "GET" || method == "DELETE" { &[""] } else { &bodies };
        for body in tries {
            let reply = send(&target.address, method, path, &[("authorization", BOB), JSON], body);
            let is_refused = (400..500).contains(&reply.status) && reply.status != 429;
            let says_nothing = !reply.body.contains(PRIVATE);
            table.hold(
                area,
                &format!("{method} {path} {body}"),
                &reply,
                says_nothing && (is_refused || !has_id),
            );
        }
    }
    for list in [
        "/api/conversations",
        "/api/conversations?search=private",
        "/api/approvals",
        "/api/doubts",
        "/api/inbox",
        "/api/mcp-servers",
        "/api/personas",
        "/api/library",
        "/api/settings",
        "/api/audit",
        "/api/cards",
        "/api/cards/review",
        "/api/kv?key=secret",
        "/api/kv?key=list",
        "/api/usage",
        "/api/features",
    ] {
        let reply = target.say(BOB, "GET", list, &json!({}));
        table.hold(area, list, &reply, !reply.body.contains(PRIVATE));
    }
    let reply = target.say(BOB, "POST", "/api/tools/send/switch", &json!({ "on": false }));
    table.expect(area, "switching a tool for all", &reply, &[403]);
}

/// Names that are not ours, and pages of other sites.
pub(crate) fn places(target: &Target, table: &mut Table) {
    let port = target.address.rsplit(':').next().unwrap();
    let hosts = [
        "",
        "evil.example",
        "evil.example:80",
        &format!("evil.example:{port}"),
        &format!("127.0.0.1.evil.example:{port}"),
        &format!("localhost.evil.example:{port}"),
        &format!("evil.localhost:{port}"),
        &format!("localhost:{port}.evil.example"),
        "localhost:1",
        "127.0.0.1:1",
        &format!("127.0.0.1:{port}@evil.example"),
        &format!("evil.example#127.0.0.1:{port}"),
        &format!("127.0.0.1:{port},evil.example"),
        &format!("127.0.0.1:0{port}x"),
        &format!("127.0.0.1:{port}/"),
        "localhost:",
        "null",
    ];
    let asked = [
        ("GET", "/api/session"),
        ("POST", "/api/conversations"),
        ("GET", "/"),
        ("GET", "/api/approvals/stream"),
        ("POST", "/mcp"),
        ("POST", "/api/call/send"),
        ("POST", "/login"),
    ];
    for host in hosts {
        for (method, path) in asked {
            let headers = [("host", host), ("authorization", ANA), JSON];
            let reply = send(&target.address, method, path, &headers, "{}");
            table.expect("host", &format!("{method} {path} at {host:?}"), &reply, &[0, 400, 403]);
        }
    }
    let cookie = login(target);
    let own = format!("http://{}", target.address);
    let origins = [
        "null",
        "http://evil.example",
        "https://evil.example",
        "file://",
        "http://127.0.0.1:1",
        &format!("http://localhost:{port}"),
        &format!("{own}.evil.example"),
        &format!("{own}@evil.example"),
        &format!("ftp://{}", target.address),
        &format!("{own}/"),
        "chrome-extension://abcdef",
        "",
        "http://",
    ];
    for origin in origins {
        for (method, path) in asked {
            for who in [("authorization", ANA), ("cookie", cookie.as_str())] {
                let headers = [("origin", origin), who, JSON];
                let reply = send(&target.address, method, path, &headers, "{}");
                let what = format!("{method} {path} from {origin:?} with {}", who.0);
                table.expect("origin", &what, &reply, &[400, 403]);
            }
        }
    }
    for site in ["cross-site", "same-site"] {
        for (method, path) in asked.iter().filter(|(_, path)| *path != "/") {
            let headers = [("sec-fetch-site", site), ("cookie", cookie.as_str()), JSON];
            let reply = send(&target.address, method, path, &headers, "{}");
            table.expect("origin", &format!("{method} {path} {site}"), &reply, &[403]);
        }
    }
    // The first or the last of two: both must be right, so there is only one.
    let own_host = target.address.as_str();
    for (name, good, bad) in [
        ("host", own_host, "evil.example"),
        ("origin", own.as_str(), "http://evil.example"),
        ("sec-fetch-site", "same-origin", "cross-site"),
        ("authorization", ANA, WRONG),
    ] {
        for (first, second) in [(good, bad), (bad, good), (good, good)] {
            for (method, path) in asked {
                let mut headers = vec![(name, first), (name, second), JSON];
                headers.extend((name != "authorization").then_some(("authorization", ANA)));
                let reply = send(&target.address, method, path, &headers, "{}");
                let what = format!("{method} {path} with {name}: {first} and {second}");
                table.expect("said twice", &what, &reply, &[400, 403]);
            }
        }
    }
    let elsewhere = format!("localhost:{port}");
    let headers = [("host", elsewhere.as_str()), ("cookie", cookie.as_str())];
    let reply = send(&target.address, "GET", "/api/session", &headers, "");
    table.expect("host", "a login of another name", &reply, &[401, 429]);
}

fn login(target: &Target) -> String {
    let form = ("content-type", "application/x-www-form-urlencoded");
    let reply = send(&target.address, "POST", "/login", &[form], "token=ana-0123456789abcdef");
    let line = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    line.unwrap_or_else(|| panic!("{reply:?}")).split(';').next().unwrap().to_owned()
}

/// What a form of a foreign page could send without being asked about it.
pub(crate) fn kinds(target: &Target, table: &mut Table) {
    let kinds = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json-patch+json",
        "text/json",
        "application/jsonx",
        "text/plain;application/json",
    ];
    for (method, path) in target.operations.iter().filter(|(method, _)| method == "POST") {
        for kind in kinds {
            let headers = [("authorization", ANA), ("content-type", kind)];
            let reply = send(&target.address, method, path, &headers, "{}");
            table.expect(
                "kinds of bodies",
                &format!("{method} {path} as {kind:?}"),
                &reply,
                &[415],
            );
        }
    }
}

/// Ways out of the folder of the page.
pub(crate) fn paths(target: &Target, table: &mut Table) {
    let files = [
        "ghosthand.toml",
        "tokens.txt",
        ".ghosthand/store.db",
        "tools/send/handler.js",
        "etc/passwd",
    ];
    let ways = [
        "/assets/../",
        "/assets/../../../../../../",
        "/assets/%2e%2e/",
        "/assets/..%2f..%2f",
        "/assets/%2e%2e%2f",
        "/assets/..%5c",
        "/assets/..\\",
        "/assets//",
        "/assets/%00/",
        "/assets/./../",
        "/assets/v0/../../",
        "/assets/%252e%252e%252f",
        "//",
        "/../",
        "/..;/",
        "/assets/....//",
        "/%2e%2e/",
        "/api/conversations/..%2f..%2f",
        "/api/library/..%2f/",
        "/api/kv/..%2f..%2f",
    ];
    for way in ways {
        for file in files {
            let path = format!("{way}{file}");
            let reply = send(&target.address, "GET", &path, &[("authorization", ANA)], "");
            let secrets = ["mcp_tokens", "0123456789abcdef", "SQLite", "execute", "root:"];
            let is_out =
                reply.status != 200 && !secrets.iter().any(|word| reply.body.contains(word));
            table.hold("paths", &path, &reply, is_out);
        }
    }
}

/// Too much of everything, and lengths that lie.
pub(crate) fn sizes(target: &Target, table: &mut Table) {
    let area = "sizes";
    let writes = target.operations.iter().filter(|(method, _)| method == "POST" || method == "PUT");
    for (method, path) in writes {
        let kind = if path == "/api/attachments" { BYTES } else { JSON };
        let headers = [("authorization", ANA), kind, ("content-length", "99999999999")];
        let reply = send(&target.address, method, path, &headers, "");
        table.expect(area, &format!("{method} {path} of 100 GB"), &reply, &[413]);
    }
    let (address, long) = (&target.address, "x".repeat(200_000));
    let head = |more: &str| {
        format!(
            "POST /api/conversations HTTP/1.1\r\nhost: {address}\r\nauthorization: {ANA}\r\n\
                 content-type: application/json\r\n{more}\r\n"
        )
    };
    let many: String = (0..5_000).map(|at| format!("x-{at}: y\r\n")).collect();
    let nested = "[".repeat(200_000);
    let torn = [
        head(&format!("x-long: {long}\r\n")),
        head(&many),
        format!("GET /{long} HTTP/1.1\r\nhost: {address}\r\n\r\n"),
        format!("GET /api/conversations?search={long} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
        head(&format!("content-length: {}\r\nconnection: close\r\n", nested.len())) + &nested,
        head("content-length: 2\r\ncontent-length: 20\r\nconnection: close\r\n") + "{}",
        head("content-length: -2\r\nconnection: close\r\n") + "{}",
        head("content-length: 2x\r\nconnection: close\r\n") + "{}",
        head("content-length: 2, 3\r\nconnection: close\r\n") + "{}",
        head("transfer-encoding: chunked, identity\r\nconnection: close\r\n") + "{}",
        head("transfer-encoding: gzip\r\nconnection: close\r\n") + "{}",
        head("transfer-encoding: chunked\r\nconnection: close\r\n") + "zz\r\n{}\r\n0\r\n\r\n",
        head("transfer-encoding: chunked\r\nconnection: close\r\n") + "ffffffffffffffff1\r\n{}",
        head("host: evil.example\r\ncontent-length: 2\r\nconnection: close\r\n") + "{}",
        "GET /api/session\r\n\r\n".to_owned(),
        "GET http://evil.example/api/session HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n".to_owned(),
        format!("CONNECT {address} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
        format!("GET /api/session HTTP/1.1\r\n host: {address}\r\nconnection: close\r\n\r\n"),
        format!("GET /api/session HTTP/9.9\r\nhost: {address}\r\n\r\n"),
        "\0\0\0\0\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ];
    for request in torn {
        let reply = raw(address, request.as_bytes());
        let what: String = request.chars().take(120).collect();
        let is_out =
            UNREADABLE.contains(&reply.status) || [401, 403, 501, 505].contains(&reply.status);
        table.hold(area, &what, &reply, is_out);
    }
    // A request that hides in another's body is never heard.
    let hidden =
        format!("GET /api/session HTTP/1.1\r\nhost: {address}\r\nauthorization: {ANA}\r\n\r\n");
    let smuggled =
        head(&format!("content-length: {}\r\ntransfer-encoding: chunked\r\n", hidden.len() + 5))
            + "0\r\n\r\n"
            + &hidden.replace(ANA, BOB);
    let reply = raw(address, smuggled.as_bytes());
    table.hold(area, "a length and chunks", &reply, !reply.body.contains("\"owner\""));
}

/// A session of MCP is its token's.
pub(crate) fn sessions(target: &Target, table: &mut Table) {
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "hand", "version": "1" } } });
    let speak = |token: &str, session: Option<&str>, method: &str, body: &str| -> Reply {
        let mut headers = vec![
            ("authorization", token),
            JSON,
            ("mcp-protocol-version", "2025-11-25"),
            ("accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|id| ("mcp-session-id", id)));
        send(&target.address, method, "/mcp", &headers, body)
    };
    let begun = speak(DESK, None, "POST", &hello.to_string());
    let id = begun.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let id = id.unwrap_or_else(|| panic!("{begun:?}")).to_owned();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "send", "arguments": { "text": "stolen" } } })
    .to_string();
    let yes = json!({ "jsonrpc": "2.0", "id": 0,
        "result": { "action": "accept", "content": { "approve": true } } })
    .to_string();
    for token in [BOB, PROGRAM, ANA, WRONG, ""] {
        for (method, body) in
            [("POST", list.as_str()), ("POST", &call), ("POST", &yes), ("GET", ""), ("DELETE", "")]
        {
            let reply = speak(token, Some(&id), method, body);
            table.expect(
                "sessions",
                &format!("{method} with {token:?}: {body}"),
                &reply,
                &[401, 404, 429],
            );
        }
    }
    for guess in ["00000000-0000-0000-0000-000000000000", "1", "../x", "", &id.to_uppercase()] {
        let reply = speak(DESK, Some(guess), "POST", &list);
        table.expect(
            "sessions",
            &format!("a session by the name of {guess:?}"),
            &reply,
            &[400, 404],
        );
    }
    assert_eq!(speak(DESK, Some(&id), "DELETE", "").status / 100, 2);
}
