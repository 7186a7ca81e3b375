//! Own and foreign hosts and origins.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

use super::{Authenticator, Navigation};
use crate::auth::tokens::{Token, Tokens};

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let header = |(name, value): &(&str, &str)| {
        (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap())
    };
    pairs.iter().map(header).collect()
}

#[test]
fn only_our_own_hosts_and_origins_are_accepted() {
    let authenticator =
        Authenticator::new(Tokens::default(), "127.0.0.1:7777".parse().unwrap(), &[]);
    let check = |pairs: &[(&str, &str)], good: bool| {
        assert_eq!(
            authenticator.check_origin(&headers(pairs), Navigation::No).is_ok(),
            good,
            "{pairs:?}"
        );
    };
    check(&[("host", "127.0.0.1:7777")], true);
    check(&[("host", "LOCALHOST:7777")], true);
    check(&[("host", "[::1]:7777")], true);
    check(&[], false);
    check(&[("host", "localhost")], false);
    check(&[("host", "localhost:7778")], false);
    check(&[("host", "evil.example:7777")], false);
    check(&[("host", "192.168.0.7:7777")], false);
    check(&[("host", "localhost:7777"), ("origin", "http://localhost:7777")], true);
    check(&[("host", "localhost:7777"), ("origin", "http://127.0.0.1:7777")], false);
    check(&[("host", "localhost:7777"), ("origin", "null")], false);
    check(&[("host", "localhost:7777"), ("origin", "https://evil.example")], false);
    check(&[("host", "localhost:7777"), ("sec-fetch-site", "cross-site")], false);
    check(&[("host", "localhost:7777"), ("sec-fetch-site", "same-origin")], true);
}

#[test]
fn a_link_on_another_site_opens_only_the_page() {
    let authenticator =
        Authenticator::new(Tokens::default(), "127.0.0.1:7777".parse().unwrap(), &[]);
    let check = |method: &str, path: &str, mode: &str, good: bool| {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("host", "localhost:7777").header("sec-fetch-mode", mode);
        let request = request.header("sec-fetch-site", "cross-site").body(Body::empty()).unwrap();
        let found = authenticator.check_origin(request.headers(), Navigation::of(&request));
        assert_eq!(found.is_ok(), good, "{method} {path} {mode}");
    };
    check("GET", "/", "navigate", true);
    check("GET", "/login?token=x", "navigate", true);
    check("POST", "/login", "navigate", false);
    check("GET", "/", "no-cors", false);
    check("GET", "/api/conversations", "navigate", false);
}

#[test]
fn with_tokens_any_ip_literal_is_accepted_and_a_foreign_name_is_not() {
    let token = Token::parse("ana=0123456789abcdef").unwrap();
    let tokens = Tokens::new(&[token]).unwrap();
    let authenticator =
        Authenticator::new(tokens, "0.0.0.0:7777".parse().unwrap(), &["pad.example".to_owned()]);
    let check = |host: &str, good: bool| {
        assert_eq!(
            authenticator.check_origin(&headers(&[("host", host)]), Navigation::No).is_ok(),
            good,
            "{host}"
        );
    };
    check("192.168.0.7:7777", true);
    check("[fe80::1]:7777", true);
    check("pad.example:7777", true);
    check("evil.example:7777", false);
}
