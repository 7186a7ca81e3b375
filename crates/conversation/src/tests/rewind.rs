//! Turns that were taken back are not used, and their numbers are not reused.

use contract::Message;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::{Conversation, ConversationEvent, ConversationFault, LaterTurns, view};

fn text_of(messages: &[Message]) -> String {
    serde_json::to_string(messages).unwrap()
}

#[tokio::test]
async fn a_turn_that_was_taken_back_is_in_no_request_view_or_memory() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let script = Script::new([calls(&[("a", "speak")]), says("one"), says("two"), says("three")]);
    let by = world.answerer(script.clone());
    for text in ["first", "second"] {
        conversations.say(&id(), text).await.unwrap();
        conversations.run_turn(&id(), &by).await.unwrap();
    }
    let usage = conversations.get(&id()).await.unwrap().usage;
    conversations.rewind(&id(), 1, LaterTurns::Keep).await.unwrap();
    let again = conversations.rewind(&id(), 1, LaterTurns::Keep).await.unwrap_err();
    assert!(matches!(again, ConversationFault::NoTurn(1)), "{again}");
    assert_eq!(conversations.say(&id(), "third").await.unwrap(), 3);
    conversations.run_turn(&id(), &by).await.unwrap();
    let asked = script.asked.lock().unwrap().last().unwrap().messages.clone();
    let asked = text_of(&asked);
    assert!(asked.contains("second") && asked.contains("two"), "{asked}");
    assert!(!asked.contains("first") && !asked.contains("secret plan"), "{asked}");
    let conversation = conversations.get(&id()).await.unwrap();
    let shown = serde_json::to_string(&view(&conversation)).unwrap();
    assert!(!shown.contains("first") && shown.contains("third"));
    assert!(conversation.usage.input > usage.input, "its usage still counts");
    let recorded = events(&conversations).await;
    assert!(recorded.iter().any(|event| matches!(event, ConversationEvent::Said { turn: 1, .. })));
    assert_eq!(Conversation::read(&recorded), *conversation);
}

#[tokio::test]
async fn entries_have_the_numbers_of_their_events() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let by = world.answerer(Script::new([calls(&[("a", "look")]), says("seen")]));
    conversations.say(&id(), "look").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    let records = conversations.events(&id()).await.unwrap();
    let conversation = conversations.get(&id()).await.unwrap();
    for entry in view(&conversation) {
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
