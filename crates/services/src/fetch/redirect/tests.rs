//! Which requests follow a redirect, and what they keep.

use serde_json::json;

use super::*;
use crate::handler_services::limits::ServiceLimits;
use contract::Secret;

const SECRET: &str = "s3cret-token";

/// The next request: method, URL, headers in order, body.
#[track_caller]
fn check(method: &str, status: u16, location: &str, expected: &str) {
    let body = if method == "GET" { json!(null) } else { json!("body") };
    check_with(
        json!({"url": "https://a.com/x/y", "method": method, "body": body}),
        status,
        location,
        expected,
    );
}

#[track_caller]
fn check_with(mut args: serde_json::Value, status: u16, location: &str, expected: &str) {
    args["headers"] = json!([
        ["accept", "text/html"],
        ["authorization", "Bearer x"],
        ["content-type", "text/plain"],
        ["cookie", "a=b"],
        ["user-agent", SECRET],
        ["x-api-key", "k"],
    ]);
    let redactor = Redactor::default();
    redactor.remember(&"TOKEN".parse().unwrap(), &Secret::new(SECRET));
    let sent = FetchRequest::parse(args, &ServiceLimits::ORDINARY, &redactor).unwrap();
    let location = HeaderValue::from_str(location).unwrap();
    let status = StatusCode::from_u16(status).unwrap();
    let seen = match next(&sent, status, Some(&location), &redactor) {
        Ok(Next::Answer) => "answer".to_owned(),
        Ok(Next::Follow(next)) => {
            let mut names: Vec<&str> = next.headers.keys().map(HeaderName::as_str).collect();
            names.sort_unstable();
            let body = String::from_utf8_lossy(&next.body).into_owned();
            format!("{} {} {} {body}", next.method.name(), next.url, names.join(","))
        }
        Err(fault) => fault.code,
    };
    assert_eq!(seen.trim_end(), expected);
}

const ALL: &str = "accept,authorization,content-type,cookie,user-agent,x-api-key";

#[test]
fn the_method_follows_the_status() {
    check("GET", 200, "/z", "answer");
    check("GET", 304, "/z", "answer");
    check("GET", 302, "/z", &format!("GET https://a.com/z {ALL}"));
    check("GET", 303, "z?q#f", &format!("GET https://a.com/x/z?q#f {ALL}"));
    let without_type = ALL.replace("content-type,", "");
    check("POST", 301, "/z", &format!("GET https://a.com/z {without_type}"));
    check("POST", 302, "/z", &format!("GET https://a.com/z {without_type}"));
    check("POST", 303, "/z", &format!("GET https://a.com/z {without_type}"));
    check("PUT", 303, "/z", &format!("GET https://a.com/z {without_type}"));
    check("PUT", 302, "/z", &format!("PUT https://a.com/z {ALL} body"));
    check("POST", 307, "/z", &format!("POST https://a.com/z {ALL} body"));
    check("POST", 308, "/z", &format!("POST https://a.com/z {ALL} body"));
}

#[test]
fn another_origin_gets_no_identifying_headers() {
    // Not even the user agent, because it contains a secret.
    for other in ["https://b.com/", "https://a.com:8443/", "http://a.com/", "https://sub.a.com/"] {
        check("GET", 302, other, &format!("GET {other} accept,content-type"));
    }
    check("POST", 307, "https://b.com/", "POST https://b.com/ accept,content-type body");
    let held = json!({"url": "https://a.com/", "method": "POST", "body": format!("t={SECRET}")});
    check_with(held.clone(), 307, "https://b.com/", "NOT_ALLOWED");
    check_with(held, 302, "https://b.com/", "GET https://b.com/ accept");
}

#[test]
fn the_handler_may_get_the_redirect_itself_or_an_error() {
    let asked = |redirect| json!({"url": "https://a.com/", "redirect": redirect});
    check_with(asked("manual"), 302, "/z", "answer");
    check_with(asked("error"), 302, "/z", "UNREACHABLE");
    check_with(asked("follow"), 302, "http://[bad", "UNREACHABLE");
}
