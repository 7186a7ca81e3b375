//! NT-03, NT-05: pages are read completely, by Markdown or by blocks, within the time limit.

use std::time::Duration;

use pen::notion::{Kind, Limits};
use serde_json::{Value, json};
use testkit::Gate;
use testkit::notion::Trip;

use crate::{open, open_with};

fn paragraph(text: &str) -> Value {
    json!({ "paragraph": { "rich_text": [{ "text": { "content": text } }] } })
}

fn item(text: &str, children: Value) -> Value {
    let rich_text = json!([{ "text": { "content": text } }]);
    json!({ "bulleted_list_item": { "rich_text": rich_text }, "children": children })
}

#[tokio::test]
async fn nt_12_a_page_has_title_text_and_address() {
    let (notion, client, _) = open().await;
    let id = notion.page("Мої думки", &json!([paragraph("Основна ідея")]));
    notion.markdown(&id, "# Думки\n\nОсновна ідея", false);
    let url = format!("https://app.notion.com/p/{}", id.replace('-', ""));

    let page = client.read_page(&url).await.unwrap();

    assert_eq!(page.id.as_str(), id);
    assert_eq!(page.title, "Мої думки");
    assert_eq!(page.text, "# Думки\n\nОсновна ідея");
    assert_eq!(page.url, url);
    assert_eq!(page.last_edited, "2026-07-04T09:12:00.000Z");
    assert!(!page.truncated);
    assert_eq!(notion.asked(), ["GET /v1/pages/:id", "GET /v1/pages/:id/markdown"]);
    let returned = page.returned();
    assert_eq!(returned["success"], true);
    assert_eq!(returned["title"], "Мої думки");
    assert_eq!(returned["content"], "# Думки\n\nОсновна ідея");
    assert_eq!(returned["last_edited"], "2026-07-04T09:12:00.000Z");
    let version = notion.requests()[0].header("notion-version").map(str::to_owned);
    assert_eq!(version.as_deref(), Some("2026-03-11"));
}

#[tokio::test]
async fn nt_03_children_of_three_levels_are_read() {
    let (notion, client, _) = open().await;
    notion.without_markdown();
    let deep = json!([item("two", json!([item("three", json!([paragraph("four")]))]))]);
    let id = notion.page("Deep", &json!([item("one", deep), paragraph("end")]));

    let page = client.read_page(&id).await.unwrap();

    assert_eq!(page.text, "- one\n  - two\n    - three\n\n      four\n\nend");
    assert!(!page.truncated);
}

#[tokio::test]
async fn nt_03_two_hundred_and_fifty_children_are_read_page_by_page() {
    let (notion, client, _) = open().await;
    notion.without_markdown();
    let blocks: Vec<_> = (0..250).map(|number| paragraph(&format!("p{number}"))).collect();
    let id = notion.page("Long", &blocks.into());

    let page = client.read_page(&id).await.unwrap();

    let expected: Vec<_> = (0..250).map(|number| format!("p{number}")).collect();
    assert_eq!(page.text, expected.join("\n\n"));
    assert_eq!(
        notion.asked()[2..],
        [
            "GET /v1/blocks/:id/children",
            "GET /v1/blocks/:id/children next",
            "GET /v1/blocks/:id/children next"
        ]
    );
}

#[tokio::test]
async fn a_page_that_notion_cut_is_read_by_its_blocks() {
    let (notion, client, _) = open().await;
    let id = notion.page("Cut", &json!([paragraph("whole")]));
    notion.markdown(&id, "who", true);
    let page = client.read_page(&id).await.unwrap();
    assert_eq!((page.text.as_str(), page.truncated), ("whole", false));
}

#[tokio::test]
async fn a_page_with_a_bookmark_is_read_by_its_blocks() {
    let (notion, client, _) = open().await;
    let mark = json!({ "bookmark": { "url": "https://b.example", "caption": [] } });
    let id = notion.page("Links", &json!([paragraph("see"), mark]));
    notion.markdown(&id, "see\n<unknown url=\"https://notion.so/1\" alt=\"bookmark\"/>", false);
    let page = client.read_page(&id).await.unwrap();
    assert_eq!(page.text, "see\n\n[media: bookmark](https://b.example)");
}

#[tokio::test]
async fn a_part_is_better_than_nothing_when_the_time_is_up() {
    let (notion, client, _) = open().await;
    let id = notion.page("Part", &json!([paragraph("whole")]));
    notion.markdown(&id, "who", true);
    let busy = Trip::Says { status: 429, code: "rate_limited", retry_after: Some(60) };
    notion.trip("GET /v1/blocks", busy);
    let page = client.read_page(&id).await.unwrap();
    assert_eq!((page.text.as_str(), page.truncated), ("who", true));

    let denied = Trip::Says { status: 403, code: "restricted_resource", retry_after: None };
    notion.trip("GET /v1/blocks", denied);
    assert_eq!(client.read_page(&id).await.unwrap_err().kind, Kind::Forbidden);
}

#[tokio::test]
async fn a_page_is_read_by_its_blocks_while_notions_markdown_is_down() {
    let (notion, client, _) = open().await;
    let id = notion.page("Down", &json!([paragraph("text")]));
    for _ in 0..3 {
        let down = Trip::Says { status: 503, code: "service_unavailable", retry_after: None };
        notion.trip("GET /v1/pages/:id/markdown", down);
    }
    assert_eq!(client.read_page(&id).await.unwrap().text, "text");
    assert_eq!(notion.trips_left(), 0);
}

#[tokio::test]
async fn what_only_notion_understands_is_taken_out_of_its_markdown() {
    let (notion, client, _) = open().await;
    let id = notion.page("Own", &json!([]));
    notion.markdown(&id, "# Ціна \\$5 {color=\"red\"}\n![схема](https://s3.example/?sig=1)", false);
    assert_eq!(client.read_page(&id).await.unwrap().text, "# Ціна $5\n[media: схема]");
}

#[tokio::test]
async fn other_pages_and_databases_inside_are_named_and_not_entered() {
    let (notion, client, _) = open().await;
    notion.without_markdown();
    let inside = json!([
        { "child_page": { "title": "Other" }, "children": [paragraph("secret")] },
        { "child_database": { "title": "Plan" }, "children": [paragraph("rows")] },
    ]);
    let id = notion.page("Outer", &inside);
    assert_eq!(client.read_page(&id).await.unwrap().text, "[Other]\n\n[Plan]");
    assert_eq!(notion.asked().last().unwrap(), "GET /v1/blocks/:id/children");
    assert_eq!(notion.asked().len(), 3, "head, no Markdown, one list");
}

#[tokio::test]
async fn what_a_limit_cuts_is_said() {
    let usual = Limits::usual();
    let deep = json!([item("one", json!([item("two", json!([item("three", json!([]))]))]))]);
    let cases = [
        (Limits { depth_max: 2, ..usual }, deep.clone(), "- one\n  - two"),
        (Limits { blocks_max: 2, ..usual }, deep, "- one\n  - two"),
        (Limits { blocks_max: 1, ..usual }, json!([paragraph("a"), paragraph("b")]), "a"),
        (Limits { text_bytes_max: 3, ..usual }, json!([paragraph("тут")]), "т"),
    ];
    for (limits, blocks, expected) in cases {
        let (notion, client, _) = open_with(limits).await;
        notion.without_markdown();
        let id = notion.page("Limits", &blocks);
        let page = client.read_page(&id).await.unwrap();
        assert_eq!((page.text.as_str(), page.truncated), (expected, true));
    }
}

#[tokio::test]
async fn nt_05_a_read_ends_with_its_time() {
    assert_eq!(Limits::usual().total_time_max, Duration::from_secs(15));
    let short = Duration::from_millis(60);
    let limits = Limits { total_time_max: short, try_time_max: short, ..Limits::usual() };
    let (notion, client, clock) = open_with(limits).await;
    let id = notion.page("Slow", &json!([]));
    let gate = Gate::new();
    notion.trip("GET /v1/pages", Trip::Silent(gate.clone()));

    let fault = client.read_page(&id).await.unwrap_err();

    assert_eq!(fault.kind, Kind::TimedOut);
    assert_eq!(fault.kind.word(), "notion_timeout");
    assert_eq!(clock.waits(), [0; 0], "a wait of half a second would be beyond the limit");
    gate.open();
}

#[tokio::test]
async fn nt_05_waits_count_into_the_time() {
    let (notion, client, clock) = open().await;
    let id = notion.page("Busy", &json!([]));
    for _ in 0..3 {
        let busy = Trip::Says { status: 429, code: "rate_limited", retry_after: Some(8) };
        notion.trip("GET /v1/pages/:id", busy);
    }
    let fault = client.read_page(&id).await.unwrap_err();
    assert_eq!(fault.kind, Kind::RateLimited);
    assert_eq!(clock.waits(), [8_000], "8 and 8 seconds are more than 15");
    assert_eq!(fault.retry_after, Some(Duration::from_secs(8)));
}
