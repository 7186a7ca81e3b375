//! The client and a test server: streams, retries, limits, what is sent.

use std::fs;
use std::time::Duration;

use contract::{
    Delta, FaultKind, Model, ModelFault, Part, Reply, Request, Rung, StopReason, StructuredReply,
    Wire,
};
use models::{Client, Limits, Provider};
use serde_json::json as value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::conversation::{model, model_at, provider, shaped, user, with_results};
use crate::goldens;
use crate::server::{
    ReceivedRequest, Server, ServerAction, answer, cut_stream, hanging_stream, json, line, stream,
};

struct Asked {
    reply: Result<Reply, ModelFault>,
    deltas: Vec<Delta>,
    requests: Vec<ReceivedRequest>,
    waits: Vec<u128>,
}

async fn ask_with(
    wire: Wire,
    request: &Request,
    limits: Limits,
    deeds: Vec<ServerAction>,
) -> Asked {
    let server = Server::new(deeds).await;
    let (line, clock) = line(limits);
    let provider = Provider { base_url: server.address.clone(), ..provider(wire) };
    let client = Client::over(line, provider, model(wire)).unwrap();
    let mut deltas = Vec::new();
    let reply = client.ask(request, &mut |delta| deltas.push(delta)).await;
    Asked { reply, deltas, requests: server.requests(), waits: clock.waits() }
}

async fn ask(wire: Wire, request: &Request, deeds: Vec<ServerAction>) -> Asked {
    ask_with(wire, request, Limits::usual(), deeds).await
}

fn hello() -> Request {
    Request { messages: vec![user("Hello")], ..Request::default() }
}

fn recording(wire: Wire, name: &str) -> String {
    let path = goldens::folder("recordings").join(wire.as_str()).join(name);
    fs::read_to_string(path).unwrap()
}

fn well() -> ServerAction {
    stream(&recording(Wire::Anthropic, "keep_alives.sse"))
}

#[tokio::test]
async fn every_wire_works_end_to_end() {
    for (wire, name, path) in [
        (Wire::Anthropic, "thinking_text_two_calls.sse", "POST /v1/messages"),
        (Wire::Chat, "reasoning_text_two_calls.sse", "POST /chat/completions"),
        (Wire::Responses, "reasoning_text_two_calls.sse", "POST /responses"),
        (
            Wire::Gemini,
            "thoughts_text_two_calls.sse",
            "POST /models/gemini-3-pro:streamGenerateContent?alt=sse",
        ),
    ] {
        let asked = ask(wire, &with_results(), vec![stream(&recording(wire, name))]).await;
        let reply = asked.reply.unwrap();
        let calls: Vec<_> = reply.calls().map(|call| (call.tool.as_str(), &call.args)).collect();
        assert_eq!(calls.len(), 2, "{wire}");
        assert_eq!(calls[0], ("get_weather", &value!({ "city": "Paris" })), "{wire}");
        assert_eq!(reply.stop, StopReason::ToolUse, "{wire}");
        assert_eq!(asked.requests[0].line, path);
        let natives = reply.blocks.iter().filter_map(|block| block.native.as_ref());
        assert!(natives.clone().count() > 0 && natives.clone().all(|n| n.from == model_at(wire)));
        assert!(asked.deltas.iter().any(|delta| matches!(delta, Delta::CallBegun { .. })));
    }
}

#[tokio::test]
async fn keys_are_sent_only_in_headers() {
    for wire in Wire::ALL {
        let asked = ask(*wire, &hello(), vec![json("401 Unauthorized", "", "{}")]).await;
        let request = &asked.requests[0];
        let (name, key) = match wire {
            Wire::Gemini => ("x-goog-api-key", "sk-test-key"),
            Wire::Anthropic | Wire::Chat | Wire::Responses => {
                ("authorization", "bearer sk-test-key")
            }
        };
        assert_eq!(request.header(name).as_deref(), Some(key), "{wire}");
        assert!(!request.line.contains("sk-test-key") && !request.body.contains("sk-test-key"));
        let version = request.header("anthropic-version");
        assert_eq!(version.is_some(), *wire == Wire::Anthropic);
        assert_eq!(version.unwrap_or_else(|| "2026-10-21".to_owned()), "2026-10-21");
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_the_time_it_requests() {
    let busy = json("429 Too Many Requests", "retry-after: 7\r\n", "{}");
    let down = json("529 Overloaded", "", "{}");
    let asked = ask(Wire::Anthropic, &hello(), vec![busy, down, well()]).await;
    assert_eq!(asked.reply.unwrap().text(), "Well.");
    assert_eq!(asked.waits, [7_000, 1_000]);
    let bodies: Vec<_> = asked.requests.iter().map(|request| &request.body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]) && bodies.len() == 3);
}

#[tokio::test]
async fn retries_are_limited_and_the_fault_says_when_to_retry() {
    let busy = || json("429 Too Many Requests", "retry-after: 7\r\n", "{}");
    let asked = ask(Wire::Anthropic, &hello(), vec![busy(), busy(), busy()]).await;
    let fault = asked.reply.unwrap_err();
    assert_eq!(fault.kind, FaultKind::RateLimited);
    assert_eq!(fault.retry_after, Some(Duration::from_secs(7)));
    assert_eq!(asked.requests.len(), 3);
}

#[tokio::test]
async fn a_final_refusal_is_not_retried() {
    for (status, headers) in [
        ("429 Too Many Requests", ""),
        ("503 Unavailable", "x-should-retry: false\r\n"),
        ("400 Bad Request", ""),
        ("429 Too Many Requests", "retry-after: 4000\r\n"),
    ] {
        let asked = ask(Wire::Anthropic, &hello(), vec![json(status, headers, "{}")]).await;
        assert!(asked.reply.is_err());
        assert_eq!(asked.waits, [0; 0], "{status} {headers}");
    }
}

#[tokio::test]
async fn a_started_answer_is_not_retried() {
    let cut = cut_stream(&recording(Wire::Anthropic, "cut_between_events.sse"));
    let asked = ask(Wire::Anthropic, &hello(), vec![cut, well()]).await;
    assert_eq!(asked.reply.unwrap_err().kind, FaultKind::Truncated);
    assert_eq!((asked.requests.len(), asked.deltas.len()), (1, 2));
    let overloaded = stream(&recording(Wire::Anthropic, "overload_mid_stream.sse"));
    let asked = ask(Wire::Anthropic, &hello(), vec![overloaded, well()]).await;
    let fault = asked.reply.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Overloaded);
    assert!(fault.kind.is_retryable());
    assert_eq!(asked.requests.len(), 1);
}

#[tokio::test]
async fn an_answer_that_has_not_started_is_retried() {
    let asked = ask(Wire::Anthropic, &hello(), vec![cut_stream(": hello\n\n"), well()]).await;
    assert_eq!(asked.reply.unwrap().text(), "Well.");
    assert_eq!(asked.waits, [500]);
    let closed = ServerAction::Cut(String::new());
    let asked = ask(Wire::Anthropic, &hello(), vec![closed, well()]).await;
    assert_eq!(asked.reply.unwrap().text(), "Well.");
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_end_loses_nothing() {
    let cut = cut_stream(&recording(Wire::Chat, "no_done.sse"));
    let asked = ask(Wire::Chat, &hello(), vec![cut]).await;
    assert_eq!(asked.reply.unwrap().text(), "Fine.");
}

#[tokio::test]
async fn an_error_before_the_first_event_is_retried() {
    let limited = stream(&recording(Wire::Chat, "rate_limit_frame.sse"));
    let fine = stream(&recording(Wire::Chat, "no_done.sse"));
    let asked = ask(Wire::Chat, &hello(), vec![limited, fine]).await;
    assert_eq!(asked.reply.unwrap().text(), "Fine.");
    assert_eq!(asked.waits, [500]);
}

#[tokio::test]
async fn an_unstreamed_reply_to_a_stream_request_is_read() {
    for (wire, name) in [
        (Wire::Anthropic, "thinking_text_two_calls.whole.json"),
        (Wire::Chat, "reasoning_text_two_calls.whole.json"),
        (Wire::Responses, "reasoning_text_two_calls.whole.json"),
        (Wire::Gemini, "thoughts_text_two_calls.whole.json"),
    ] {
        let asked = ask(wire, &hello(), vec![json("200 OK", "", &recording(wire, name))]).await;
        assert_eq!(asked.reply.unwrap().calls().count(), 2, "{wire}");
    }
}

#[tokio::test]
async fn silence_times_out_before_and_during_an_answer() {
    let limits =
        Limits { idle_time_max: Duration::from_millis(60), retries_max: 0, ..Limits::usual() };
    let begun = recording(Wire::Anthropic, "cut_between_events.sse");
    for action in [ServerAction::Hang(String::new()), hanging_stream(&begun)] {
        let asked = ask_with(Wire::Anthropic, &hello(), limits, vec![action]).await;
        assert_eq!(asked.reply.unwrap_err().kind, FaultKind::TimedOut);
    }
    let limits = Limits { total_time_max: Duration::from_millis(60), ..Limits::usual() };
    let asked =
        ask_with(Wire::Anthropic, &hello(), limits, vec![ServerAction::Hang(String::new())]).await;
    let fault = asked.reply.unwrap_err();
    assert_eq!(fault.message, "anthropic did not finish its answer within 60 ms");
}

#[tokio::test]
async fn a_server_that_sends_the_last_event_need_not_close_the_connection() {
    let hanging = hanging_stream(&recording(Wire::Anthropic, "keep_alives.sse"));
    let asked = ask(Wire::Anthropic, &hello(), vec![hanging]).await;
    assert_eq!(asked.reply.unwrap().text(), "Well.");
}

#[tokio::test]
async fn dropping_a_request_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let (line, _) = line(Limits::usual());
    let provider = Provider { base_url, ..provider(Wire::Anthropic) };
    let client = Client::over(line, provider, model(Wire::Anthropic)).unwrap();
    let request = hello();
    let mut silent = |_| {};
    let mut asking = client.ask(&request, &mut silent);
    let accepted = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 4]).await.unwrap();
        stream
    };
    let mut stream = tokio::select! {
        stream = accepted => stream,
        _ = &mut asking => panic!("the request ended early"),
    };
    drop(asking);
    // Ends only when the client has closed the connection.
    stream.read_to_end(&mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn sizes_are_limited() {
    let limits = Limits { frame_bytes_max: 200, ..Limits::usual() };
    let asked = ask_with(Wire::Anthropic, &hello(), limits, vec![well()]).await;
    assert_eq!(asked.reply.unwrap_err().kind, FaultKind::TooLarge);
    let limits = Limits { reply_bytes_max: 500, ..Limits::usual() };
    let asked = ask_with(Wire::Anthropic, &hello(), limits, vec![well()]).await;
    let fault = asked.reply.unwrap_err();
    assert_eq!(fault.message, "anthropic: the answer has more than 500 bytes");
    let limits = Limits { request_bytes_max: 10, ..Limits::usual() };
    let asked = ask_with(Wire::Anthropic, &hello(), limits, vec![]).await;
    assert_eq!(asked.reply.unwrap_err().kind, FaultKind::TooLarge);
    let huge = json("400 Bad Request", "", &"x".repeat(200_000));
    let asked = ask(Wire::Anthropic, &hello(), vec![huge]).await;
    assert!(asked.reply.unwrap_err().message.len() < 1_000);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let away = answer("307 Temporary Redirect", "location: http://127.0.0.1:9/evil\r\n", "");
    let asked = ask(Wire::Anthropic, &hello(), vec![away]).await;
    let fault = asked.reply.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unreachable);
    assert!(fault.message.contains("http://127.0.0.1:9/evil"), "{fault}");
}

fn anthropic_text(text: &str, stop: &str) -> String {
    let reply = value!({
        "type": "message", "model": "claude-haiku-5-5", "stop_reason": stop,
        "content": [{ "type": "thinking", "thinking": "{}", "signature": "s" },
                    { "type": "text", "text": text }],
    });
    reply.to_string()
}

async fn shaped_by(rung: Rung, reply: String) -> StructuredReply {
    let asked = ask(Wire::Anthropic, &shaped(rung), vec![json("200 OK", "", &reply)]).await;
    asked.reply.unwrap().shaped.unwrap()
}

/// On the wire the map is a list of pairs; the caller gets a map.
#[tokio::test]
async fn a_native_structured_answer_is_found_by_type_and_decoded() {
    let text = r#"{"cards":[{"front":"a","back":"b"}],"tags":[{"key":"x","value":1}]}"#;
    let shaped = shaped_by(Rung::Native, anthropic_text(text, "end_turn")).await;
    let whole = value!({ "cards": [{ "front": "a", "back": "b" }], "tags": { "x": 1 } });
    assert_eq!(shaped, StructuredReply::Whole(whole));
}

#[tokio::test]
async fn a_truncated_structured_answer_keeps_complete_elements() {
    let text = r#"{"cards":[{"front":"a","back":"b"},{"front":"c","ba"#;
    let complete = value!({ "cards": [{ "front": "a", "back": "b" }] });
    let torn = StructuredReply::Torn { complete, text: text.to_owned() };
    assert_eq!(shaped_by(Rung::Native, anthropic_text(text, "max_tokens")).await, torn);
    let stream = recording(Wire::Anthropic, "max_tokens_before_arguments.sse")
        .replace("get_time", "cards")
        .replacen(r#""partial_json":"""#, &format!(r#""partial_json":{}"#, value!(text)), 1);
    let asked = ask(Wire::Anthropic, &shaped(Rung::Forced), vec![self::stream(&stream)]).await;
    let reply = asked.reply.unwrap();
    assert!(matches!(reply.blocks[0].part, Part::TornCall { .. }));
    assert_eq!(reply.shaped, Some(torn));
}

#[tokio::test]
async fn a_native_structured_answer_may_follow_other_text() {
    let reply = value!({
        "type": "message", "model": "claude-haiku-5-5", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "Here:" }, { "type": "text", "text": "{\"cards\":[]}" }],
    });
    let shaped = shaped_by(Rung::Native, reply.to_string()).await;
    assert_eq!(shaped, StructuredReply::Whole(value!({ "cards": [] })));
}

#[tokio::test]
async fn a_structured_answer_may_be_missing_or_invalid() {
    let text = "I would rather not.";
    let missing = shaped_by(Rung::Automatic, anthropic_text(text, "end_turn")).await;
    assert_eq!(missing, StructuredReply::Missing);
    let shaped = shaped_by(Rung::Native, anthropic_text(text, "end_turn")).await;
    assert!(matches!(shaped, StructuredReply::NotJson { text: said, .. } if said == text));
}

#[tokio::test]
async fn a_structured_answer_may_be_a_tool_call() {
    let reply = value!({
        "type": "message", "model": "claude-haiku-5-5", "stop_reason": "tool_use",
        "content": [{ "type": "text", "text": "Here." }, { "type": "tool_use", "id": "t1",
            "name": "cards", "input": { "cards": [], "tags": [{ "key": "x", "value": 1 }] } }],
    });
    for rung in [Rung::Forced, Rung::Automatic] {
        let shaped = shaped_by(rung, reply.to_string()).await;
        assert_eq!(shaped, StructuredReply::Whole(value!({ "cards": [], "tags": { "x": 1 } })));
    }
}
