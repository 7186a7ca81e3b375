//! Messages of Gemini Live, both ways.

use serde_json::json;

use super::*;
use crate::event::Context;
use crate::ids::{SpeechId, TurnNumber};
use crate::road::test_setup::{NOW, inputs, messages, model, receive, setup};

fn road_of(name: &str) -> Gemini {
    let mut road = Gemini::new(model(name));
    road.open(NOW, &setup());
    assert_eq!(inputs(&receive(&mut road, json!({ "setupComplete": {} }))), [Input::Ready]);
    road
}

fn road() -> Gemini {
    road_of("gemini-3.8-live")
}

fn user_turn() -> RoadCommand {
    RoadCommand::UserTurn { speech: SpeechId(1) }
}

fn respond(said: Option<&str>) -> RoadCommand {
    let said = said.map(str::to_owned);
    RoadCommand::Respond(Respond { turn: TurnNumber(1), said, pending: Vec::new(), go_on: false })
}

fn samples_in(message: &Value) -> usize {
    let data = message.pointer("/realtimeInput/audio/data").and_then(Value::as_str).unwrap();
    crate::road::pcm::decode(data).unwrap().len() / 2
}

fn answer(call: &str, speaking: Speaking) -> RoadCommand {
    RoadCommand::AnswerCall {
        call: CallId(call.to_owned()),
        tool: "kb_search".to_owned(),
        content: json!({ "n": 1 }),
        failed: false,
        speaking,
    }
}

fn tool_call(id: &str) -> Value {
    json!({ "toolCall": { "functionCalls": [{ "id": id, "name": "kb_search", "args": { "query": "x" } }] } })
}

#[test]
fn audio_waits_for_the_turn_and_comes_with_what_was_before() {
    let mut road = road();
    assert_eq!(road.hear(&vec![1; 16_000]), []);
    assert_eq!(road.hear(&vec![2; 32_000]), []);
    let turn = messages(&road.send(NOW, &user_turn()));
    assert_eq!(turn[0], json!({ "realtimeInput": { "activityStart": {} } }));
    // Two seconds from before, and no more.
    assert_eq!(samples_in(&turn[1]), 32_000);
    assert_eq!(samples_in(&messages(&road.hear(&[3; 320]))[0]), 320);
    let end = messages(&road.send(NOW, &respond(Some("heard already"))));
    assert_eq!(end, [json!({ "realtimeInput": { "activityEnd": {} } })]);
    assert_eq!(road.hear(&[4; 320]), []);
}

#[test]
fn a_turn_for_us_is_not_the_model_s() {
    let mut road = road();
    road.send(NOW, &RoadCommand::Listen(ListenTo::Us));
    assert_eq!(road.send(NOW, &user_turn()), []);
    assert_eq!(road.hear(&[1; 320]), []);
}

#[test]
fn words_without_audio_are_sent_as_text() {
    let mut road = road();
    let sent = messages(&road.send(NOW, &respond(Some("hello"))));
    assert_eq!(sent, [json!({ "realtimeInput": { "text": "hello" } })]);
}

#[test]
fn a_blocking_call_holds_audio_back_until_its_result() {
    let mut road = road_of("gemini-3.1-flash-live-preview");
    receive(&mut road, tool_call("c1"));
    road.send(NOW, &user_turn());
    assert_eq!(road.hear(&[1; 320]), []);
    assert_eq!(road.hear(&[2; 320]), []);
    road.send(NOW, &answer("c1", Speaking::Speaks));
    assert_eq!(samples_in(&messages(&road.hear(&[3; 320]))[0]), 960);
    let mut free = self::road();
    receive(&mut free, tool_call("c1"));
    free.send(NOW, &user_turn());
    assert_eq!(free.hear(&[1; 320]).len(), 1);
}

#[test]
fn a_result_closes_its_call_and_says_when_to_speak() {
    let mut road = road();
    receive(&mut road, tool_call("c1"));
    let silent = messages(&road.send(NOW, &answer("c1", Speaking::Silent))).remove(0);
    let response = &silent["toolResponse"]["functionResponses"][0];
    assert_eq!(
        (&response["scheduling"], &response["willContinue"]),
        (&json!("SILENT"), &json!(false))
    );
    assert_eq!(response["response"]["scheduling"], "SILENT");
    let mut blocking = road_of("gemini-live-2.5-flash-native-audio");
    let plain = messages(&blocking.send(NOW, &answer("c1", Speaking::Speaks))).remove(0);
    assert_eq!(plain["toolResponse"]["functionResponses"][0].get("scheduling"), None);
}

#[test]
fn vx_05_a_withdrawn_call_is_cancelled_and_gets_no_response() {
    let mut road = road();
    receive(&mut road, tool_call("c1"));
    let found = inputs(&receive(&mut road, json!({ "toolCallCancellation": { "ids": ["c1"] } })));
    assert_eq!(found, [Input::CallsWithdrawn { calls: vec![CallId("c1".to_owned())] }]);
    assert_eq!(road.send(NOW, &answer("c1", Speaking::Silent)), []);
}

#[test]
fn vx_13_the_last_usable_handle_resumes() {
    let mut road = road();
    let update = |handle: &str, resumable: bool| json!({ "sessionResumptionUpdate": { "newHandle": handle, "resumable": resumable } });
    receive(&mut road, update("h1", true));
    receive(&mut road, update("h2", false));
    receive(&mut road, update("", true));
    let open = road.open(NOW, &setup());
    let open = crate::road::test_setup::sent(&open).remove(0);
    assert_eq!(open["setup"]["sessionResumption"], json!({ "handle": "h1" }));
    let found = inputs(&receive(&mut road, json!({ "setupComplete": {} })));
    assert_eq!(found, [Input::ConnectionRestored { context: Context::Kept }]);
    let away = inputs(&receive(&mut road, json!({ "goAway": { "timeLeft": "50.5s" } })));
    assert_eq!(away, [Input::GoingAway { ms_left: 50_500 }]);
}

#[test]
fn vx_13_a_result_that_came_while_the_connection_was_lost_is_sent_when_it_is_back() {
    let mut road = road();
    let handle = json!({ "sessionResumptionUpdate": { "newHandle": "h1", "resumable": true } });
    receive(&mut road, handle);
    receive(&mut road, tool_call("c1"));
    road.receive(NOW, Incoming::Closed);
    assert_eq!(road.send(NOW, &answer("c1", Speaking::Silent)), []);
    road.open(NOW, &setup());
    let back = receive(&mut road, json!({ "setupComplete": {} }));
    let sent = crate::road::test_setup::sent(&back);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["toolResponse"]["functionResponses"][0]["id"], "c1");
    // A provider that has forgotten the call gets the history instead.
    let mut fresh = self::road();
    receive(&mut fresh, tool_call("c1"));
    fresh.receive(NOW, Incoming::Closed);
    fresh.send(NOW, &answer("c1", Speaking::Silent));
    fresh.open(NOW, &setup());
    let back = receive(&mut fresh, json!({ "setupComplete": {} }));
    assert!(crate::road::test_setup::sent(&back).is_empty());
}

#[test]
fn context_waits_for_the_next_turn_where_the_model_takes_none_in_between() {
    let inform = RoadCommand::Inform { text: "the result".to_owned() };
    let mut any_time = road();
    let sent = messages(&any_time.send(NOW, &inform)).remove(0);
    assert_eq!(sent["clientContent"]["turnComplete"], false);
    let mut first_only = road_of("gemini-3.1-flash-live-preview");
    let words = json!({ "serverContent": { "outputTranscription": { "text": "Hi." } } });
    receive(&mut first_only, words);
    assert_eq!(first_only.send(NOW, &inform), []);
    let next = messages(&first_only.send(NOW, &respond(None)));
    assert_eq!(next, [json!({ "realtimeInput": { "text": "the result" } })]);
}

#[test]
fn what_is_left_of_an_answer_that_was_given_up_is_passed_over() {
    let mut road = road();
    let words =
        |text: &str| json!({ "serverContent": { "outputTranscription": { "text": text } } });
    let started = inputs(&receive(&mut road, words("One")));
    let Input::AnswerStarted { answer } = &started[0] else { panic!("{started:?}") };
    road.send(NOW, &RoadCommand::Cancel { answer: Some(answer.clone()) });
    assert_eq!(receive(&mut road, words("two")), []);
    let interrupted = json!({ "serverContent": { "interrupted": true } });
    assert_eq!(receive(&mut road, interrupted), []);
    let next = inputs(&receive(&mut road, words("New")));
    assert!(matches!(&next[0], Input::AnswerStarted { answer: other } if other != answer));
}

#[test]
fn an_answer_makes_what_was_said_final() {
    let mut road = road();
    let heard = json!({ "serverContent": { "inputTranscription": { "text": "what time" } } });
    assert_eq!(
        inputs(&receive(&mut road, heard)),
        [Input::Partial { text: "what time".to_owned() }]
    );
    let more = json!({ "serverContent": { "inputTranscription": { "text": " is it" } } });
    receive(&mut road, more);
    let found = inputs(&receive(&mut road, tool_call("c1")));
    let said = Input::Said { speech: None, text: "what time is it".to_owned() };
    assert_eq!(found[0], said);
    let thought = json!({ "serverContent": { "modelTurn": { "parts": [{ "text": "hm", "thought": true }] } } });
    assert_eq!(receive(&mut road, thought), []);
    // An interruption of nothing, as this provider sometimes sends it, changes nothing.
    let phantom = json!({ "serverContent": { "interrupted": true, "turnComplete": true } });
    assert_eq!(inputs(&receive(&mut road, phantom)), []);
}
