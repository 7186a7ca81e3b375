//! The text turn of the cascade.

use contract::{Call, CallId};
use serde_json::json;

use super::*;
use crate::ids::TurnNumber;
use crate::road::test_setup::{NOW, inputs, model, setup};

fn road() -> Cascade {
    let mut road = Cascade::new(model("cascade"));
    assert_eq!(inputs(&road.open(NOW, &setup())), [Input::Ready]);
    road
}

fn respond(road: &mut Cascade, pending: &[&str], said: Option<&str>, go_on: bool) -> Vec<Outgoing> {
    let pending = pending.iter().map(|text| (*text).to_owned()).collect();
    let said = said.map(str::to_owned);
    road.send(NOW, &RoadCommand::Respond(Respond { turn: TurnNumber(1), said, pending, go_on }))
}

fn turn(road: &mut Cascade, event: TextTurnEvent) -> Vec<Input> {
    inputs(&road.receive(NOW, Incoming::Turn(event)))
}

#[test]
fn a_turn_starts_with_what_waited_and_what_was_said() {
    let start = |messages: &[&str]| {
        let messages = messages.iter().map(|text| (*text).to_owned()).collect();
        Outgoing::Turn(TextTurnRequest::Start { turn: TurnNumber(1), messages })
    };
    assert_eq!(respond(&mut road(), &["first"], Some("then"), false), [start(&["first", "then"])]);
    assert_eq!(respond(&mut road(), &[], None, true), [start(&[GO_ON])]);
    let mut busy = road();
    respond(&mut busy, &[], Some("one"), false);
    let again = respond(&mut busy, &[], Some("two"), false);
    assert_eq!(again, [Outgoing::Turn(TextTurnRequest::Cancel), start(&["two"])]);
}

#[test]
fn a_call_ends_an_answer_and_text_after_it_begins_another() {
    let mut road = road();
    respond(&mut road, &[], Some("hi"), false);
    let first = turn(&mut road, TextTurnEvent::Text("One.".to_owned()));
    assert!(matches!(first[..], [Input::AnswerStarted { .. }, Input::AnswerText { .. }]));
    let call = Call { id: CallId("c".to_owned()), tool: "t".to_owned(), args: json!({}) };
    let called = turn(&mut road, TextTurnEvent::Call(call));
    assert!(matches!(called[..], [Input::AnswerEnded { .. }, Input::CallAsked { .. }]));
    let second = turn(&mut road, TextTurnEvent::Text("Two.".to_owned()));
    assert!(matches!(&second[0], Input::AnswerStarted { answer } if answer.0 == "answer-2"));
    let end = turn(&mut road, TextTurnEvent::Ended(TextTurnEnd::Completed));
    assert!(matches!(end[..], [Input::AnswerEnded { .. }, Input::TurnDone]));
}

#[test]
fn what_a_cancelled_turn_still_says_is_for_nobody() {
    let mut road = road();
    respond(&mut road, &[], Some("hi"), false);
    turn(&mut road, TextTurnEvent::Text("One.".to_owned()));
    let cancel = RoadCommand::Cancel { answer: None };
    assert_eq!(road.send(NOW, &cancel), [Outgoing::Turn(TextTurnRequest::Cancel)]);
    assert_eq!(road.send(NOW, &cancel), []);
    assert_eq!(turn(&mut road, TextTurnEvent::Text("Two.".to_owned())), []);
    assert_eq!(turn(&mut road, TextTurnEvent::Ended(TextTurnEnd::Cancelled)), []);
}
