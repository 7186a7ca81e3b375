//! Batches: created once, found by their id, read with the usual decoders.

use contract::{FaultKind, Rung, StopReason, StructuredReply, Wire};
use models::{BatchId, BatchRequest, BatchState, Client, Limits, Provider};
use serde_json::json as value;

use crate::conversation::{model, provider, shaped, with_results};
use crate::server::{ReceivedRequest, Server, ServerAction, answer, json, line};

async fn client(wire: Wire, deeds: Vec<ServerAction>) -> (Client, Server) {
    let server = Server::new(deeds).await;
    let provider = Provider { base_url: server.address.clone(), ..provider(wire) };
    let (line, _) = line(Limits::usual());
    (Client::over(line, provider, model(wire)).unwrap(), server)
}

fn requests() -> Vec<BatchRequest> {
    let named = |name: &str, request| BatchRequest { name: name.to_owned(), request };
    vec![
        named("talk", with_results()),
        named("cards", shaped(Rung::Native)),
        named("late", with_results()),
        named("lost", with_results()),
    ]
}

fn lines(requests: &[ReceivedRequest]) -> Vec<&str> {
    requests.iter().map(|request| request.line.as_str()).collect()
}

#[tokio::test]
async fn anthropic_from_submit_to_results() {
    let results = [
        value!({ "custom_id": "cards", "result": { "type": "succeeded", "message": {
            "type": "message", "model": "claude-haiku-5-5", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": "{\"cards\":[]}" }] } } }),
        value!({ "custom_id": "talk", "result": { "type": "errored", "error": {
            "type": "error", "error": { "type": "invalid_request_error", "message": "no" } } } }),
        value!({ "custom_id": "late", "result": { "type": "expired" } }),
        value!({ "custom_id": "foreign", "result": { "type": "expired" } }),
    ];
    let results: Vec<_> = results.iter().map(ToString::to_string).collect();
    let deeds = vec![
        json("529 Overloaded", "", "{}"),
        json("200 OK", "", r#"{"id":"msgbatch_1","processing_status":"in_progress"}"#),
        json(
            "200 OK",
            "",
            r#"{"id":"msgbatch_1","processing_status":"in_progress","request_counts":{"processing":3,"succeeded":1,"errored":0,"canceled":0,"expired":0}}"#,
        ),
        json("200 OK", "", r#"{"id":"msgbatch_1","processing_status":"canceling"}"#),
        json("200 OK", "", r#"{"id":"msgbatch_1","processing_status":"ended"}"#),
        answer("200 OK", "content-type: application/binary\r\n", &results.join("\n")),
    ];
    let (client, server) = client(Wire::Anthropic, deeds).await;
    let batches = client.batches().unwrap();
    let id = batches.submit(&requests()).await.unwrap();
    assert_eq!(id, BatchId("msgbatch_1".to_owned()));
    assert_eq!(batches.poll(&id).await.unwrap(), BatchState::AtWork { done: 1, total: 4 });
    batches.cancel(&id).await.unwrap();
    assert_eq!(batches.poll(&id).await.unwrap(), BatchState::Ended);
    let results = batches.results(&id, &requests()).await.unwrap();
    let names: Vec<_> = results.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(names, ["talk", "cards", "late", "lost"]);
    let cards = results[1].answer.as_ref().unwrap();
    assert_eq!(cards.shaped, Some(StructuredReply::Whole(value!({ "cards": [] }))));
    let fault = |index: usize| results[index].answer.as_ref().unwrap_err();
    assert_eq!(fault(0).kind, FaultKind::BadRequest);
    assert!(fault(2).message.ends_with("it is expired"), "{}", fault(2));
    assert!(fault(3).message.ends_with("it was not run"), "{}", fault(3));
    let requests = server.requests();
    assert_eq!(
        lines(&requests)[1..],
        [
            "POST /v1/messages/batches",
            "GET /v1/messages/batches/msgbatch_1",
            "POST /v1/messages/batches/msgbatch_1/cancel",
            "GET /v1/messages/batches/msgbatch_1",
            "GET /v1/messages/batches/msgbatch_1/results",
        ]
    );
    let sent = &requests[1].json()["requests"][0];
    assert_eq!(sent["custom_id"], "talk");
    assert_eq!(sent["params"].get("stream"), None);
    assert_eq!(sent["params"]["model"], "claude-haiku-5-5");
}

#[tokio::test]
async fn openai_from_file_to_file() {
    let good = value!({ "id": "b1", "custom_id": "talk", "error": null, "response": {
        "status_code": 200, "request_id": "r", "body": {
            "id": "resp_1", "status": "completed", "model": "gpt-5", "output": [
                { "type": "message", "role": "assistant", "content": [
                    { "type": "output_text", "text": "Fine." }] }] } } });
    let bad = value!({ "id": "b2", "custom_id": "cards", "error": null, "response": {
        "status_code": 404, "request_id": "r", "body": { "error": { "message": "no such model" } } } });
    let late = value!({ "id": "b3", "custom_id": "late", "response": null,
        "error": { "code": "batch_expired", "message": "the window closed" } });
    let deeds = vec![
        json("200 OK", "", r#"{"id":"file-1"}"#),
        json("200 OK", "", r#"{"id":"batch_1","status":"validating"}"#),
        json(
            "200 OK",
            "",
            r#"{"id":"batch_1","status":"failed","errors":{"data":[{"message":"line 1 is wrong"}]}}"#,
        ),
        json(
            "200 OK",
            "",
            r#"{"id":"batch_1","status":"completed","output_file_id":"file-2","error_file_id":"file-3"}"#,
        ),
        answer("200 OK", "", &format!("{good}\n")),
        answer("200 OK", "", &format!("{bad}\n{late}\n")),
    ];
    let (client, server) = client(Wire::Responses, deeds).await;
    let batches = client.batches().unwrap();
    let id = batches.submit(&requests()).await.unwrap();
    let why = "line 1 is wrong".to_owned();
    assert_eq!(batches.poll(&id).await.unwrap(), BatchState::Refused { why });
    let results = batches.results(&id, &requests()).await.unwrap();
    let first = results[0].answer.as_ref().unwrap();
    assert_eq!((first.text(), &first.stop), ("Fine.".to_owned(), &StopReason::EndTurn));
    let kinds: Vec<_> =
        results[1..].iter().map(|result| result.answer.as_ref().unwrap_err().kind).collect();
    assert_eq!(kinds, [FaultKind::UnknownModel, FaultKind::Truncated, FaultKind::Truncated]);
    let requests = server.requests();
    let asked = ["POST /files", "POST /batches", "GET /batches/batch_1", "GET /batches/batch_1"];
    assert_eq!(lines(&requests)[..4], asked);
    assert_eq!(lines(&requests)[4..], ["GET /files/file-2/content", "GET /files/file-3/content"]);
    assert!(
        requests[0].body.contains(r#""custom_id":"talk","method":"POST","url":"/v1/responses""#)
    );
    let made = value!({ "input_file_id": "file-1", "endpoint": "/v1/responses", "completion_window": "24h" });
    assert_eq!(requests[1].json(), made);
}

#[tokio::test]
async fn a_batch_is_not_created_twice_when_the_connection_breaks() {
    let (client, server) = client(Wire::Anthropic, vec![ServerAction::Cut(String::new())]).await;
    let fault = client.batches().unwrap().submit(&requests()).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unreachable);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_invalid_batch_is_not_sent() {
    let (client, server) = client(Wire::Anthropic, vec![]).await;
    let batches = client.batches().unwrap();
    let named = |names: &[&str]| -> Vec<BatchRequest> {
        let named =
            |name: &&str| BatchRequest { name: (*name).to_owned(), request: with_results() };
        names.iter().map(named).collect()
    };
    for names in [&[][..], &["a", "a"], &["a b"], &[""]] {
        let fault = batches.submit(&named(names)).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadRequest, "{names:?}");
    }
    let fault = batches.poll(&BatchId("../../v1/keys".to_owned())).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadRequest);
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn gemini_has_no_batches_here() {
    let (client, _server) = client(Wire::Gemini, vec![]).await;
    assert!(client.batches().is_err());
}
