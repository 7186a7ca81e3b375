//! NT-09, NT-10: waits as Notion asks, and never creates a second page.

use std::time::Duration;

use pen::notion::{Kind, Limits, Parent, Write};
use serde_json::json;
use testkit::Gate;
use testkit::notion::{FakeNotion, Trip};

use crate::writing::{calendar, post};
use crate::{open, open_with};

fn says(status: u16, code: &'static str, retry_after: Option<u32>) -> Trip {
    Trip::Says { status, code, retry_after }
}

#[tokio::test]
async fn nt_09_retry_after_is_honoured_once_and_the_page_written() {
    let (notion, client, clock) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    notion.trip("POST /v1/pages", says(429, "rate_limited", Some(2)));
    client.write_page(&post(&database, "Текст")).await.unwrap();
    assert_eq!(clock.waits(), [2_000]);
    assert_eq!(notion.made().len(), 1);
}

#[tokio::test]
async fn nt_09_a_wait_beyond_the_budget_is_told_at_once() {
    let (notion, client, clock) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    notion.trip("POST /v1/pages", says(429, "rate_limited", Some(90)));
    let fault = client.write_page(&post(&database, "Текст")).await.unwrap_err();
    assert_eq!(fault.kind.word(), "notion_rate_limited");
    assert_eq!(fault.retry_after, Some(Duration::from_secs(90)));
    assert_eq!(clock.waits(), [0; 0]);
    assert_eq!(notion.made().len(), 0);
}

#[tokio::test]
async fn a_clear_no_is_asked_again_at_most_twice() {
    for (status, code) in [(409, "conflict_error"), (529, "service_overload")] {
        let (notion, client, clock) = open().await;
        let (database, _) = notion.database(&[("Plan", calendar())]);
        notion.trip("POST /v1/pages", says(status, code, None));
        notion.trip("POST /v1/pages", says(status, code, None));
        client.write_page(&post(&database, "Текст")).await.unwrap();
        assert_eq!(clock.waits(), [1_000, 2_000]);
        assert_eq!(notion.made().len(), 1);

        (0..3).for_each(|_| notion.trip("POST /v1/pages", says(status, code, None)));
        let fault = client.write_page(&post(&database, "Текст")).await.unwrap_err();
        assert!(matches!(fault.kind, Kind::Conflict | Kind::Unavailable), "{fault}");
        assert_eq!(notion.made().len(), 1);
        assert_eq!(notion.trips_left(), 0);
    }
}

#[tokio::test]
async fn nt_10_a_page_whose_answer_was_lost_is_found_and_not_made_again() {
    for trip in [Trip::AnswerLost, Trip::DoneButSays { status: 502 }] {
        let (notion, client, _) = open().await;
        let (database, _) = notion.database(&[("Plan", calendar())]);
        // A page of that title is there already, and is not the one.
        let first = client.write_page(&post(&database, "Перший")).await.unwrap();
        notion.trip("POST /v1/pages", trip);

        let second = client.write_page(&post(&database, "Другий")).await.unwrap();

        let made = notion.made();
        assert_eq!(made.len(), 2);
        assert_ne!(first.id, second.id);
        assert_eq!(second.id.as_str(), made[1].id);
        assert!(second.url.contains(&made[1].id.replace('-', "")));
        assert_eq!(made[1].texts(), ["Другий"]);
    }
}

#[tokio::test]
async fn nt_10_a_page_that_was_not_made_is_made_once() {
    for trip in [Trip::RequestLost, says(500, "internal_server_error", None)] {
        let (notion, client, clock) = open().await;
        let (database, _) = notion.database(&[("Plan", calendar())]);
        notion.trip("POST /v1/pages", trip);
        client.write_page(&post(&database, "Текст")).await.unwrap();
        assert_eq!(notion.made().len(), 1);
        assert_eq!(clock.waits(), [1_000]);
        let looked = notion.asked();
        let looked = looked.iter().filter(|asked| asked.ends_with("/query")).count();
        assert_eq!(looked, 2, "before the first try and before the second");
    }
}

#[tokio::test]
async fn nt_10_below_a_page_the_lost_page_is_found_too() {
    let (notion, client, _) = open().await;
    let above = notion.page("Нотатки", &json!([]));
    let write = Write { parent: Parent::Page(above), ..post("", "Текст") };
    client.write_page(&write).await.unwrap();
    notion.trip("POST /v1/pages", Trip::AnswerLost);
    let second = client.write_page(&write).await.unwrap();
    let made = notion.made();
    assert_eq!(made.len(), 2);
    assert_eq!(second.id.as_str(), made[1].id);
}

/// Long enough for everything but the one request that is never answered.
const TRY: Limits = Limits { try_time_max: Duration::from_secs(5), ..Limits::usual() };

fn posts(notion: &FakeNotion) -> usize {
    notion.asked().iter().filter(|asked| *asked == "POST /v1/pages").count()
}

#[tokio::test]
async fn nt_10_a_page_that_was_made_in_silence_is_found() {
    let (notion, client, _) = open_with(TRY).await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let gate = Gate::new();
    notion.trip("POST /v1/pages", Trip::DoneButSilent(gate.clone()));

    let written = client.write_page(&post(&database, "Текст")).await.unwrap();

    assert_eq!(written.id.as_str(), notion.made()[0].id);
    assert_eq!((notion.made().len(), posts(&notion)), (1, 1));
    gate.open();
}

#[tokio::test]
async fn nt_10_after_a_timeout_a_page_that_is_not_found_is_not_made_again() {
    let (notion, client, _) = open_with(TRY).await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    let gate = Gate::new();
    notion.trip("POST /v1/pages", Trip::Silent(gate.clone()));

    let fault = client.write_page(&post(&database, "Текст")).await.unwrap_err();

    assert_eq!(fault.kind.word(), "notion_unsure");
    assert!(fault.fix.contains("check Notion before"), "{fault}");
    assert_eq!((notion.made().len(), posts(&notion)), (0, 1), "it may still be made");
    gate.open();
}

#[tokio::test]
async fn nt_10_who_may_not_look_does_not_repeat() {
    let (notion, client, _) = open().await;
    let (database, _) = notion.database(&[("Plan", calendar())]);
    notion.trip("POST /v1/data_sources/:id/query", says(403, "restricted_resource", None));
    notion.trip("POST /v1/pages", Trip::AnswerLost);
    let fault = client.write_page(&post(&database, "Текст")).await.unwrap_err();
    assert_eq!(fault.kind, Kind::Unsure);
    assert_eq!(notion.made().len(), 1);
}

#[tokio::test]
async fn nt_10_paragraphs_whose_answer_was_lost_are_not_written_twice() {
    let text = (0..250).map(|number| format!("Абзац {number}")).collect::<Vec<_>>();
    let trips = [
        Trip::AnswerLost,
        Trip::RequestLost,
        Trip::DoneButSays { status: 504 },
        says(429, "rate_limited", Some(1)),
    ];
    for trip in trips {
        let (notion, client, _) = open().await;
        let (database, _) = notion.database(&[("Plan", calendar())]);
        notion.trip("PATCH /v1/blocks", trip.clone());
        client.write_page(&post(&database, &text.join("\n\n"))).await.unwrap();
        assert_eq!(notion.made()[0].texts(), text, "{trip:?}");
    }
}
