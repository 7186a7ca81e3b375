//! How bytes arrive: pieces, cuts, gates, line ends.

use std::sync::Arc;

use contract::Wire;
use serde_json::json;

use super::client::{Client, HttpAnswer, WIRES, body};
use crate::Gate;
use crate::provider::{Cut, FakeProvider, Pieces, Quirk, Turn};

async fn stream(wire: Wire, turn: Turn) -> HttpAnswer {
    let provider = FakeProvider::start().await.unwrap();
    provider.then(turn);
    Client::new(&provider).ask(wire, &body(wire), true).await
}

fn turn() -> Turn {
    Turn::new().thinking("hm", "sig").text("Zürich ☂").call_as("c1", "weather", json!({ "c": 1 }))
}

#[tokio::test]
async fn pieces_do_not_change_the_bytes() {
    for wire in WIRES {
        let whole = stream(wire, turn()).await;
        let every = stream(wire, turn().pieces(Pieces::Bytes(1))).await;
        assert_eq!(whole.text(), every.text());
        assert!(every.pieces.iter().all(|piece| piece.len() == 1), "{wire:?}");
        assert_eq!(whole.pieces.len(), whole.events().len(), "{wire:?}");
        let some = stream(wire, turn().pieces(Pieces::At(vec![3, 40]))).await;
        assert_eq!(some.pieces.iter().map(Vec::len).collect::<Vec<_>>()[..2], [3, 37]);
        assert_eq!(some.text(), whole.text());
    }
}

#[tokio::test]
async fn an_answer_is_cut_where_the_script_requests_it() {
    for wire in WIRES {
        let whole = stream(wire, turn()).await.text();
        let ended = stream(wire, turn().cut(Cut::Ends(50))).await;
        assert_eq!((ended.broken, ended.text().as_bytes()), (false, &whole.as_bytes()[..50]));
        let broken = stream(wire, turn().cut(Cut::Breaks(50))).await;
        assert!(broken.broken, "{wire:?}");
    }
}

#[tokio::test]
async fn line_ends_comments_and_marks() {
    for wire in WIRES {
        let plain = stream(wire, turn()).await;
        let crlf = stream(wire, turn().quirk(Quirk::Crlf)).await;
        assert_eq!(crlf.text().replace("\r\n", "\n"), plain.text());
        assert_eq!(crlf.pieces.len(), plain.pieces.len(), "pieces still end with their frames");
        let alive = stream(wire, turn().quirk(Quirk::KeepAlive)).await.text();
        assert!(alive.contains("\n: keep-alive\n"), "{wire:?}");
        assert_eq!(alive.contains("event: ping"), wire == Wire::Anthropic);
        let marked = stream(wire, turn().quirk(Quirk::ByteOrderMark)).await.text();
        assert_eq!(marked.strip_prefix('\u{feff}'), Some(plain.text().as_str()));
    }
}

#[tokio::test]
async fn an_overload_may_come_in_the_middle() {
    for (wire, place) in [
        (Wire::Anthropic, "/error/type"),
        (Wire::Chat, "/error/code"),
        (Wire::Responses, "/code"),
        (Wire::Gemini, "/error/status"),
    ] {
        let answer = stream(wire, turn().overloaded_after(2)).await;
        assert_eq!((answer.status, answer.events().len()), (200, 3), "{}", answer.text());
        let last = answer.events().pop().unwrap();
        assert!(last.pointer(place).unwrap().is_string(), "{last}");
    }
    let provider = FakeProvider::start().await.unwrap();
    provider.then(turn().overloaded_after(2));
    let whole = Client::new(&provider).ask(Wire::Anthropic, &body(Wire::Anthropic), false).await;
    assert_eq!(whole.status, 529);
}

#[tokio::test]
async fn a_gate_holds_the_answer_until_it_is_opened() {
    let provider = FakeProvider::start().await.unwrap();
    let (head, middle) = (Gate::new(), Gate::new());
    provider.then(turn().gate(&head).gate_at(3, &middle));
    let client = Client::new(&provider);
    let asked = tokio::spawn(async move {
        client.ask(Wire::Anthropic, &body(Wire::Anthropic), true).await.events().len()
    });
    head.reached().await;
    assert!(!asked.is_finished());
    head.open();
    middle.reached().await;
    assert!(!asked.is_finished());
    middle.open();
    assert!(asked.await.unwrap() > 5);
}

#[tokio::test]
async fn a_disconnected_client_is_noticed() {
    let provider = Arc::new(FakeProvider::start().await.unwrap());
    let (head, middle) = (Gate::new(), Gate::new());
    provider.script([turn().gate(&head), turn().gate_at(2, &middle)]);
    for (gate, count) in [(head, 1), (middle, 2)] {
        let client = Client::new(&provider);
        let asked =
            tokio::spawn(
                async move { client.ask(Wire::Anthropic, &body(Wire::Anthropic), true).await },
            );
        gate.reached().await;
        asked.abort();
        provider.abandoned(count).await;
    }
    provider.assert_used_up();
}

#[tokio::test]
async fn gemini_without_sse_gives_a_list() {
    let provider = FakeProvider::start().await.unwrap();
    provider.then(turn());
    let path = "/v1beta/models/gemini-3-pro:streamGenerateContent";
    let list = Client::new(&provider).post(path, &body(Wire::Gemini)).await.json();
    assert_eq!(list.as_array().unwrap().last().unwrap()["candidates"][0]["finishReason"], "STOP");
}
