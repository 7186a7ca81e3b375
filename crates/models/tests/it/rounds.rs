//! Conversations of several rounds at a provider that checks every body, on every wire.

use contract::{
    Block, CallResult, Message, Model, Part, Reply, Request, Rung, StopReason, StructuredReply,
    Wire,
};
use fake_providers::{FakeProvider, Fault, Pieces, Quirk, Source, Step, Turn};
use models::{BatchRequest, BatchState, Client, Key, Limits, Provider};
use serde_json::{Value, json};
use testkit::sdk::{Verdict, check_bodies};

use crate::conversation::{model, shaped, tools, user, with_results};
use crate::far_side::{FarSide, at, far_side, hello};
use crate::server::line;

/// The provider's own search tool on this wire; Chat has none.
fn search_tool(wire: Wire) -> Vec<Value> {
    match wire {
        Wire::Anthropic => vec![json!({ "type": "web_search_20260209", "name": "web_search" })],
        Wire::Responses => vec![json!({ "type": "web_search" })],
        // It works together with functions only with an option that is not set here.
        Wire::Gemini | Wire::Chat => Vec::new(),
    }
}

/// OpenAI's own Chat Completions show no thinking; some compatible servers do.
fn thinking(wire: Wire, text: &str, signature: &str) -> Turn {
    match wire {
        Wire::Chat => Turn::new(),
        Wire::Anthropic | Wire::Responses | Wire::Gemini => Turn::new().thinking(text, signature),
    }
}

/// The wire name of `clock.now`.
fn clock(wire: Wire) -> &'static str {
    match wire {
        Wire::Gemini => "clock.now",
        Wire::Anthropic | Wire::Chat | Wire::Responses => "clock_now",
    }
}

fn script(wire: Wire) -> Vec<Turn> {
    let source = Source::new("https://weather.example/paris", "Paris", "Rain until noon.");
    let last = thinking(wire, "Done.", "c2lnLTM=");
    let last = match search_tool(wire).is_empty() {
        true => last,
        false => last.search("rain in Paris", vec![source.clone()]).cited("It rains. ", source),
    };
    vec![
        thinking(wire, "Two cities.", "c2lnLTE=")
            .redacted("c2VhbGVk")
            .text("Let me look.")
            .call("get_weather", json!({ "city": "Zürich" }))
            .call("get_weather", json!({ "city": "Oslo" }))
            .pieces(Pieces::Bytes(1)),
        thinking(wire, "And the time?", "c2lnLTI=").call(clock(wire), json!({})),
        last.text("Oslo is unknown."),
        Turn::says("You are welcome."),
    ]
}

/// The results of the tools; Oslo is unknown.
fn results(reply: &Reply) -> Message {
    let result = |call: &contract::Call| {
        let is_error = call.args.get("city") == Some(&json!("Oslo"));
        let content = match is_error {
            true => json!({ "type": "NOT_FOUND", "message": "no such city" }),
            false => json!({ "celsius": 21 }),
        };
        let (id, tool) = (call.id.clone(), call.tool.clone());
        Block::from(Part::Result(CallResult { id, tool, content, is_error }))
    };
    Message::user(reply.calls().map(result).collect())
}

/// Asks and answers calls until the model makes none; returns the replies.
async fn turn(far: &FarSide, request: &mut Request) -> Vec<Reply> {
    let mut replies = Vec::new();
    loop {
        let reply = far.ask(request).await.unwrap();
        request.messages.push(Message::assistant(reply.blocks.clone()));
        let results = results(&reply);
        replies.push(reply);
        if results.blocks.is_empty() {
            return replies;
        }
        request.messages.push(results);
    }
}

fn first_request(wire: Wire) -> Request {
    Request {
        system: "Be brief.".to_owned(),
        tools: tools(),
        server_tools: search_tool(wire),
        messages: vec![user("Which weather in Zürich and Oslo, and when?")],
        ..Request::default()
    }
}

/// Two turns with three rounds of calls; returns the conversation.
async fn two_turns(far: &FarSide, wire: Wire) -> Request {
    far.fake.script(script(wire));
    let mut request = first_request(wire);
    let replies = turn(far, &mut request).await;
    let calls: Vec<_> =
        replies[0].calls().map(|call| (call.tool.as_str(), call.args.clone())).collect();
    let city = |name: &str| ("get_weather", json!({ "city": name }));
    assert_eq!(calls, [city("Zürich"), city("Oslo")], "{wire}");
    assert_eq!(replies[1].calls().next().unwrap().tool, "clock.now", "{wire}");
    assert_eq!(replies[2].stop, StopReason::EndTurn, "{wire}");
    assert!(replies[2].text().ends_with("Oslo is unknown."), "{wire}");
    request.messages.push(user("Thanks!"));
    assert_eq!(turn(far, &mut request).await[0].text(), "You are welcome.", "{wire}");
    far.fake.assert_used_up();
    request
}

/// The list of messages in the body.
fn messages(wire: Wire, body: &Value) -> Vec<Value> {
    let list = match wire {
        Wire::Anthropic | Wire::Chat => &body["messages"],
        Wire::Responses => &body["input"],
        Wire::Gemini => &body["contents"],
    };
    list.as_array().unwrap().clone()
}

#[tokio::test]
async fn every_provider_accepts_a_conversation_of_several_rounds() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        two_turns(&far, *wire).await;
        let bodies: Vec<Value> = far.fake.requests().into_iter().map(|one| one.body).collect();
        assert_eq!(bodies.len(), 4, "{wire}");
        for pair in bodies.windows(2) {
            let (before, after) = (messages(*wire, &pair[0]), messages(*wire, &pair[1]));
            assert_eq!(after[..before.len()], before, "{wire} extends the previous request");
            for fixed in ["tools", "system", "systemInstruction", "instructions"] {
                assert_eq!(pair[0].get(fixed), pair[1].get(fixed), "{wire} {fixed}");
            }
        }
        let last = bodies[3].to_string();
        let (sealed, failed) = match wire {
            Wire::Anthropic => ("c2lnLTE=", "\"is_error\":true"),
            Wire::Responses => ("c2lnLTE=", "no such city"),
            Wire::Gemini => ("c2lnLTE=", "\"error\":"),
            Wire::Chat => ("Let me look.", "no such city"),
        };
        assert!(last.contains(sealed) && last.contains(failed), "{wire}: {last}");
        let redacts = matches!(wire, Wire::Anthropic | Wire::Responses);
        assert_eq!(last.contains("c2VhbGVk"), redacts, "{wire}: {last}");
    }
}

#[tokio::test]
async fn a_conversation_can_continue_at_any_other_provider() {
    for from in Wire::ALL {
        let far = far_side(*from).await;
        let mut request = two_turns(&far, *from).await;
        request.server_tools = Vec::new();
        request.messages.push(user("And now?"));
        for to in Wire::ALL.iter().filter(|to| *to != from) {
            let other = far_side(*to).await;
            other.fake.then(Turn::says("Now it is sunny."));
            assert_eq!(other.ask(&request).await.unwrap().text(), "Now it is sunny.", "{to}");
            other.fake.assert_used_up();
            let sent = other.fake.requests()[0].body.to_string();
            assert!(!sent.contains("c2lnLTE=") && !sent.contains("c2VhbGVk"), "{from} to {to}");
        }
    }
}

/// A server that sends reasoning gets it back in the same form.
#[tokio::test]
async fn a_compatible_server_gets_its_reasoning_back() {
    for (quirk, field) in [
        (None, "reasoning_content"),
        (Some(Quirk::ReasoningField), "reasoning"),
        (Some(Quirk::ReasoningDetails), "reasoning_details"),
    ] {
        let fake = FakeProvider::compatible().await.unwrap();
        let base_url = format!("{}/v1", fake.base_url());
        let provider = Provider::compatible("local", &base_url, Key::NotNeeded);
        let (line, _) = line(Limits::usual());
        let client = Client::over(line, provider, "any-model").unwrap();
        let first = Turn::new().thinking("Two cities.", "c2lnLTE=");
        let first = quirk.into_iter().fold(first, Turn::quirk);
        fake.then(first.call("get_weather", json!({ "city": "Zürich" }))).then(Turn::says("Fine."));
        let mut request = first_request(Wire::Chat);
        let reply = client.ask(&request, &mut |_| {}).await.unwrap();
        request.messages.push(Message::assistant(reply.blocks.clone()));
        request.messages.push(results(&reply));
        assert_eq!(client.ask(&request, &mut |_| {}).await.unwrap().text(), "Fine.", "{field}");
        fake.assert_used_up();
        let sent = &fake.requests()[1].body["messages"][2][field];
        assert!(sent.to_string().contains("Two cities."), "{field}: {sent}");
    }
}

/// The structured answer on the wire by this rung, and as the caller gets it.
fn cards(wire: Wire, rung: Rung) -> (Value, Value) {
    let cards = json!([{ "front": "der Hund", "back": "the dog" }]);
    let wanted = json!({ "cards": cards, "tags": { "animal": 1 } });
    let sent = match (wire, rung) {
        // Gemini supports maps.
        (Wire::Gemini, _) => wanted.clone(),
        _ => json!({ "cards": cards, "tags": [{ "key": "animal", "value": 1 }] }),
    };
    (sent, wanted)
}

async fn shape(far: &FarSide, wire: Wire, rung: Rung) {
    let (sent, wanted) = cards(wire, rung);
    let thinking = || thinking(wire, "{}", "c2lnLTE=");
    far.fake.then(match rung {
        Rung::Native => thinking().text(&sent.to_string()),
        Rung::Forced | Rung::Automatic => thinking().text("Here.").call("cards", sent),
    });
    let reply = far.ask(&shaped(rung)).await.unwrap();
    assert_eq!(reply.shaped, Some(StructuredReply::Whole(wanted)), "{wire} {rung}");
}

#[tokio::test]
async fn every_rung_of_every_wire_gives_the_structured_answer() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        let rungs = far.client.facts().rungs.clone();
        assert_eq!(rungs.len(), 3, "{wire}: {rungs:?}");
        for rung in rungs {
            shape(&far, *wire, rung).await;
        }
        far.fake.assert_used_up();
    }
}

#[tokio::test]
async fn a_model_without_forced_choice_is_not_forced() {
    let fake = FakeProvider::start().await.unwrap();
    for name in ["claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1"] {
        let (line, _) = line(Limits::usual());
        let client = Client::over(line, at(&fake, Wire::Anthropic), name).unwrap();
        let rungs = client.facts().rungs.clone();
        assert_eq!(rungs, [Rung::Native, Rung::Automatic], "{name}");
        for rung in rungs {
            let (sent, wanted) = cards(Wire::Anthropic, rung);
            fake.then(match rung {
                Rung::Native => Turn::says(&sent.to_string()),
                Rung::Forced | Rung::Automatic => Turn::calls("cards", sent),
            });
            let reply = client.ask(&shaped(rung), &mut |_| {}).await.unwrap();
            assert_eq!(reply.shaped, Some(StructuredReply::Whole(wanted)), "{name} {rung}");
        }
    }
    fake.assert_used_up();
}

#[tokio::test]
async fn a_truncated_structured_answer_keeps_its_complete_records() {
    let text = r#"{"cards":[{"front":"a","back":"b"},{"front":"c","ba"#;
    let complete = json!({ "cards": [{ "front": "a", "back": "b" }] });
    // Gemini sends arguments completely or not at all.
    for wire in [Wire::Anthropic, Wire::Chat, Wire::Responses] {
        for rung in [Rung::Native, Rung::Forced] {
            let far = far_side(wire).await;
            far.fake.then(match rung {
                Rung::Native => Turn::says(text).stop(StopReason::MaxTokens),
                Rung::Forced | Rung::Automatic => Turn::new().torn_call("cards", text),
            });
            let reply = far.ask(&shaped(rung)).await.unwrap();
            let torn = StructuredReply::Torn { complete: complete.clone(), text: text.to_owned() };
            assert_eq!(reply.shaped, Some(torn), "{wire} {rung}");
            assert_eq!(reply.calls().count(), 0, "{wire}: a torn call is not a call");
        }
    }
}

fn requests() -> Vec<BatchRequest> {
    let named = |name: &str, request| BatchRequest { name: name.to_owned(), request };
    vec![
        named("hello", hello()),
        named("talk", with_results()),
        named("cards", shaped(Rung::Native)),
        named("bad", hello()),
    ]
}

#[tokio::test]
async fn batches_are_created_polled_and_read() {
    for wire in [Wire::Anthropic, Wire::Chat, Wire::Responses] {
        let far = far_side(wire).await;
        let (sent, wanted) = cards(wire, Rung::Native);
        far.fake.script::<Step>([
            Turn::says("Hello.").into(),
            Turn::calls("get_weather", json!({ "city": "Paris" })).into(),
            Turn::says(&sent.to_string()).into(),
            Fault::context_exceeded().into(),
        ]);
        let batches = far.client.batches().unwrap();
        let id = batches.submit(&requests()).await.unwrap();
        assert!(matches!(batches.poll(&id).await.unwrap(), BatchState::AtWork { .. }), "{wire}");
        assert_eq!(batches.poll(&id).await.unwrap(), BatchState::Ended, "{wire}");
        let results = batches.results(&id, &requests()).await.unwrap();
        let names: Vec<_> = results.iter().map(|result| result.name.as_str()).collect();
        assert_eq!(names, ["hello", "talk", "cards", "bad"], "{wire}");
        let reply = |index: usize| results[index].answer.as_ref().unwrap();
        assert_eq!(reply(0).text(), "Hello.", "{wire}");
        assert_eq!(reply(1).calls().next().unwrap().args, json!({ "city": "Paris" }), "{wire}");
        assert_eq!(reply(2).shaped, Some(StructuredReply::Whole(wanted)), "{wire}");
        let fault = results[3].answer.as_ref().unwrap_err();
        assert_eq!(fault.kind, contract::FaultKind::ContextExceeded, "{wire}: {fault}");
        far.fake.assert_used_up();
    }
}

#[tokio::test]
async fn models_are_listed() {
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        let listed = models::list_models(&far.line, &at(&far.fake, *wire)).await.unwrap();
        let name = model(*wire).trim_end_matches("-pro");
        assert!(listed.iter().any(|one| one.name == name), "{wire}: {listed:?}");
    }
}

#[tokio::test]
async fn every_body_fits_the_types_of_the_official_clients() {
    let mut bodies = String::new();
    for wire in Wire::ALL {
        let far = far_side(*wire).await;
        two_turns(&far, *wire).await;
        for rung in far.client.facts().rungs.clone() {
            shape(&far, *wire, rung).await;
        }
        far.fake.then(Turn::says("Yes."));
        far.ask(&with_results()).await.unwrap();
        bodies.push_str(&far.fake.bodies());
    }
    assert_eq!(bodies.lines().count(), 4 * 8);
    let verdict = check_bodies(&bodies);
    assert!(!matches!(verdict, Verdict::Misfit(_)), "{verdict:?}");
}
