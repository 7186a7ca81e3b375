//! Messages of Live, both ways.

use contract::{Call, CallId};
use serde_json::json;

use super::*;
use crate::ids::TurnNumber;
use crate::road::test_setup::{NOW, inputs, messages, model, receive, sent, setup};
use crate::road::{TextTurnEnd, TextTurnEvent};

fn road() -> Live {
    let mut road = Live::new(model("gpt-live-1"));
    let start = sent(&road.open(NOW, &setup())).remove(0);
    assert_eq!(start["session"]["delegation"], json!({ "type": "client" }));
    assert_eq!(inputs(&receive(&mut road, json!({ "type": "session.started" }))), [Input::Ready]);
    road
}

fn audio(ms: usize, level: i16) -> Value {
    let delta = pcm::encode(&vec![level; 24 * ms]);
    json!({ "type": "session.output_audio.delta", "delta": delta })
}

fn delegation(id: &str) -> Value {
    json!({ "type": "session.delegation.created", "delegation": { "id": id } })
}

fn heard(text: &str) -> Value {
    json!({ "type": "session.input_transcript.delta", "delta": text, "start_ms": 0, "end_ms": 1 })
}

/// The messages that start text turns.
fn started(events: &[RoadEvent]) -> Vec<Vec<String>> {
    let start = |event: &RoadEvent| match event {
        RoadEvent::Send(Outgoing::Turn(TextTurnRequest::Start { messages, .. })) => {
            Some(messages.clone())
        }
        _ => None,
    };
    events.iter().filter_map(start).collect()
}

#[test]
fn an_answer_is_what_sounds_between_two_silences() {
    let mut road = road();
    assert_eq!(receive(&mut road, audio(500, 0)), []);
    let begun = inputs(&receive(&mut road, audio(300, 5_000)));
    assert!(matches!(begun[..], [Input::AnswerStarted { .. }, Input::AnswerAudio { ms: 300, .. }]));
    // A pause inside counts, once more follows; the silence at the end does not.
    assert_eq!(inputs(&receive(&mut road, audio(400, 0))), []);
    let more = inputs(&receive(&mut road, audio(100, 5_000)));
    assert!(matches!(more[..], [Input::AnswerAudio { ms: 500, .. }]), "{more:?}");
    let end = inputs(&receive(&mut road, audio(800, 0)));
    assert!(matches!(end[..], [Input::AnswerEnded { .. }, Input::TurnDone]), "{end:?}");
}

#[test]
fn words_have_the_times_of_the_provider() {
    let mut road = road();
    let words = |delta: &str, start: u64, end: u64| json!({ "type": "session.output_transcript.delta", "delta": delta, "start_ms": start, "end_ms": end });
    let first = inputs(&receive(&mut road, words("One ", 7_000, 7_200)));
    assert!(matches!(first[1], Input::AnswerText { until_ms: Some(200), .. }), "{first:?}");
    let second = inputs(&receive(&mut road, words("two.", 7_200, 7_600)));
    assert!(matches!(second[0], Input::AnswerText { until_ms: Some(600), .. }), "{second:?}");
}

#[test]
fn a_delegation_is_a_turn_over_what_was_said_since_the_last() {
    let mut road = road();
    receive(&mut road, heard("book a"));
    receive(&mut road, heard(" table"));
    // The words are not final yet, and go along.
    let first = receive(&mut road, delegation("d1"));
    assert_eq!(started(&first), [vec!["User: book a table".to_owned()]]);
    // A second one waits for the first.
    assert_eq!(started(&receive(&mut road, delegation("d2"))), Vec::<Vec<String>>::new());
    let mut turn = |event| road.receive(NOW, Incoming::Turn(event));
    assert_eq!(turn(TextTurnEvent::Text("It is".to_owned())), []);
    turn(TextTurnEvent::Text(" done.".to_owned()));
    let ended = turn(TextTurnEvent::Ended(TextTurnEnd::Completed));
    let expected = json!({
        "type": "session.commentary.append", "content": "It is done.", "delegation_id": "d1",
    });
    assert_eq!(sent(&ended), [expected]);
    assert_eq!(started(&ended).len(), 1);
}

#[test]
fn a_call_of_the_turn_goes_through_the_session() {
    let mut road = road();
    receive(&mut road, delegation("d1"));
    let call = Call { id: CallId("c1".to_owned()), tool: "kb_search".to_owned(), args: json!({}) };
    let said = road.receive(NOW, Incoming::Turn(TextTurnEvent::Text("One moment.".to_owned())));
    assert_eq!(said, []);
    let events = road.receive(NOW, Incoming::Turn(TextTurnEvent::Call(call.clone())));
    assert_eq!(sent(&events).len(), 1);
    assert_eq!(inputs(&events), [Input::CallAsked { call }]);
}

#[test]
fn long_answers_are_sent_in_pieces_that_the_wire_takes() {
    let mut road = road();
    receive(&mut road, delegation("d1"));
    let text = "This is one sentence of the answer. ".repeat(80);
    let mut events = road.receive(NOW, Incoming::Turn(TextTurnEvent::Text(text.clone())));
    events.extend(road.receive(NOW, Incoming::Turn(TextTurnEvent::Ended(TextTurnEnd::Completed))));
    let pieces: Vec<String> =
        sent(&events).iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect();
    assert!(pieces.len() >= 3 && pieces.iter().all(|piece| piece.chars().count() <= 900));
    assert!(pieces.iter().all(|piece| piece.starts_with("This") && piece.ends_with("answer.")));
    assert_eq!(pieces.join(" "), text.trim());
}

#[test]
fn only_what_was_heard_goes_along_with_the_next_delegation() {
    let mut road = road();
    let words = json!({ "type": "session.output_transcript.delta", "delta": "One two three.", "start_ms": 0, "end_ms": 900 });
    let begun = inputs(&receive(&mut road, words));
    let Some(Input::AnswerStarted { answer }) = begun.first() else { panic!("{begun:?}") };
    let answer = answer.clone();
    road.send(NOW, &RoadCommand::Cancel { answer: Some(answer.clone()) });
    road.send(NOW, &RoadCommand::Truncate { answer, heard_ms: 300, heard: "One".to_owned() });
    // The rest of it is passed over until the model is quiet.
    assert_eq!(receive(&mut road, audio(300, 5_000)), []);
    receive(&mut road, audio(800, 0));
    receive(&mut road, heard("go on"));
    let events = receive(&mut road, delegation("d1"));
    assert_eq!(started(&events), [vec!["Voice: One\nUser: go on".to_owned()]]);
    assert!(!inputs(&receive(&mut road, audio(300, 5_000))).is_empty());
}

#[test]
fn a_pending_message_starts_a_turn_of_our_own() {
    let mut road = road();
    let pending = vec!["hello".to_owned()];
    let respond =
        Respond { turn: TurnNumber(1), said: None, pending: pending.clone(), go_on: false };
    let start = TextTurnRequest::Start { turn: TurnNumber(1), messages: pending };
    assert_eq!(road.send(NOW, &RoadCommand::Respond(respond)), [Outgoing::Turn(start)]);
    let events = road.receive(NOW, Incoming::Turn(TextTurnEvent::Text("Hi. ".repeat(300))));
    assert_eq!(sent(&events)[0]["delegation_id"], Value::Null);
}

#[test]
fn the_person_s_words_are_final_after_a_pause() {
    let mut road = road();
    road.receive(Timestamp(1_000), Incoming::Message(&heard("hello ").to_string()));
    road.receive(Timestamp(1_200), Incoming::Message(&heard("there").to_string()));
    assert_eq!(road.deadline(), Some(Timestamp(2_000)));
    assert_eq!(road.tick(Timestamp(1_999)), []);
    let said = Input::Said { speech: None, text: "hello there".to_owned() };
    assert_eq!(inputs(&road.tick(Timestamp(2_000))), [said]);
    assert_eq!(road.deadline(), None);
}

#[test]
fn input_is_muted_while_we_listen_ourselves() {
    let mut road = road();
    let kind = |sent: &[Outgoing]| messages(sent)[0]["type"].clone();
    assert_eq!(
        kind(&road.send(NOW, &RoadCommand::Listen(ListenTo::Us))),
        "session.input_audio.mute"
    );
    let unmute = road.send(NOW, &RoadCommand::Listen(ListenTo::Model));
    assert_eq!(kind(&unmute), "session.input_audio.unmute");
    let inform = road.send(NOW, &RoadCommand::Inform { text: "x".repeat(2_000) });
    assert_eq!(messages(&inform)[0]["content"].as_str().unwrap().len(), 900);
}
