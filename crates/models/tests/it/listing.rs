//! The models a provider lists, page by page.

use contract::{FaultKind, Wire};
use models::{Limits, Provider, list_models};

use crate::conversation::provider;
use crate::server::{Server, ServerAction, answer, json, line};

async fn listed(
    wire: Wire,
    deeds: Vec<ServerAction>,
) -> (Result<Vec<String>, FaultKind>, Vec<String>) {
    let server = Server::new(deeds).await;
    let provider = Provider { base_url: server.address.clone(), ..provider(wire) };
    let (line, _) = line(Limits { retries_max: 0, ..Limits::usual() });
    let models = list_models(&line, &provider).await.map_err(|fault| fault.kind);
    let names = models.map(|models| models.into_iter().map(|model| model.name).collect());
    (names, server.requests().into_iter().map(|request| request.line).collect())
}

#[tokio::test]
async fn pages_are_followed() {
    let first = json(
        "200 OK",
        "",
        r#"{"data":[{"id":"claude-a","display_name":"A"}],"has_more":true,"last_id":"claude-a"}"#,
    );
    let last =
        json("200 OK", "", r#"{"data":[{"id":"claude-b"}],"has_more":false,"last_id":"claude-b"}"#);
    let (names, asked) = listed(Wire::Anthropic, vec![first, last]).await;
    assert_eq!(names.unwrap(), ["claude-a", "claude-b"]);
    assert_eq!(asked, ["GET /v1/models?limit=1000", "GET /v1/models?limit=1000&after_id=claude-a"]);
    let first =
        json("200 OK", "", r#"{"models":[{"name":"models/gemini-a"}],"nextPageToken":"t=1"}"#);
    let last = json("200 OK", "", r#"{"models":[{"name":"models/gemini-b"}]}"#);
    let (names, asked) = listed(Wire::Gemini, vec![first, last]).await;
    assert_eq!(names.unwrap(), ["gemini-a", "gemini-b"]);
    assert_eq!(asked[1], "GET /models?pageSize=1000&pageToken=t=1");
}

#[tokio::test]
async fn the_fault_says_why_a_provider_cannot_be_used() {
    let (names, asked) =
        listed(Wire::Chat, vec![json("200 OK", "", r#"{"data":[{"id":"qwen"}]}"#)]).await;
    assert_eq!((names.unwrap(), asked[0].as_str()), (vec!["qwen".to_owned()], "GET /models"));
    for (action, kind) in [
        (json("401 Unauthorized", "", "{}"), FaultKind::WrongKey),
        (json("200 OK", "", "{}"), FaultKind::Unreachable),
        (answer("200 OK", "content-type: text/html\r\n", "<html>"), FaultKind::Unreachable),
        (ServerAction::Cut(String::new()), FaultKind::Unreachable),
    ] {
        let (names, _) = listed(Wire::Chat, vec![action]).await;
        assert_eq!(names, Err(kind));
    }
}
