//! Errors instead of an answer: which are retried, and what the fault says.

use contract::{FaultKind, Model, ModelFault, Request, Wire};
use fake_providers::{Cut, Fault, Step, Turn};
use models::{Client, Key, Provider, Secret};
use serde_json::{Value, json};

use crate::conversation::{model, tools};
use crate::far_side::{FarSide, at, far_side, hello};

#[tokio::test]
async fn an_error_before_the_first_event_is_retried() {
    for wire in Wire::ALL {
        for (first, second, waits) in [
            (Fault::rate_limited().retry_after(7), Fault::overloaded(), [7_000, 1_000]),
            (Fault::rate_limited().retry_after_ms(250), Fault::server_error(), [250, 1_000]),
            (
                Fault::rate_limited().retry_after("Thu, 01 Jan 1970 00:00:03 GMT"),
                Fault::hang_up(),
                [3_000, 1_000],
            ),
            (Fault::server_error(), Fault::status(408, "late"), [500, 1_000]),
            (Fault::bad_request("x").should_retry(true), Fault::status(409, "busy"), [500, 1_000]),
        ] {
            let far = far_side(*wire).await;
            far.fake.then(first).then(second).then(Turn::says("Well."));
            assert_eq!(far.ask(&hello()).await.unwrap().text(), "Well.", "{wire}");
            assert_eq!(far.clock.waits(), waits, "{wire}");
            let sent = far.fake.requests();
            assert!(sent.len() == 3 && sent.iter().all(|one| one.bytes == sent[0].bytes), "{wire}");
        }
    }
}

#[tokio::test]
async fn an_overload_as_the_first_event_is_retried() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        far.fake.then(Turn::says("No.").overloaded_after(0)).then(Turn::says("Yes."));
        assert_eq!(far.ask(&hello()).await.unwrap().text(), "Yes.", "{wire}");
        assert_eq!(far.clock.waits(), [500], "{wire}");
    }
}

/// Sends one request; the second answer must be left over.
async fn only_once(wire: Wire, step: impl Into<Step>) -> (ModelFault, String) {
    let far = far_side(wire).await;
    far.fake.then(step).then(Turn::says("Never asked for."));
    let (reply, seen) = far.watch(&hello()).await;
    assert_eq!((far.fake.left(), far.clock.waits().len()), (1, 0), "{wire}");
    (reply.unwrap_err(), seen)
}

#[tokio::test]
async fn an_error_after_the_first_event_is_not_retried() {
    let long = "So it is. ".repeat(600);
    for wire in Wire::ALL {
        let (fault, seen) = only_once(*wire, Turn::says(&long).overloaded_after(8)).await;
        assert_eq!(fault.kind, FaultKind::Overloaded, "{wire}");
        assert!(fault.kind.is_retryable() && long.starts_with(&seen) && !seen.is_empty(), "{wire}");
        for cut in [Cut::Ends(4_000), Cut::Breaks(4_000)] {
            let (fault, seen) = only_once(*wire, Turn::says(&long).cut(cut)).await;
            assert_eq!(fault.kind, FaultKind::Truncated, "{wire} {cut:?}: {fault}");
            assert!(long.starts_with(&seen) && !seen.is_empty(), "{wire}");
        }
    }
}

#[tokio::test]
async fn a_permanent_error_is_not_retried() {
    for wire in Wire::ALL {
        for (fault, kind) in [
            (Fault::wrong_key(), FaultKind::WrongKey),
            (Fault::unknown_model("x"), FaultKind::UnknownModel),
            (Fault::too_large(), FaultKind::TooLarge),
            (Fault::context_exceeded(), FaultKind::ContextExceeded),
            (Fault::bad_request("messages: too strange"), FaultKind::BadRequest),
            (Fault::overloaded().should_retry(false), FaultKind::Overloaded),
            (Fault::page(404, "<html>Not here</html>"), FaultKind::Unreachable),
            (Fault::page(200, "<html>Welcome</html>"), FaultKind::Garbled),
        ] {
            let (found, _) = only_once(*wire, fault.clone()).await;
            assert_eq!(found.kind, kind, "{wire} {fault:?}: {found}");
            assert!(!found.fix.is_empty(), "{wire} {found}");
        }
    }
    // Gemini's message is the same as for a rate limit.
    for wire in [Wire::Anthropic, Wire::Chat, Wire::Responses] {
        let (fault, _) = only_once(wire, Fault::spend_cap()).await;
        assert_eq!(fault.kind, FaultKind::SpendCap, "{wire}: {fault}");
    }
}

#[tokio::test]
async fn the_fault_for_a_wrong_key_does_not_contain_the_key() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        far.fake.key("the-right-one").then(Turn::says("Never."));
        let key = Key::Given(Secret::new("sk-the-wrong-one"));
        let provider = Provider { key, ..at(&far.fake, *wire) };
        let client = Client::over(far.line.clone(), provider.clone(), model(*wire)).unwrap();
        let fault = client.ask(&hello(), &mut |_| {}).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::WrongKey, "{wire}: {fault}");
        assert!(fault.fix.contains("_API_KEY"), "{wire}: {}", fault.fix);
        assert!(!format!("{fault:?}").contains("sk-the-wrong-one"), "{wire}");
        let fault = models::list_models(&far.line, &provider).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::WrongKey, "{wire}: {fault}");
        let right = Provider { key: Key::Given(Secret::new("the-right-one")), ..provider };
        let client = Client::over(far.line.clone(), right, model(*wire)).unwrap();
        client.ask(&hello(), &mut |_| {}).await.unwrap();
    }
}

#[tokio::test]
async fn the_fault_for_an_unknown_model_names_it() {
    for (wire, name) in [
        (Wire::Anthropic, "claude-nimbus-9"),
        (Wire::Chat, "gpt-99"),
        (Wire::Responses, "gpt-99"),
        (Wire::Gemini, "gemini-99"),
    ] {
        let far = far_side(wire).await;
        let client = Client::over(far.line.clone(), at(&far.fake, wire), name).unwrap();
        let fault = client.ask(&hello(), &mut |_| {}).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::UnknownModel, "{wire}: {fault}");
        assert!(fault.message.contains(name) && fault.fix.contains("ghosthand models"), "{fault}");
    }
}

/// The request with its second tool changed so that the provider refuses it.
async fn spoilt(far: &FarSide, wire: Wire, spoil: Value) -> Value {
    let request = Request { tools: tools(), ..hello() };
    let mut tools = far.client.prepare(&request).unwrap().body["tools"].clone();
    let place = match wire {
        Wire::Anthropic => "/1/input_schema",
        Wire::Chat => "/1/function/parameters",
        Wire::Responses => "/1/parameters",
        Wire::Gemini => "/0/functionDeclarations/1/parametersJsonSchema",
    };
    *tools.pointer_mut(place).unwrap() = spoil;
    tools
}

#[tokio::test]
async fn the_fault_for_a_refused_schema_names_its_tool() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        far.fake.then(Turn::says("Never."));
        let tools_sent = spoilt(&far, *wire, json!({ "type": "strange" })).await;
        let patch = json!({ "tools": tools_sent });
        let request = Request { tools: tools(), patch, ..hello() };
        let fault = far.ask(&request).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadRequest, "{wire}: {fault}");
        assert!(fault.message.contains("the tool `clock.now`"), "{wire}: {fault}");
        assert!(fault.fix.contains("schema of `clock.now`"), "{wire}: {}", fault.fix);
        assert_eq!(far.fake.left(), 1, "{wire}");
    }
}
