//! GP-22: search over real sockets, in the order of its providers, and drafts without it.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod by_model;
mod by_tavily;

use std::sync::Arc;

use contract::{Model, Secret};
use fake_providers::FakeProvider;
use models::{Client, HttpClient, Key, Provider};
use pen::search::{Limits, Tavily, WebSearch};
use serde_json::{Value, json};
use testkit::web::{Web, WebAnswer};

const TAVILY_KEY: &str = "tvly-0123456789";
const MODEL_KEY: &str = "sk-ant-0123456789";

fn line() -> HttpClient {
    // One try: what is tested here is the order of the ways.
    let limits = models::Limits { retries_max: 0, ..models::Limits::usual() };
    HttpClient::new(limits).unwrap()
}

fn model(fake: &FakeProvider) -> Arc<dyn Model> {
    let key = Key::Given(Secret::new(MODEL_KEY));
    let provider = Provider { base_url: fake.base_url(), ..Provider::anthropic(key) };
    Arc::new(Client::over(line(), provider, "claude-opus-5-5").unwrap())
}

fn tavily(web: &Web) -> Tavily {
    Tavily::new(&web.base_url(), Secret::new(TAVILY_KEY), line())
}

fn search(model: Option<Arc<dyn Model>>, tavily: Option<Tavily>) -> WebSearch {
    WebSearch { model, tavily, limits: Limits::usual() }
}

/// Tavily's answer with so many results.
fn results(count: usize) -> Value {
    let result = |number| {
        json!({ "title": format!("Page {number}"), "url": format!("https://t.example/{number}"),
                "content": format!("Fact {number}"), "score": 0.9, "raw_content": null })
    };
    let results: Vec<_> = (0..count).map(result).collect();
    json!({ "query": "q", "results": results, "response_time": 0.5 })
}

async fn tavily_says(status: u16, body: Value) -> Web {
    Web::start(move |_| WebAnswer::json(status, &body)).await.unwrap()
}
