//! NT-06, NT-13: each fault has its own code and fix, and none contains the token.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use pen::notion::{Kind, Limits};
use serde_json::json;
use testkit::notion::{TOKEN, Trip};
use testkit::web::{Web, WebAnswer};

use crate::writing::{calendar, post};
use crate::{client, open};

#[tokio::test]
async fn nt_06_not_found_unauthorized_and_forbidden_have_different_words() {
    let (notion, client, clock) = open().await;
    let id = notion.page("Тут", &json!([]));
    let cases = [
        (401, "unauthorized", "notion_unauthorized", "check NOTION_TOKEN"),
        (403, "restricted_resource", "notion_forbidden", "give the connection this capability"),
        (404, "object_not_found", "page_not_found", "share the page with the connection"),
        (400, "validation_error", "notion_refused", "change the request"),
    ];
    for (status, code, word, fix) in cases {
        notion.trip("GET /v1/pages/:id", Trip::Says { status, code, retry_after: None });
        let fault = client.read_page(&id).await.unwrap_err();
        assert_eq!(fault.kind.word(), word);
        assert!(fault.fix.contains(fix), "{fault}");
        assert_eq!(fault.place, format!("page {id}"));
        assert!(fault.what.starts_with(&format!("Notion answers {status}: {code}")), "{fault}");
    }
    assert_eq!(clock.waits(), [0; 0], "none of these is tried again");
    let said: std::collections::BTreeSet<_> = [Kind::NotFound, Kind::WrongToken, Kind::Forbidden]
        .map(Kind::in_ukrainian)
        .into_iter()
        .collect();
    assert_eq!(said.len(), 3);
}

#[tokio::test]
async fn reads_survive_what_passes() {
    let (notion, client, clock) = open().await;
    let id = notion.page("Тут", &json!([]));
    notion.trip("GET /v1/pages/:id", Trip::RequestLost);
    let down = Trip::Says { status: 503, code: "service_unavailable", retry_after: None };
    notion.trip("GET /v1/pages/:id", down);
    assert_eq!(client.read_page(&id).await.unwrap().title, "Тут");
    assert_eq!(clock.waits(), [1_000, 2_000]);
}

#[tokio::test]
async fn a_server_that_is_not_there_or_not_notion_is_said() {
    let id = "393abc1eedcd81a09a08d7413a049dc8";
    let (nowhere, _) = client("http://127.0.0.1:1", TOKEN, Limits::usual());
    let fault = nowhere.read_page(id).await.unwrap_err();
    assert_eq!(fault.kind, Kind::Unavailable);
    assert!(fault.what.contains("cannot be reached"), "{fault}");

    let page = Web::start(|_| WebAnswer::json(200, &json!("<html>"))).await.unwrap();
    let (client_of_page, _) = client(&page.base_url(), TOKEN, Limits::usual());
    assert_eq!(client_of_page.read_page(id).await.unwrap_err().kind, Kind::Garbled);

    let moved =
        Web::start(|_| WebAnswer::json(302, &json!({})).with("location", "http://evil.example"));
    let moved = moved.await.unwrap();
    let (client_of_moved, _) = client(&moved.base_url(), TOKEN, Limits::usual());
    assert_eq!(client_of_moved.read_page(id).await.unwrap_err().kind, Kind::Garbled);
    assert_eq!(moved.requests().len(), 1, "no redirect takes the token along");

    let (wrong, _) = client("ftp://notion", TOKEN, Limits::usual());
    assert_eq!(wrong.read_page(id).await.unwrap_err().kind, Kind::Refused);
    let fault = wrong.read_page("no id here").await.unwrap_err();
    assert_eq!(fault.kind.word(), "invalid_page_id");
}

#[tokio::test]
async fn a_database_that_is_not_there_has_its_own_word() {
    let (notion, client, _) = open().await;
    let nowhere = "393abc1eedcd81a09a08d7413a049dc8";
    let fault = client.write_page(&post(nowhere, "Текст")).await.unwrap_err();
    assert_eq!(fault.kind.word(), "database_not_found");
    assert!(fault.fix.contains("NOTION_DATABASE_ID"), "{fault}");
    assert_eq!(notion.made().len(), 0);
}

#[tokio::test]
async fn a_list_without_end_is_left() {
    let endless = Web::start(|request| match request.path.contains("/blocks/") {
        true => {
            let list = json!({ "results": [], "has_more": true, "next_cursor": "again" });
            WebAnswer::json(200, &list)
        }
        false if request.path.ends_with("/markdown") => WebAnswer::json(404, &json!({})),
        false => WebAnswer::json(200, &json!({ "object": "page" })),
    });
    let endless = endless.await.unwrap();
    let (client, _) = client(&endless.base_url(), TOKEN, Limits::usual());
    let fault = client.read_page("393abc1eedcd81a09a08d7413a049dc8").await.unwrap_err();
    assert_eq!(fault.kind, Kind::Garbled);
}

#[tokio::test]
async fn a_token_that_no_header_takes_is_said_and_not_shown() {
    let (client, _) = client("http://127.0.0.1:1", "ntn_line\nend", Limits::usual());
    let fault = client.read_page("393abc1eedcd81a09a08d7413a049dc8").await.unwrap_err();
    assert_eq!(fault.kind, Kind::Refused);
    assert!(fault.fix.contains("check NOTION_TOKEN"), "{fault}");
    assert!(!format!("{fault:?}").contains("ntn_line"));
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused() {
    let large = Web::start(|_| WebAnswer::json(200, &json!("x".repeat(5_000)))).await.unwrap();
    let limits = Limits { reply_bytes_max: 4_000, ..Limits::usual() };
    let (client, _) = client(&large.base_url(), TOKEN, limits);
    let fault = client.read_page("393abc1eedcd81a09a08d7413a049dc8").await.unwrap_err();
    assert_eq!(fault.kind, Kind::TooLarge);
    assert_eq!(large.requests().len(), 1);
}

#[tokio::test]
async fn nt_13_the_token_is_in_one_header_and_nowhere_else() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    notion.trip("POST /v1/pages", Trip::RequestLost);
    client.write_page(&post(&database, "Текст")).await.unwrap();
    for request in notion.requests() {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        assert!(!String::from_utf8_lossy(&request.bytes).contains(TOKEN));
        assert!(!request.path.contains(TOKEN));
    }

    // A server that repeats the token in what it says.
    let echo = Web::start(|request| {
        let said = request.header("authorization").unwrap_or_default();
        let message = format!("who is {said}?");
        WebAnswer::json(
            401,
            &json!({ "object": "error", "code": "unauthorized", "message": message }),
        )
    });
    let echo = echo.await.unwrap();
    let (client, _) = crate::client(&echo.base_url(), TOKEN, Limits::usual());
    let fault = client.read_page("393abc1eedcd81a09a08d7413a049dc8").await.unwrap_err();
    assert!(fault.to_string().contains("[secret]"), "{fault}");
    for shown in [fault.to_string(), format!("{fault:?}"), log.text()] {
        assert!(!shown.contains(TOKEN), "{shown}");
    }
    assert!(log.text().contains("asking Notion again"), "the log is there: {}", log.text());
}

/// Everything that is traced, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        writeln!(self.0.lock().unwrap(), "{span:?}").unwrap();
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        writeln!(self.0.lock().unwrap(), "{values:?}").unwrap();
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        writeln!(self.0.lock().unwrap(), "{event:?}").unwrap();
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
