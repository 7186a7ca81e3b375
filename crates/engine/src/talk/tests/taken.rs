//! Turns that were taken back: nothing is made of them, and no number is given twice.

use contract::Message;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::talk::{Later, Talk, TalkEvent, TalkFault, view};

fn text_of(messages: &[Message]) -> String {
    serde_json::to_string(messages).unwrap()
}

#[tokio::test]
async fn what_was_taken_back_is_in_no_request_no_view_and_no_memory() {
    let world = World::new();
    let engine = world.engine();
    engine.open_talk(&id(), opened()).await.unwrap();
    let script = Script::new([calls(&[("a", "speak")]), says("one"), says("two"), says("three")]);
    let by = world.answerer(script.clone());
    for text in ["first", "second"] {
        engine.say(&id(), text).await.unwrap();
        engine.turn(&id(), &by).await.unwrap();
    }
    let usage = engine.talk(&id()).await.unwrap().usage;
    engine.take_back(&id(), 1, Later::Stay).await.unwrap();
    let again = engine.take_back(&id(), 1, Later::Stay).await.unwrap_err();
    assert!(matches!(again, TalkFault::NoTurn(1)), "{again}");
    assert_eq!(engine.say(&id(), "third").await.unwrap(), 3);
    engine.turn(&id(), &by).await.unwrap();
    let asked = script.asked.lock().unwrap().last().unwrap().messages.clone();
    let asked = text_of(&asked);
    assert!(asked.contains("second") && asked.contains("two"), "{asked}");
    assert!(!asked.contains("first") && !asked.contains("secret plan"), "{asked}");
    let talk = engine.talk(&id()).await.unwrap();
    let shown = serde_json::to_string(&view(&talk)).unwrap();
    assert!(!shown.contains("first") && shown.contains("third"));
    assert!(talk.usage.input > usage.input, "what was used stays used");
    let recorded = events(&engine).await;
    assert!(recorded.iter().any(|event| matches!(event, TalkEvent::Said { turn: 1, .. })));
    assert_eq!(Talk::read(&recorded), talk);
}

#[tokio::test]
async fn entries_name_the_events_that_made_them() {
    let world = World::new();
    let engine = world.engine();
    engine.open_talk(&id(), opened()).await.unwrap();
    let by = world.answerer(Script::new([calls(&[("a", "look")]), says("seen")]));
    engine.say(&id(), "look").await.unwrap();
    engine.turn(&id(), &by).await.unwrap();
    let records = engine.talk_events(&id()).await.unwrap();
    let talk = engine.talk(&id()).await.unwrap();
    for entry in view(&talk) {
        let entry = serde_json::to_value(entry).unwrap();
        let record = records.iter().find(|record| record.sequence == entry["event"]).unwrap();
        let made_by = match entry["entry"].as_str().unwrap() {
            "user" => "said",
            "step" => "settled",
            _ => "replied",
        };
        let event = serde_json::to_value(&record.event).unwrap();
        assert_eq!(event["event"], made_by, "{entry}");
    }
}
