//! Requests to other servers: sent once, and a fault says whether the server can have acted.

use std::time::Duration;

use models::{HttpFault, HttpRequest, HttpResponse, Limits};
use serde_json::json;
use testkit::Gate;
use testkit::web::{Web, WebAnswer};

use crate::server::line;

async fn exchange(url: &str, headers: &[(&str, &str)]) -> Result<HttpResponse, HttpFault> {
    let (line, _) = line(Limits::usual());
    let time_max = Duration::from_secs(60);
    let exchange =
        HttpRequest { method: "POST", url, headers, json: Some("{}"), time_max, bytes_max: 1_000 };
    line.exchange(&exchange).await
}

#[tokio::test]
async fn any_status_is_a_response_and_nothing_is_sent_twice() {
    for status in [200, 302, 404, 429, 503] {
        let web = Web::start(move |_| {
            WebAnswer::json(status, &json!({ "ok": 1 })).with("retry-after", "7")
        });
        let web = web.await.unwrap();
        let answer = exchange(&web.base_url(), &[("x-key", "k-1")]).await.unwrap();
        assert_eq!(answer.status, status);
        assert_eq!(answer.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(answer.bytes, br#"{"ok":1}"#);
        let [request] = web.requests().try_into().unwrap();
        assert_eq!(request.header("x-key"), Some("k-1"));
        assert_eq!(request.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn a_fault_says_whether_the_server_can_have_acted() {
    let web = Web::start(|_| WebAnswer::Lost).await.unwrap();
    let lost = exchange(&web.base_url(), &[]).await.unwrap_err();
    assert!(matches!(lost, HttpFault::Lost(_)), "{lost:?}");
    assert_eq!(web.requests().len(), 1);

    let nowhere = exchange("http://127.0.0.1:1", &[]).await.unwrap_err();
    assert!(matches!(nowhere, HttpFault::Unreachable(_)), "{nowhere:?}");

    let web = Web::start(|_| WebAnswer::json(200, &json!("x".repeat(2_000)))).await.unwrap();
    assert_eq!(exchange(&web.base_url(), &[]).await, Err(HttpFault::TooLarge));
}

#[tokio::test]
async fn silence_times_out() {
    let gate = Gate::new();
    let gate_held = gate.clone();
    let web = Web::start(move |_| WebAnswer::Silent(gate_held.clone())).await.unwrap();
    let (line, _) = line(Limits::usual());
    let exchange = HttpRequest {
        method: "GET",
        url: &web.base_url(),
        headers: &[],
        json: None,
        time_max: Duration::from_millis(50),
        bytes_max: 1_000,
    };
    assert_eq!(line.exchange(&exchange).await, Err(HttpFault::TimedOut));
    gate.open();
}

#[tokio::test]
async fn an_invalid_header_is_reported_without_its_value() {
    for url in ["", "notion.so", "ftp://x.example/", "http://"] {
        let fault = exchange(url, &[]).await.unwrap_err();
        assert!(matches!(fault, HttpFault::Unsendable(_)), "{url}: {fault:?}");
    }
    let fault = exchange("http://127.0.0.1:1", &[("authorization", "secret\nline")]).await;
    let text = format!("{fault:?}");
    assert!(text.contains("`authorization`") && !text.contains("secret"), "{text}");
}
