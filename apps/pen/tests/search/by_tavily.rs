//! Tavily alone: requests, results and refusals.

use std::time::Duration;

use pen::search::{Limits, SearchFault, Way, WebSearch};
use serde_json::{Value, json};
use testkit::Gate;
use testkit::web::{Web, WebAnswer};

use crate::{TAVILY_KEY, results, search, tavily, tavily_says};

#[tokio::test]
async fn gp_22_the_best_five_come_with_title_address_and_snippet() {
    let web = tavily_says(200, results(9)).await;
    let found = search(None, Some(tavily(&web))).search("  AI hiring trends ", 5).await.unwrap();
    assert_eq!(found.way, Way::Tavily);
    assert_eq!(found.hits.len(), 5);
    let first = &found.hits[0];
    assert_eq!(
        (first.title.as_str(), first.url.as_str(), first.snippet.as_str()),
        ("Page 0", "https://t.example/0", "Fact 0")
    );
    let returned = found.returned();
    assert_eq!(
        returned["results"][4],
        json!({ "title": "Page 4", "url": "https://t.example/4",
        "snippet": "Fact 4" })
    );
    assert_eq!(returned["skipped"].as_array().unwrap().len(), 1);
    let [request] = web.requests().try_into().unwrap();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/search"));
    assert_eq!(request.header("authorization"), Some(format!("Bearer {TAVILY_KEY}").as_str()));
    assert_eq!(request.body["query"], "AI hiring trends");
    assert_eq!(request.body["max_results"], 5);
}

#[tokio::test]
async fn what_is_found_is_clean_short_and_only_once() {
    let page = |url: &str, text: &str| json!({ "title": text, "url": url, "content": text });
    let long = "слово ".repeat(500);
    let found = json!([
        page("https://a.example", "one\n\ttwo"),
        page("https://a.example", "again"),
        page("javascript:alert(1)", "no page"),
        page("https://b.example/x y", "no address"),
        page("http://c.example", &long),
    ]);
    let web = tavily_says(200, json!({ "results": found })).await;
    let found = search(None, Some(tavily(&web))).search("q", 99).await.unwrap();
    let urls: Vec<_> = found.hits.iter().map(|hit| hit.url.as_str()).collect();
    assert_eq!(urls, ["https://a.example", "http://c.example"]);
    assert_eq!(found.hits[0].title, "one two");
    assert_eq!(found.hits[1].snippet.chars().count(), Limits::usual().snippet_chars_max + 1);
    assert!(found.hits[1].snippet.ends_with('…'));
    assert_eq!(web.requests()[0].body["max_results"], 20);
}

#[tokio::test]
async fn nothing_found_is_an_answer() {
    let web = tavily_says(200, results(0)).await;
    let found = search(None, Some(tavily(&web))).search("q", 5).await.unwrap();
    assert_eq!(found.hits, []);
}

#[track_caller]
fn why(fault: &SearchFault) -> (String, String) {
    let SearchFault::Unavailable { skipped, .. } = fault else { panic!("{fault}") };
    let skipped = skipped.last().unwrap();
    assert_eq!(skipped.way, Way::Tavily);
    (skipped.why.clone(), skipped.fix.clone())
}

#[tokio::test]
async fn every_no_of_tavilys_has_its_reason_and_fix() {
    let detail = |words: &str| json!({ "detail": { "error": words } });
    let cases: [(u16, Value, &str, &str); 7] = [
        (400, detail("Query is too long"), "it answers 400: Query is too long", "change the query"),
        (401, detail("Unauthorized"), "it answers 401: Unauthorized", "check TAVILY_API_KEY"),
        (429, detail("slow down"), "it answers 429: slow down", "try again later"),
        (432, detail("plan"), "it answers 432: plan", "the plan is used up"),
        (433, json!({ "detail": "paygo" }), "it answers 433: paygo", "the plan is used up"),
        (500, json!("oops"), "it answers 500: no reason", "try again later"),
        (200, json!({ "ok": 1 }), "the answer is not from Tavily", "check the address"),
    ];
    for (status, body, expected, fix) in cases {
        let web = tavily_says(status, body).await;
        let fault = search(None, Some(tavily(&web))).search("q", 5).await.unwrap_err();
        let (why, found) = why(&fault);
        assert_eq!(why, expected);
        assert!(found.contains(fix), "{found}");
        assert_eq!(web.requests().len(), 1, "asked once");
    }
}

#[tokio::test]
async fn silence_a_broken_line_and_a_flood_are_told_apart() {
    let gate = Gate::new();
    let silent = gate.clone();
    let web = Web::start(move |_| WebAnswer::Silent(silent.clone())).await.unwrap();
    let limits = Limits { try_time_max: Duration::from_millis(80), ..Limits::usual() };
    let short = WebSearch { limits, ..search(None, Some(tavily(&web))) };
    let fault = short.search("q", 5).await.unwrap_err();
    assert_eq!(why(&fault).0, "no answer within 80 ms");
    gate.open();

    let web = Web::start(|_| WebAnswer::Lost).await.unwrap();
    let fault = search(None, Some(tavily(&web))).search("q", 5).await.unwrap_err();
    assert!(why(&fault).0.contains("cannot be reached"), "{fault}");

    let web = tavily_says(200, results(100)).await;
    let limits = Limits { reply_bytes_max: 1_000, ..Limits::usual() };
    let small = WebSearch { limits, ..search(None, Some(tavily(&web))) };
    let fault = small.search("q", 5).await.unwrap_err();
    assert_eq!(why(&fault).0, "the answer is too large");
}

#[tokio::test]
async fn the_key_is_never_said() {
    let web = Web::start(|request| {
        let said = request.header("authorization").unwrap_or_default();
        WebAnswer::json(401, &json!({ "detail": { "error": format!("bad {said}") } }))
    });
    let web = web.await.unwrap();
    let fault = search(None, Some(tavily(&web))).search("q", 5).await.unwrap_err();
    assert!(fault.to_string().contains("bad Bearer [secret]"), "{fault}");
    assert!(!format!("{fault:?}").contains(TAVILY_KEY));
    assert!(!web.requests()[0].body.to_string().contains(TAVILY_KEY));
}

#[tokio::test]
async fn a_query_without_words_or_with_too_many_is_not_sent() {
    let web = tavily_says(200, results(1)).await;
    let search = search(None, Some(tavily(&web)));
    for query in ["", " \n", &"слово ".repeat(100)] {
        let fault = search.search(query, 5).await.unwrap_err();
        assert_eq!(fault.word(), "invalid_query");
    }
    assert_eq!(web.requests().len(), 0);
}
