//! The errors of a provider, and what they never reveal.

use contract::Wire;
use serde_json::json;

use super::client::{Client, WIRES, body};
use crate::provider::{FakeProvider, Fault, Step, Turn};

#[tokio::test]
async fn every_fault_has_the_format_of_its_wire() {
    let table: [(Fault, [u16; 4], [&str; 4]); 9] = [
        (
            Fault::rate_limited(),
            [429; 4],
            [
                "rate_limit_error",
                "rate_limit_exceeded",
                "rate_limit_exceeded",
                "RESOURCE_EXHAUSTED",
            ],
        ),
        (
            Fault::spend_cap(),
            [429; 4],
            [
                "enforced_spend_limit_reached",
                "insufficient_quota",
                "insufficient_quota",
                "RESOURCE_EXHAUSTED",
            ],
        ),
        (
            Fault::overloaded(),
            [529, 503, 503, 503],
            ["overloaded_error", "overloaded", "overloaded", "UNAVAILABLE"],
        ),
        (
            Fault::server_error(),
            [500; 4],
            ["api_error", "server_error", "server_error", "INTERNAL"],
        ),
        (
            Fault::wrong_key(),
            [401, 401, 401, 400],
            ["authentication_error", "invalid_api_key", "invalid_api_key", "API_KEY_INVALID"],
        ),
        (
            Fault::unknown_model("x-1"),
            [404; 4],
            ["not_found_error", "model_not_found", "model_not_found", "NOT_FOUND"],
        ),
        (
            Fault::bad_request("tools.0: bad schema"),
            [400; 4],
            ["invalid_request_error", "tools.0", "tools.0", "fieldViolations"],
        ),
        (
            Fault::context_exceeded(),
            [400; 4],
            [
                "prompt is too long",
                "context_length_exceeded",
                "context_length_exceeded",
                "exceeds the maximum number of tokens",
            ],
        ),
        (
            Fault::too_large(),
            [413; 4],
            ["request_too_large", "invalid_request_error", "invalid_request_error", "413"],
        ),
    ];
    for (fault, statuses, words) in table {
        for ((wire, status), word) in WIRES.into_iter().zip(statuses).zip(words) {
            let provider = FakeProvider::start().await.unwrap();
            provider.then(fault.clone());
            let answer = Client::new(&provider).ask(wire, &body(wire), true).await;
            assert_eq!(answer.status, status, "{wire:?} {fault:?}");
            assert!(answer.text().contains(word), "{wire:?} wants {word}: {}", answer.text());
            provider.assert_used_up();
        }
    }
}

#[tokio::test]
async fn the_headers_that_say_when_to_retry() {
    let provider = FakeProvider::start().await.unwrap();
    provider.script([
        Fault::rate_limited().retry_after(2),
        Fault::rate_limited().retry_after("Mon, 16 Nov 2026 00:00:05 GMT"),
        Fault::rate_limited().retry_after_ms(250).should_retry(true),
        Fault::spend_cap(),
    ]);
    let client = Client::new(&provider);
    let mut found = Vec::new();
    for _ in 0..4 {
        let answer = client.ask(Wire::Anthropic, &body(Wire::Anthropic), true).await;
        let names = ["retry-after", "retry-after-ms", "x-should-retry"];
        found.push(names.map(|name| answer.header(name).to_owned()));
    }
    let row = |row: [&str; 3]| row.map(str::to_owned);
    assert_eq!(
        found,
        [
            row(["2", "", ""]),
            row(["Mon, 16 Nov 2026 00:00:05 GMT", "", ""]),
            row(["", "250", "true"]),
            row(["", "", ""]),
        ]
    );
}

#[tokio::test]
async fn closed_connections_and_foreign_pages() {
    let provider = FakeProvider::start().await.unwrap();
    provider.script([Fault::hang_up(), Fault::page(502, "<html>Bad Gateway</html>")]);
    let client = Client::new(&provider);
    let path = "/v1/messages";
    let bytes = body(Wire::Anthropic).to_string().into_bytes();
    assert!(client.send("POST", path, bytes.clone()).await.is_err());
    let page = client.send("POST", path, bytes).await.unwrap();
    assert_eq!((page.status, page.header("content-type")), (502, "text/html"));
}

#[tokio::test]
async fn the_key_is_checked_and_never_shown() {
    let provider = FakeProvider::start().await.unwrap();
    provider.key("sk-right").otherwise(Turn::says("hi"));
    for wire in WIRES {
        let client = Client::new(&provider);
        let wrong = client.ask(wire, &body(wire), false).await;
        assert_eq!(wrong.status, if wire == Wire::Gemini { 400 } else { 401 });
        let header = if wire == Wire::Gemini { "x-goog-api-key" } else { "authorization" };
        let value = if wire == Wire::Gemini { "sk-right" } else { "Bearer sk-right" };
        let client = client.with(header, value);
        assert_eq!(client.ask(wire, &body(wire), false).await.status, 200, "{wire:?}");
        let none = client.without(header).ask(wire, &body(wire), false).await;
        assert!(matches!(none.status, 400 | 401), "{wire:?}");
    }
    let client = Client::new(&provider).with("x-api-key", "sk-right");
    let answer = client.ask(Wire::Anthropic, &body(Wire::Anthropic), false).await;
    assert_eq!(answer.status, 200);
    client.post("/v1beta/models/gemini-3-pro:generateContent?key=sk-right", &json!({})).await;
    let shown = format!("{:?}", provider.requests());
    assert!(!shown.contains("sk-"), "{shown}");
    assert!(shown.contains("key=[secret]") && shown.contains("claude-sonnet-5-5"), "{shown}");
}

#[tokio::test]
async fn a_used_up_script_says_so() {
    let provider = FakeProvider::start().await.unwrap();
    let answer = Client::new(&provider).ask(Wire::Chat, &body(Wire::Chat), false).await;
    assert_eq!(answer.status, 400);
    assert!(answer.message().contains("used up"));
    provider.otherwise(Step::from(Turn::says("again")));
    for _ in 0..3 {
        assert_eq!(
            Client::new(&provider).ask(Wire::Chat, &body(Wire::Chat), false).await.status,
            200
        );
    }
    assert_eq!(provider.requests().len(), 4);
    assert_eq!(provider.bodies().lines().count(), 4);
}
