//! The scripted model as an engine sees it.

use std::sync::Arc;

use contract::{
    Block, CallId, CallResult, Delta, FaultKind, Message, Model as _, OutputSchema, Part, Request,
    Rung, StopReason, StructuredReply,
};
use serde_json::json;

use super::{ScriptedModel, Step, calls, says, thinks};
use crate::Gate;

fn question(text: &str) -> Request {
    Request { messages: vec![Message::user(vec![Block::text(text)])], ..Request::default() }
}

async fn ask(model: &ScriptedModel, request: &Request) -> (Vec<Delta>, contract::Reply) {
    let mut deltas = Vec::new();
    let reply = model.ask(request, &mut |delta| deltas.push(delta)).await.unwrap();
    (deltas, reply)
}

#[tokio::test]
async fn it_answers_in_order_and_numbers_its_calls() {
    let model = ScriptedModel::new([
        thinks("hm, two").calls("weather", json!({ "city": "Oslo" })).calls("clock", json!({})),
        calls("clock", json!({})),
        says("It rains."),
    ]);
    let (deltas, reply) = ask(&model, &question("?")).await;
    assert_eq!(reply.stop, StopReason::ToolUse);
    let ids: Vec<_> = reply.calls().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["call-1", "call-2"]);
    assert_eq!(
        deltas,
        [
            Delta::Thinking("hm, ".into()),
            Delta::Thinking("two".into()),
            Delta::CallBegun { id: CallId("call-1".into()), tool: "weather".into() },
            Delta::CallBegun { id: CallId("call-2".into()), tool: "clock".into() },
        ]
    );
    let (_, reply) = ask(&model, &question("??")).await;
    assert_eq!(reply.calls().next().unwrap().id.to_string(), "call-3");
    let (_, reply) = ask(&model, &question("???")).await;
    assert_eq!((reply.text(), reply.stop), ("It rains.".into(), StopReason::EndTurn));
    assert_eq!(model.request(2), question("???"));
    model.assert_used_up();

    let fault = model.ask(&question("!"), &mut |_| {}).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadRequest);
    assert!(fault.message.contains("request 4"), "{fault}");
}

#[tokio::test]
async fn a_closure_sees_the_request_and_the_script_goes_first() {
    let model = ScriptedModel::answering(|request| says(&request.messages.len().to_string()));
    model.then(FaultKind::Overloaded.into());
    let fault = model.ask(&question("?"), &mut |_| {}).await.unwrap_err();
    assert!(fault.kind.is_retryable());
    assert_eq!(ask(&model, &question("?")).await.1.text(), "1");
    assert_eq!(ask(&model, &question("?")).await.1.text(), "1");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn it_waits_at_a_gate_and_can_be_dropped_there() {
    let gate = Gate::new();
    let model = Arc::new(ScriptedModel::new([
        says("first ").waits(&gate).says("second"),
        says("after the cancelled one"),
    ]));
    let asked = Arc::clone(&model);
    let waiting = tokio::spawn(async move { ask(&asked, &question("?")).await.1.text() });
    gate.reached().await;
    assert!(!waiting.is_finished());
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert_eq!(ask(&model, &question("?")).await.1.text(), "after the cancelled one");

    let model = ScriptedModel::new([says("a ").waits(&gate).says("b")]);
    gate.open();
    assert_eq!(ask(&model, &question("?")).await.1.text(), "a b");
}

#[tokio::test]
async fn a_fault_follows_the_answer_so_far() {
    let fault = Step::from(FaultKind::Truncated);
    let fault = ScriptedModel::new([fault]).ask(&question("?"), &mut |_| {}).await.unwrap_err();
    let model = ScriptedModel::new([says("half").then_fails(fault.clone())]);
    let mut deltas = Vec::new();
    let got = model.ask(&question("?"), &mut |delta| deltas.push(delta)).await.unwrap_err();
    assert_eq!((got, deltas), (fault, vec![Delta::Text("half".into())]));
}

#[tokio::test]
async fn it_gives_its_answer_in_the_requested_form() {
    let check = async |step: Step, rung: Rung, expected: StructuredReply| {
        let shape = OutputSchema {
            name: "cards".parse().unwrap(),
            description: String::new(),
            schema: json!({}),
            rung,
        };
        let request = Request { shape: Some(shape), ..question("?") };
        let (_, reply) = ask(&ScriptedModel::new([step]), &request).await;
        assert_eq!(reply.shaped, Some(expected));
    };
    check(says(r#"{"a":1}"#), Rung::Native, StructuredReply::Whole(json!({ "a": 1 }))).await;
    check(calls("cards", json!([])), Rung::Forced, StructuredReply::Whole(json!([]))).await;
    check(calls("other", json!([])), Rung::Forced, StructuredReply::Missing).await;
    check(says("{}"), Rung::Automatic, StructuredReply::Missing).await;
    let torn = StructuredReply::Torn { complete: json!([1]), text: "[1, 2".into() };
    check(says("[1, 2").shaped(torn.clone()), Rung::Native, torn).await;
}

#[tokio::test]
async fn a_result_is_found_by_its_tool() {
    let result = |tool: &str, content: &str| {
        Block::from(Part::Result(CallResult {
            id: CallId("call-1".into()),
            tool: tool.into(),
            content: content.into(),
            is_error: false,
        }))
    };
    let model = ScriptedModel::new([says("ok")]);
    let request = Request {
        messages: vec![
            Message::user(vec![result("clock", "old")]),
            Message::user(vec![result("weather", "rain"), result("clock", "new")]),
        ],
        ..Request::default()
    };
    ask(&model, &request).await;
    assert_eq!(model.result(0, "clock").content, "new");
}
