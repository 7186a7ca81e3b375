//! Request bodies as goldens in `tests/bodies`, and invariants of all of them.

use contract::{
    Block, CallId, CallResult, Digest, FileContent, FilePart, FileRef, Message, Native, Part,
    Request, Rung, Sampling, Sight, ToolChoice, Wire,
};
use models::wire::ResponseMode;
use models::{Key, Preparer, Provider};
use serde_json::{Value, json};

use crate::conversation::{self, body, preparer, provider, shaped, tools, user, with_results};
use crate::goldens;
use crate::recordings::recorded_blocks;

#[track_caller]
fn check(case: &str, request: &Request) {
    for wire in Wire::ALL {
        let path = goldens::folder("bodies").join(format!("{case}.{wire}.json"));
        goldens::check(&path, &body(*wire, request));
    }
}

#[test]
fn goldens_of_bodies() {
    check("question", &Request { messages: vec![user("2+2?")], ..Request::default() });
    check("files", &Request { messages: vec![with_files()], ..Request::default() });
    check("results", &with_results());
    check("shape_native", &shaped(Rung::Native));
    check("shape_forced", &shaped(Rung::Forced));
    check("shape_automatic", &shaped(Rung::Automatic));
    let settings = Request {
        tools: tools(),
        messages: vec![user("Paris?")],
        choice: ToolChoice::Tool("clock.now".parse().unwrap()),
        output_tokens_max: Some(500),
        sampling: Sampling { temperature: Some(0.5), seed: Some(7), ..Sampling::default() },
        patch: json!({ "stream": null }),
        ..Request::default()
    };
    check("settings", &settings);
    check("choice_none", &Request { choice: ToolChoice::None, ..settings.clone() });
    check("choice_any", &Request { choice: ToolChoice::Any, patch: Value::Null, ..settings });
}

/// A message with a picture and a text.
fn with_files() -> Message {
    let file = |name: &str, media_type: &str, content| {
        let (name, media_type) = (name.to_owned(), media_type.to_owned());
        let file = FileRef { digest: Digest::of(b""), name, media_type, bytes: 4 };
        Part::File(FilePart { file, content }).into()
    };
    let picture = FileContent::Picture { base64: "iVBORw0KGgo=".into() };
    let text = FileContent::Text { text: "a,b\n1,2".into(), whole_bytes: 7, is_cut: false };
    Message::user(vec![
        Block::text("What is this?"),
        file("cat.png", "image/png", picture),
        file("table.csv", "text/plain", text),
    ])
}

/// A model that does not see is told about the picture instead.
#[test]
fn a_blind_model_gets_no_picture() {
    let request = Request { messages: vec![with_files()], ..Request::default() };
    let blind = Provider::compatible("local", "http://127.0.0.1:1/v1", Key::NotNeeded);
    let sent = |provider: Provider, model: &str| {
        let preparer = Preparer::new(provider, model).unwrap();
        preparer.prepare(&request, ResponseMode::Stream).unwrap().body.to_string()
    };
    let body = sent(blind.clone(), "qwen3-coder");
    assert!(!body.contains("iVBORw0KGgo="), "{body}");
    assert!(body.contains("you cannot see pictures"), "{body}");
    assert!(sent(blind.clone(), "qwen3-vl").contains("iVBORw0KGgo="));
    let told = Provider { sight: Some(Sight::Sees), ..blind };
    assert!(sent(told, "mine").contains("iVBORw0KGgo="));
}

/// Recorded answers, with a result for each call, as the next request contains them.
#[test]
fn goldens_of_answers_that_are_sent_back() {
    for (case, wire, name) in [
        ("back_calls", Wire::Anthropic, "thinking_text_two_calls"),
        ("back_search", Wire::Anthropic, "web_search_with_citations_and_pause"),
        ("back_calls", Wire::Chat, "reasoning_text_two_calls"),
        ("back_calls", Wire::Responses, "reasoning_text_two_calls"),
        ("back_search", Wire::Responses, "web_search_with_citations"),
        ("back_calls", Wire::Gemini, "calls_without_ids"),
        ("back_search", Wire::Gemini, "server_side_tool_calls_kept"),
        ("back_same_ids", Wire::Gemini, "the_same_id_twice"),
    ] {
        let blocks = recorded_blocks(wire, name);
        let result = |block: &Block| match &block.part {
            Part::Call(call) => Some(Block::from(Part::Result(CallResult {
                id: call.id.clone(),
                tool: call.tool.clone(),
                content: json!({ "celsius": 21 }),
                is_error: false,
            }))),
            _ => None,
        };
        let results = blocks.iter().filter_map(result).collect();
        let messages =
            vec![user("Which weather?"), Message::assistant(blocks), Message::user(results)];
        let request = Request { messages, tools: tools(), ..Request::default() };
        let path = goldens::folder("bodies").join(format!("{case}.{wire}.json"));
        goldens::check(&path, &body(wire, &request));
    }
}

#[test]
fn server_tools_are_sent_with_ours() {
    let with = |wire, tool: Value| {
        let request = Request {
            tools: tools(),
            messages: vec![user("News?")],
            server_tools: vec![tool],
            ..Request::default()
        };
        body(wire, &request)
    };
    let search = json!({ "type": "web_search_20260318", "name": "web_search", "max_uses": 3 });
    assert_eq!(with(Wire::Anthropic, search.clone())["tools"][0], search);
    let search = json!({ "type": "web_search" });
    assert_eq!(with(Wire::Responses, search.clone())["tools"][0], search);
    let gemini = with(Wire::Gemini, json!({ "googleSearch": {} }));
    assert_eq!(gemini["tools"][0], json!({ "googleSearch": {} }));
    assert_eq!(gemini["toolConfig"]["includeServerSideToolInvocations"], true);
}

/// Each request of a growing conversation begins with the one before, byte for byte, up to
/// the end of its messages.
#[test]
fn a_longer_conversation_only_adds_bytes_at_the_end() {
    for wire in Wire::ALL {
        let mut request = with_results();
        let mut before = body(*wire, &request).to_string();
        for round in 0..40 {
            let blocks = vec![Block::text(format!("Answer {round}"))];
            request.messages.push(Message::assistant(blocks));
            request.messages.push(user("And then?"));
            let now = body(*wire, &request).to_string();
            let same = before.trim_end_matches(['}', ']']);
            assert!(now.starts_with(same), "{wire}, round {round}");
            before = now;
        }
    }
}

#[test]
fn unsupported_options_are_left_out_and_noted() {
    let sampling = Sampling { temperature: Some(0.0), ..Sampling::default() };
    let request = Request {
        tools: tools(),
        choice: ToolChoice::Any,
        sampling,
        messages: vec![user("Hi")],
        ..Request::default()
    };
    let newest = Preparer::new(provider(Wire::Anthropic), "claude-opus-5-5").unwrap();
    let prepared = newest.prepare(&request, ResponseMode::Stream).unwrap();
    assert_eq!(prepared.body.get("tool_choice"), None);
    assert_eq!(prepared.body.get("temperature"), None);
    let notes = [
        "`claude-opus-5-5` does not support forced tool choice; it decides whether to call",
        "`claude-opus-5-5` does not support sampling settings",
    ];
    assert_eq!(prepared.notes, notes);
    let refused = newest.prepare(&shaped(Rung::Forced), ResponseMode::Stream).unwrap_err();
    assert_eq!(refused.message, "`claude-opus-5-5` does not support structured output by `forced`");
}

#[test]
fn compatible_servers_use_other_field_names() {
    let local = Provider::compatible("local", "http://localhost:8080/v1", Key::NotNeeded);
    let extras = json!({ "stream_options": null, "cache_prompt": true });
    let preparer = Preparer::new(Provider { extras, ..local }, "qwen").unwrap();
    let request =
        Request { output_tokens_max: Some(9), messages: vec![user("Hi")], ..Request::default() };
    let body = preparer.prepare(&request, ResponseMode::Stream).unwrap().body;
    assert_eq!(body["max_tokens"], 9);
    assert_eq!(body.get("stream_options"), None);
    assert_eq!(body["cache_prompt"], true);
}

#[test]
fn a_tool_that_cannot_be_expressed_is_named() {
    let mut request = with_results();
    request.tools[0].parameters = json!({ "$ref": "https://example.org/schema" });
    let fault = preparer(Wire::Anthropic).prepare(&request, ResponseMode::Stream).unwrap_err();
    assert_eq!(fault.kind, contract::FaultKind::BadRequest);
    assert!(
        fault.message.starts_with("the tool `get_weather` cannot be sent to anthropic"),
        "{fault}"
    );
}

#[test]
fn thinking_without_a_result_is_not_sent_back() {
    for (wire, item) in [
        (Wire::Anthropic, json!({ "type": "thinking", "thinking": "Hm.", "signature": "c2ln" })),
        (Wire::Responses, json!({ "type": "reasoning", "id": "rs_1", "summary": [] })),
    ] {
        let native = Native { wire, from: conversation::model_at(wire), item: item.clone() };
        let thought =
            Block { part: Part::Thinking { text: "Hm.".to_owned() }, native: Some(native) };
        let torn = Part::TornCall {
            id: CallId("c9".to_owned()),
            tool: "get_weather".to_owned(),
            text: "{".to_owned(),
            why: "cut".to_owned(),
        };
        let body = conversation::body_for(wire, vec![thought.clone(), torn.into()]).to_string();
        assert!(!body.contains(&item.to_string()), "{wire}: {body}");
        let body = conversation::body_for(wire, vec![thought, Block::text("So.")]).to_string();
        assert!(body.contains(&item.to_string()), "{wire}: {body}");
    }
}

#[test]
fn the_answer_limit_does_not_exceed_that_of_the_model() {
    let request = Request {
        output_tokens_max: Some(1_000_000),
        messages: vec![user("Hi")],
        ..Request::default()
    };
    let prepared = preparer(Wire::Anthropic).prepare(&request, ResponseMode::Stream).unwrap();
    assert_eq!(prepared.body["max_tokens"], 128_000);
    assert_eq!(prepared.notes, ["`claude-haiku-5-5` supports answers of at most 128000 tokens"]);
}

#[test]
fn thinking_is_sent_back_only_to_its_own_model() {
    let item = json!({ "type": "thinking", "thinking": "Hm.", "signature": "c2ln" });
    let thinking = |from: &str| Block {
        part: Part::Thinking { text: "Hm.".to_owned() },
        native: Some(Native { wire: Wire::Anthropic, from: from.to_owned(), item: item.clone() }),
    };
    let sent = |from: &str| {
        let blocks = vec![thinking(from), Block::text("Well.")];
        conversation::body_for(Wire::Anthropic, blocks).to_string().contains("c2ln")
    };
    assert!(sent("anthropic:claude-haiku-5-5"));
    assert!(!sent("anthropic:claude-opus-5-5"));
    assert!(!sent("proxy:claude-haiku-5-5"));
}
