//! Valid requests, and refused ones.

use serde_json::json;

use super::*;

fn parse(mut args: Value) -> Result<FetchRequest, String> {
    if args.get("url").is_none() {
        args["url"] = json!("https://example.com/");
    }
    FetchRequest::parse(args, &ServiceLimits::ORDINARY, &Redactor::default())
        .map_err(|fault| fault.code)
}

#[test]
fn a_request_is_read_as_the_prelude_sends_it() {
    let sent = json!({
        "url": "https://example.com/a", "method": "POST", "redirect": "manual",
        "body": "hi", "headers": [["accept", "text/plain"], ["x-many", "1"], ["x-many", "2"]],
    });
    let read = parse(sent).unwrap();
    assert_eq!((read.method, &read.body[..]), (Method::Post, &b"hi"[..]));
    assert_eq!(read.headers.get_all("x-many").iter().count(), 2);
    assert_eq!(read.redirects, Redirects::Manual);

    let plain = parse(json!({"headers": {"Accept": "a"}})).unwrap();
    assert_eq!((plain.method, plain.redirects), (Method::Get, Redirects::Follow));
    assert_eq!(plain.headers["accept"], "a");
    let binary = parse(json!({"method": "PUT", "bodyBase64": "/wA="})).unwrap();
    assert_eq!(&binary.body[..], [255, 0]);
}

#[test]
fn an_invalid_request_is_refused() {
    let check = |args, code: &str| assert_eq!(parse(args).unwrap_err(), code);
    check(json!({"url": "nonsense"}), "BAD_REQUEST");
    check(json!({"method": "TRACE"}), "BAD_REQUEST");
    check(json!({"method": "get"}), "BAD_REQUEST"); // the prelude writes capitals
    check(json!({"body": "a"}), "BAD_REQUEST");
    check(json!({"method": "POST", "body": "a", "bodyBase64": "YQ=="}), "BAD_REQUEST");
    check(json!({"method": "POST", "bodyBase64": "%"}), "BAD_REQUEST");
    check(json!({"headers": [["a b", "c"]]}), "BAD_REQUEST");
    check(json!({"headers": [["a", "b\r\nc: d"]]}), "BAD_REQUEST");
    check(json!({"headers": {"a": 1}}), "BAD_REQUEST");
    check(json!({"timeout": 1}), "BAD_REQUEST");
    check(json!({"url": format!("https://example.com/{}", "x".repeat(20_000))}), "TOO_LARGE");
    check(json!({"method": "POST", "body": "x".repeat((4 << 20) + 1)}), "TOO_LARGE");
    check(json!({"headers": [["a", "x".repeat(70_000)]]}), "TOO_LARGE");
    check(json!({"headers": vec![["a", "b"]; 101]}), "TOO_LARGE");
    for name in [
        "Host",
        "Connection",
        "Content-Length",
        "Transfer-Encoding",
        "Proxy-Authorization",
        "proxy-anything",
        "Upgrade",
        "TE",
        "Expect",
        "Accept-Encoding",
    ] {
        check(json!({"headers": [[name, "x"]]}), "NOT_ALLOWED");
    }
}
