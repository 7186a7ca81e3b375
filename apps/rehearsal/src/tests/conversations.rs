//! Conversations: questions and answers, reported results, the introduction.

use contract::{
    Block, Delta, Message, Model, OutputSchema, Part, Request, Rung, StopReason, StructuredReply,
    ToolChoice, Usage,
};
use serde_json::{Value, json};

use super::samples::{repository, synthetic};
use super::{outline, rehearsal, request, result, send, user};

/// Each line is sent in turn; the outline of the last answer is checked.
#[track_caller]
fn check(lines: &[&str], expected: &str) {
    let mut messages = Vec::new();
    let replies: Vec<_> =
        lines.iter().map(|line| send(&repository(), &mut messages, line)).collect();
    let last = replies.last().unwrap();
    assert_eq!(outline(last), expected, "{lines:?}\n{}", last.text());
}

#[test]
fn an_answer_fills_what_was_asked_for() {
    check(&["search", "tide clock"], r#"kb_search {"query":"tide clock"}"#);
    check(&["validate email", "ann@example.org"], r#"validate_email {"email":"ann@example.org"}"#);
    check(
        &["validate email", "it is ann@example.org"],
        r#"validate_email {"email":"ann@example.org"}"#,
    );
    check(
        &["end the voice session", "the task is complete", "task complete"],
        r#"end_voice_session {"reason":"task_complete"}"#,
    );
    check(
        &["end the voice session", "user_request"],
        r#"end_voice_session {"reason":"user_request"}"#,
    );
    check(&["search for ovens top_k=50", "5"], r#"kb_search {"query":"ovens","top_k":5}"#);
    check(&["/validate_email", "ann@example.org"], r#"validate_email {"email":"ann@example.org"}"#);
    check(&["/kb_search ovens top_k=50", "7"], r#"kb_search {"query":"ovens","top_k":7}"#);
    check(&["перевір пошту", "ann@example.org"], r#"validate_email {"email":"ann@example.org"}"#);
    check(
        &["block the rude user for 5 minutes", "Please calm down, we talk later."],
        r#"ignore_user {"duration_seconds":300,"farewell_message":"Please calm down, we talk later."}"#,
    );
    check(
        &["find free time after 5pm tomorrow", "tomorrow at 9pm"],
        r#"calendar_get_availability {"from":"2026-12-03T17:00:00+02:00","to":"2026-12-03T21:00:00+02:00"}"#,
    );
}

#[test]
fn several_questions_in_a_row_build_one_call() {
    check(
        &[
            "create an event tomorrow",
            "Standup",
            "tomorrow from 10 to 11",
            "ann@example.org, bob@example.org",
        ],
        r#"calendar_create_event {"title":"Standup","start_time":"2026-12-03T10:00:00+02:00","end_time":"2026-12-03T11:00:00+02:00","attendees":["ann@example.org","bob@example.org"]}"#,
    );
    check(
        &["block the user", "5 minutes", "Please calm down, we talk later."],
        r#"ignore_user {"duration_seconds":300,"farewell_message":"Please calm down, we talk later."}"#,
    );
    check(
        &["create an event tomorrow", "\"Standup\" tomorrow from 10 to 11 with ann@example.org"],
        r#"calendar_create_event {"title":"Standup","start_time":"2026-12-03T10:00:00+02:00","end_time":"2026-12-03T11:00:00+02:00","attendees":["ann@example.org"]}"#,
    );
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again() {
    check(&["search for ovens top_k=50", "many"], "ask kb_search top_k");
    check(&["get the document", "that one"], "ask kb_get id");
    let mut messages = Vec::new();
    send(&repository(), &mut messages, "search for ovens top_k=50");
    let reply = send(&repository(), &mut messages, "77");
    assert!(reply.text().contains("“77” does not fit"), "{}", reply.text());
}

#[test]
fn a_question_can_be_cancelled() {
    check(&["validate email", "never mind"], "say");
    check(&["перевір пошту", "скасуй"], "say");
    check(&["validate email", "/kb_search ovens"], r#"kb_search {"query":"ovens"}"#);
    check(&["get the document", "search for ovens"], r#"kb_search {"query":"ovens"}"#);
    check(&["validate email", "never mind", "search for ovens"], r#"kb_search {"query":"ovens"}"#);
}

#[test]
fn a_question_names_the_field_and_what_it_should_be() {
    let says = |text: &str, expected: &str| {
        let reply = rehearsal().answer(&request(repository(), vec![user(text)]));
        assert!(reply.text().starts_with(expected), "{}", reply.text());
        assert_eq!(reply.stop, StopReason::EndTurn);
    };
    says(
        "end the voice session",
        "To use `end_voice_session` I still need `reason` (one of user_request, task_complete, switch_to_text: \
         Why it ends: the user said so, the work is done, or the talk goes on in text). What should it be?",
    );
    says(
        "block the user saying \"Please calm down, we talk later.\"",
        "To use `ignore_user` I still need `duration_seconds` (a whole number from 30 to 86400: \
         Length of the block in seconds). What should it be?",
    );
    says(
        "перевір пошту",
        "Щоб викликати `validate_email`, мені ще потрібно: `email` (адреса пошти",
    );
    says("проверь почту", "Чтобы вызвать `validate_email`, мне ещё нужно: `email` (адрес почты");
}

#[test]
fn it_introduces_itself_once() {
    let mut messages = Vec::new();
    let first = send(&repository(), &mut messages, "hello").text();
    assert!(first.starts_with("Hello! I can use:\n\n- `calendar_create_event`"), "{first}");
    assert!(first.contains("I am rehearsal, a stand-in without a model"), "{first}");
    assert!(first.contains("There are 5 more."), "{first}");
    let second = send(&repository(), &mut messages, "привіт").text();
    assert!(second.starts_with("Вітаю!") && !second.contains("rehearsal"), "{second}");
}

#[test]
fn call_ids_are_numbered_and_usage_is_zero() {
    let mut messages = Vec::new();
    let first = send(&repository(), &mut messages, "search for ovens; validate ann@example.org");
    let ids: Vec<_> = first.calls().map(|call| call.id.0.clone()).collect();
    assert_eq!(ids, ["r1", "r2"]);
    assert_eq!((first.stop.clone(), first.usage), (StopReason::ToolUse, Usage::default()));
    messages.push(result(&first, json!({}), false));
    let second = send(&repository(), &mut messages, "validate bob@example.org");
    assert_eq!(second.calls().next().unwrap().id.0, "r3");
}

#[test]
fn results_are_reported_and_no_call_follows() {
    let mut messages = Vec::new();
    let call = send(&synthetic(), &mut messages, "скільки буде 3 плюс 4?");
    messages.push(result(&call, json!(7), false));
    let reply = rehearsal().answer(&request(synthetic(), messages));
    assert!(reply.text().starts_with("Результат: 7.\n\nЯ rehearsal"), "{}", reply.text());
    assert_eq!((reply.calls().count(), reply.stop), (0, StopReason::EndTurn));
}

#[test]
fn text_arrives_word_by_word_and_calls_are_announced() {
    let ask = |text: &str| {
        let request = request(repository(), vec![user(text)]);
        let mut deltas = Vec::new();
        let model = rehearsal();
        let mut push = |delta: Delta| deltas.push(delta);
        let future = model.ask(&request, &mut push);
        let reply = ready(future).unwrap();
        (deltas, reply)
    };
    let (deltas, reply) = ask("hello");
    let text: String = deltas
        .iter()
        .map(|delta| if let Delta::Text(text) = delta { text.as_str() } else { "" })
        .collect();
    assert_eq!(text, reply.text());
    assert!(deltas.len() > 10);
    let (deltas, _) = ask("search for ovens");
    assert!(
        matches!(&deltas[..], [Delta::CallBegun { id, tool }] if id.0 == "r1" && tool == "kb_search")
    );
}

/// The answer of a future that never waits.
fn ready<T>(mut future: contract::BoxFuture<'_, T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("it waited"),
    }
}

fn shaped(schema: Value, text: &str) -> StructuredReply {
    let shape = OutputSchema {
        name: "card".parse().unwrap(),
        description: "A card".to_owned(),
        schema,
        rung: Rung::Native,
    };
    let request = Request {
        shape: Some(shape),
        choice: ToolChoice::Auto,
        ..request(Vec::new(), vec![user(text)])
    };
    let reply = rehearsal().answer(&request);
    assert_eq!(reply.stop, StopReason::EndTurn);
    reply.shaped.unwrap()
}

#[test]
fn a_structured_answer_is_filled_from_the_text_or_missing() {
    let schema = json!({
        "type": "object", "required": ["name", "age"],
        "properties": { "name": { "type": "string" }, "age": { "type": "integer", "minimum": 0 }, "email": { "type": "string", "format": "email" } },
    });
    assert_eq!(
        shaped(schema.clone(), "name: Ann Lee, age: 7"),
        StructuredReply::Whole(json!({ "name": "Ann Lee", "age": 7 })),
    );
    assert_eq!(
        shaped(schema.clone(), r#"{"name": "Ann", "age": 7}"#),
        StructuredReply::Whole(json!({ "name": "Ann", "age": 7 })),
    );
    assert_eq!(
        shaped(schema.clone(), "\"Ann\" is 7, write to ann@example.org"),
        StructuredReply::Whole(json!({ "name": "Ann", "age": 7, "email": "ann@example.org" })),
    );
    assert_eq!(shaped(schema.clone(), "nothing of the kind"), StructuredReply::Missing);
    assert_eq!(shaped(schema, r#"{"name": "Ann", "age": -7}"#), StructuredReply::Missing);
}

#[test]
fn a_greeting_is_for_the_tool_that_greets() {
    let mut tools = repository();
    tools.push(super::samples::offer(
        "people.greet",
        "Say hello",
        json!({ "type": "object", "properties": {} }),
    ));
    let reply = rehearsal().answer(&request(tools, vec![user("Привіт!")]));
    assert_eq!(outline(&reply), "people.greet {}");
}

#[test]
fn a_calculator_is_known_by_its_schema() {
    let parameters = json!({ "type": "object", "required": ["expression"], "properties": { "expression": { "type": "string" } } });
    let tools = vec![super::samples::offer("abacus", "Beads", parameters)];
    let reply = rehearsal().answer(&request(tools, vec![user("what is (1 + 2) * 3?")]));
    assert_eq!(outline(&reply), r#"abacus {"expression":"(1 + 2) * 3"}"#);
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let reply = rehearsal().answer(&request(repository(), vec![user("/kb_serach x")]));
    assert!(
        reply.text().starts_with("There is no tool “kb_serach”; did you mean `/kb_search`?"),
        "{}",
        reply.text()
    );
}

#[test]
fn without_tools_or_words_it_still_answers() {
    let reply = rehearsal().answer(&Request::default());
    assert!(reply.text().starts_with("I have no tools here"), "{}", reply.text());
    let other = Message::user(vec![Block::from(Part::Other { label: "image".to_owned() })]);
    assert_eq!(outline(&rehearsal().answer(&request(repository(), vec![other]))), "say");
}
