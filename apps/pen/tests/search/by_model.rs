//! The model's own search, and the fallback to Tavily.

use std::sync::Arc;
use std::time::Duration;

use contract::StopReason;
use fake_providers::{FakeProvider, Fault, Item, Source, Step, Turn};
use models::{Client, Key, Provider};
use pen::search::{Limits, SearchFault, Way, WebSearch};
use serde_json::json;
use testkit::Gate;

use crate::{line, model, results, search, tavily, tavily_says};

fn source(number: usize) -> Source {
    let (url, title) = (format!("https://w.example/{number}"), format!("Report {number}"));
    Source::new(&url, &title, &format!("Burnout rose by {number} %."))
}

#[tokio::test]
async fn gp_22_the_model_searches_first_and_its_citations_are_the_snippets() {
    let fake = FakeProvider::start().await.unwrap();
    let found = (0..7).map(source).collect();
    fake.then(
        Turn::new()
            .search("burnout statistics", found)
            .cited("It rose.", source(0))
            .cited("A lot.", source(2)),
    );
    let web = tavily_says(200, results(3)).await;

    let search = search(Some(model(&fake)), Some(tavily(&web)));
    let found = search.search("burnout statistics 2025", 5).await.unwrap();

    assert_eq!(found.way, Way::ServerTool);
    assert_eq!(found.skipped, []);
    assert_eq!(found.hits.len(), 5);
    assert_eq!(found.hits[0].title, "Report 0");
    assert_eq!(found.hits[0].url, "https://w.example/0");
    assert_eq!(found.hits[0].snippet, "Burnout rose by 0 %.");
    assert_eq!(found.hits[1].snippet, "", "what nobody cited has no words");
    assert_eq!(found.hits[2].snippet, "Burnout rose by 2 %.");
    assert_eq!(web.requests().len(), 0);
    fake.assert_used_up();
    let sent = &fake.requests()[0].body;
    assert_eq!(sent["tools"][0]["type"], "web_search_20260318");
    assert_eq!(sent["tools"][0]["max_uses"], 1);
    let asked = sent["messages"][0].to_string();
    assert!(asked.contains("burnout statistics 2025"), "{asked}");
}

#[tokio::test]
async fn gp_22_a_paused_search_is_taken_up_again() {
    let fake = FakeProvider::start().await.unwrap();
    fake.script([
        Turn::new().search("burnout", vec![source(1)]).stop(StopReason::PauseTurn),
        Turn::new().cited("So.", source(1)),
    ]);
    let found = search(Some(model(&fake)), None).search("burnout", 5).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].snippet, "Burnout rose by 1 %.");
    assert_eq!((found.usage.input, found.usage.output), (24, 10), "both halves are counted");
    fake.assert_used_up();
    let again = &fake.requests()[1].body["messages"][1];
    assert_eq!(again["role"], "assistant");
    assert_eq!(again["content"][1]["type"], "web_search_tool_result");
}

#[tokio::test]
async fn gp_22_whatever_the_model_lacks_tavily_finds_and_the_writer_knows_why() {
    let failed = json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": { "type": "web_search_tool_result_error", "error_code": "too_many_requests" } });
    let asked = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
        "input": { "query": "burnout" } });
    let steps: [(Step, &str); 5] = [
        (Fault::overloaded().into(), "anthropic"),
        (Fault::wrong_key().into(), "anthropic"),
        (Fault::bad_request("web search is not enabled").into(), "web search is not enabled"),
        (Turn::says("I know this anyway.").into(), "the model did not search"),
        (
            Turn::new().item(Item::Native(asked)).item(Item::Native(failed)).into(),
            "the search answers `too_many_requests`",
        ),
    ];
    for (step, why) in steps {
        let fake = FakeProvider::start().await.unwrap();
        fake.then(step);
        let web = tavily_says(200, results(2)).await;
        let search = search(Some(model(&fake)), Some(tavily(&web)));
        let found = search.search("burnout", 5).await.unwrap();
        assert_eq!(found.way, Way::Tavily);
        assert_eq!(found.hits.len(), 2);
        let [skipped] = found.skipped.as_slice() else { panic!("{:?}", found.skipped) };
        assert_eq!(skipped.way, Way::ServerTool);
        assert!(skipped.why.contains(why), "{skipped}");
        assert!(!skipped.fix.is_empty());
    }
}

#[tokio::test]
async fn gp_22_a_search_that_hangs_is_left_after_its_time() {
    assert_eq!(Limits::usual().try_time_max, Duration::from_secs(10));
    let fake = FakeProvider::start().await.unwrap();
    let gate = Gate::new();
    fake.then(Turn { gates: vec![(0, gate.clone())], ..Turn::says("late") });
    // Long enough for the second way, also on a busy machine.
    let limits = Limits { try_time_max: Duration::from_secs(5), ..Limits::usual() };
    let web = tavily_says(200, results(1)).await;
    let search = WebSearch { limits, ..search(Some(model(&fake)), Some(tavily(&web))) };
    let found = search.search("burnout", 5).await.unwrap();
    assert_eq!(found.way, Way::Tavily);
    assert_eq!(found.skipped[0].why, "no answer within 5000 ms");
    gate.open();
}

#[tokio::test]
async fn gp_22_a_model_without_a_search_is_not_asked() {
    let fake = FakeProvider::compatible().await.unwrap();
    let base_url = fake.base_url();
    let chat = Provider::compatible("local", &base_url, Key::NotNeeded);
    // The same wire as Anthropic's, at a server that only speaks it.
    let proxy = Provider { name: "proxy".into(), base_url, ..Provider::anthropic(Key::NotNeeded) };
    for (provider, name) in [(chat, "local:llama"), (proxy, "proxy:llama")] {
        let model = Client::over(line(), provider, "llama").unwrap();
        let web = tavily_says(200, results(1)).await;
        let search = search(Some(Arc::new(model)), Some(tavily(&web)));
        let found = search.search("burnout", 5).await.unwrap();
        assert_eq!(found.skipped[0].why, format!("`{name}` has no built-in search"));
        assert_eq!(fake.requests().len(), 0);
    }
}

#[tokio::test]
async fn gp_22_without_any_way_the_draft_goes_on_and_says_so() {
    let fault = search(None, None).search("burnout", 5).await.unwrap_err();
    assert_eq!(fault.word(), "search_unavailable");
    assert_eq!(fault.in_ukrainian(), "Пошук недоступний, генерую без зовнішніх даних");
    assert_eq!(
        fault.to_string(),
        "search is not available, so the text is written without outside data: \
         the model's search: there is no model; set ANTHROPIC_API_KEY. \
         Tavily: TAVILY_API_KEY is not set; set it to search without a model"
    );
    let SearchFault::Unavailable { skipped, .. } = fault else { panic!("{fault}") };
    assert_eq!(
        skipped.iter().map(|skipped| skipped.way).collect::<Vec<_>>(),
        [Way::ServerTool, Way::Tavily]
    );
}
