//! Messages of Realtime, both ways.

use serde_json::json;

use super::*;
use crate::event::{AnswerEnd, Speaking};
use crate::ids::{AnswerId, TurnNumber};
use crate::road::test_setup::{NOW, inputs, messages, model, receive, sent, setup};

fn road() -> Realtime {
    let mut road = Realtime::new(model("gpt-realtime-2.1"));
    road.open(NOW, &setup());
    assert_eq!(inputs(&receive(&mut road, json!({ "type": "session.updated" }))), [Input::Ready]);
    road
}

fn respond() -> RoadCommand {
    let (turn, said, pending) = (TurnNumber(1), None, Vec::new());
    RoadCommand::Respond(Respond { turn, said, pending, go_on: false })
}

fn created(id: &str) -> Value {
    json!({ "type": "response.created", "response": { "id": id, "status": "in_progress" } })
}

fn done(id: &str, status: &str) -> Value {
    json!({ "type": "response.done", "response": { "id": id, "status": status, "output": [] } })
}

fn message_added(response: &str, item: &str) -> Value {
    json!({
        "type": "response.output_item.added", "response_id": response,
        "item": { "id": item, "type": "message" },
    })
}

fn types(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["type"].as_str()).collect()
}

#[test]
fn the_server_detects_speech_and_decides_nothing() {
    let mut road = Realtime::new(model("gpt-realtime-2.1"));
    let update = sent(&road.open(NOW, &setup())).remove(0);
    let input = &update["session"]["audio"]["input"];
    let expected =
        json!({ "type": "server_vad", "create_response": false, "interrupt_response": false });
    assert_eq!(input["turn_detection"], expected);
    assert_eq!(input["transcription"], json!({ "model": "ear-1", "language": "uk" }));
    assert_eq!(update["session"]["tools"][0]["name"], "kb_search");
    assert_eq!(update["session"]["parallel_tool_calls"], true);
    assert_eq!(update["session"]["audio"]["output"]["voice"], "nova");
}

#[test]
fn a_response_given_up_before_it_has_a_name_is_cancelled_when_it_has_one() {
    let mut road = road();
    assert_eq!(types(&messages(&road.send(NOW, &respond()))), ["response.create"]);
    assert_eq!(road.send(NOW, &RoadCommand::Cancel { answer: None }), []);
    // The next request waits for the end of the first.
    assert_eq!(road.send(NOW, &respond()), []);
    let events = receive(&mut road, created("r1"));
    assert_eq!(sent(&events), [json!({ "type": "response.cancel", "response_id": "r1" })]);
    assert_eq!(receive(&mut road, message_added("r1", "i1")), []);
    let events = receive(&mut road, done("r1", "cancelled"));
    assert_eq!(inputs(&events), []);
    assert_eq!(types(&sent(&events)), ["response.create"]);
}

#[test]
fn nothing_is_truncated_beyond_the_audio_that_exists() {
    let mut road = road();
    receive(&mut road, created("r1"));
    receive(&mut road, message_added("r1", "i1"));
    let delta = crate::road::pcm::encode(&vec![0; 12_000]);
    receive(
        &mut road,
        json!({ "type": "response.output_audio.delta", "item_id": "i1", "delta": delta }),
    );
    let answer = AnswerId("i1".to_owned());
    let mut truncate = |heard_ms| {
        let command =
            RoadCommand::Truncate { answer: answer.clone(), heard_ms, heard: String::new() };
        messages(&road.send(NOW, &command)).remove(0)
    };
    assert_eq!(truncate(9_999)["audio_end_ms"], 500);
    assert_eq!(truncate(200)["audio_end_ms"], 200);
    assert_eq!(truncate(0)["type"], "conversation.item.delete");
    let unknown = AnswerId("other".to_owned());
    let command = RoadCommand::Truncate { answer: unknown, heard_ms: 5, heard: String::new() };
    assert_eq!(road.send(NOW, &command), []);
}

#[test]
fn a_failed_response_ends_its_answer_and_its_turn() {
    let mut road = road();
    receive(&mut road, created("r1"));
    receive(&mut road, message_added("r1", "i1"));
    let mut failed = done("r1", "failed");
    failed["response"]["status_details"] = json!({ "error": { "message": "overloaded" } });
    let found = inputs(&receive(&mut road, failed));
    let answer = AnswerId("i1".to_owned());
    assert_eq!(found[0], Input::AnswerEnded { answer, end: AnswerEnd::Failed });
    let Input::Noted { text } = &found[1] else { panic!("{found:?}") };
    assert_eq!(text, "the provider's answer failed: overloaded");
    assert_eq!(found[2], Input::TurnDone);
}

#[test]
fn a_request_that_the_server_refuses_ends_the_turn() {
    let mut road = road();
    let id = messages(&road.send(NOW, &respond())).remove(0)["event_id"].clone();
    let error = json!({ "type": "error", "error": { "message": "no", "event_id": id } });
    assert_eq!(inputs(&receive(&mut road, error)).last(), Some(&Input::TurnDone));
    let harmless = json!({ "type": "error", "error": { "code": "response_cancel_not_active" } });
    assert_eq!(receive(&mut road, harmless), []);
    assert_eq!(types(&messages(&road.send(NOW, &respond()))), ["response.create"]);
}

#[test]
fn results_are_text_and_errors_say_so() {
    let mut road = road();
    let mut output = |content: Value, failed| {
        let call = contract::CallId("c1".to_owned());
        let (tool, speaking) = ("kb_search".to_owned(), Speaking::Speaks);
        let command = RoadCommand::AnswerCall { call, tool, content, failed, speaking };
        messages(&road.send(NOW, &command)).remove(0)["item"]["output"].clone()
    };
    assert_eq!(output(json!({ "n": 1 }), false), "{\"n\":1}");
    assert_eq!(output(json!("plain"), false), "plain");
    assert_eq!(output(json!({ "type": "X" }), true), "{\"error\":{\"type\":\"X\"}}");
}

#[test]
fn no_audio_is_sent_while_listening_is_off() {
    let mut road = road();
    assert_eq!(road.hear(&[1, 2]).len(), 1);
    let clear = road.send(NOW, &RoadCommand::Listen(ListenTo::Off));
    assert_eq!(messages(&clear)[0]["type"], "input_audio_buffer.clear");
    assert_eq!(road.hear(&[1, 2]), []);
    road.send(NOW, &RoadCommand::Listen(ListenTo::Us));
    assert_eq!(road.hear(&[1, 2]).len(), 1);
}

#[test]
fn a_later_connection_is_fresh() {
    let mut road = road();
    assert_eq!(inputs(&road.receive(NOW, Incoming::Closed)), [Input::ConnectionLost]);
    road.open(NOW, &setup());
    let found = inputs(&receive(&mut road, json!({ "type": "session.updated" })));
    assert_eq!(found, [Input::ConnectionRestored { context: Context::Fresh }]);
    assert_eq!(receive(&mut road, json!({ "type": "session.updated" })), []);
}
