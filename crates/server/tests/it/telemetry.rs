//! OpenTelemetry: the spans that a collector gets, and what they never contain.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::Secret;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use server::{Content, Telemetry};
use testkit::script::{ScriptedModel, calls, says};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::support::test_server::{World, answered, begin};

/// A collector on this machine: what it receives, with the path and the key.
async fn collector() -> (String, mpsc::UnboundedReceiver<(String, String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let sender = sender.clone();
            let take = service_fn(move |request: Request<Incoming>| {
                let sender = sender.clone();
                async move {
                    let (head, body) = request.into_parts();
                    let body = body.collect().await.unwrap().to_bytes();
                    let key = head.headers["x-key"].to_str().unwrap().to_owned();
                    let body = serde_json::from_slice(&body).unwrap();
                    sender.send((head.uri.path().to_owned(), key, body)).unwrap();
                    Ok::<_, hyper::Error>(Response::new(Full::new(Bytes::from("{}"))))
                }
            });
            let serving = hyper::server::conn::http1::Builder::new();
            tokio::spawn(serving.serve_connection(TokioIo::new(socket), take));
        }
    });
    (endpoint, received)
}

fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let all = span["attributes"].as_array().unwrap().iter();
    all.map(|one| (one["key"].as_str().unwrap().to_owned(), one["value"].clone())).collect()
}

/// The spans of one turn with two calls.
async fn spans_of(content: Content) -> Vec<Value> {
    let (endpoint, mut received) = collector().await;
    let mut world = World::new();
    let headers = vec![("x-key".to_owned(), Secret::new("a key"))];
    world.telemetry = Some(Telemetry { endpoint, headers, content });
    let model = Arc::new(ScriptedModel::new([
        calls("speak", json!({"text": "private words"})).calls("nowhere", json!({})),
        says("A private answer."),
    ]));
    let served = world.serve(&model).await;
    let path = begin(&served.client).await;
    answered(&served.client, &path, "A private question").await;
    let (path, key, body) = received.recv().await.unwrap();
    assert_eq!((path.as_str(), key.as_str()), ("/v1/traces", "a key"));
    let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_its_answers_and_its_calls_are_spans_without_content() {
    let spans = spans_of(Content::Hidden).await;
    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let expected = [
        "chat scripted",
        "execute_tool speak",
        "execute_tool nowhere",
        "chat scripted",
        "invoke_agent ghosthand",
    ];
    assert_eq!(names, expected);
    let root = spans.last().unwrap();
    assert!(root["parentSpanId"].is_null());
    for span in &spans {
        assert_eq!(span["traceId"], root["traceId"]);
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        let time = |name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
        let fits = span == root || span["parentSpanId"] == root["spanId"];
        assert!(fits, "{span}");
    }
    let chat = attributes(&spans[0]);
    assert_eq!(chat["gen_ai.operation.name"], json!({"stringValue": "chat"}));
    assert_eq!(chat["gen_ai.provider.name"], json!({"stringValue": "script"}));
    assert!(chat["gen_ai.usage.input_tokens"]["intValue"].is_string());
    let refused = attributes(&spans[2]);
    assert_eq!(refused["gen_ai.tool.name"], json!({"stringValue": "nowhere"}));
    assert_eq!(refused["ghosthand.verdict"], json!({"stringValue": "refuse"}));
    assert_eq!(spans[2]["status"]["code"], 2);
    assert!(!attributes(&spans[1]).contains_key("error.type"));
    assert!(!format!("{spans:?}").contains("private"));
}

#[tokio::test(flavor = "multi_thread")]
async fn content_is_in_spans_only_if_the_operator_allows_it() {
    let spans = spans_of(Content::Shown).await;
    let call = attributes(&spans[1]);
    let args = call["gen_ai.tool.call.arguments"]["stringValue"].as_str().unwrap();
    assert!(args.contains("private words"));
    assert!(attributes(&spans[3]).contains_key("gen_ai.output.messages"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_collector_delays_nothing() {
    let mut world = World::new();
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    world.telemetry = Some(Telemetry { endpoint, headers: Vec::new(), content: Content::Hidden });
    let served = world.serve(&Arc::new(ScriptedModel::new([says("Yes.")]))).await;
    let path = begin(&served.client).await;
    answered(&served.client, &path, "Well?").await;
    served.end().await;
}
