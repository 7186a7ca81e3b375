//! Settings of a conversation: in its log, for the next turn, and without a trace in a replay.

use serde_json::json;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::{Conversation, ConversationEvent, NewMessage, ReplayCalls, view};

#[tokio::test]
async fn settings_count_from_the_next_turn_on_and_a_replay_is_still_the_same() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let replies = [calls(&[("a", "send")]), says("sent"), calls(&[("b", "look")]), says("no")];
    let script = Script::new(replies);
    let by = world.answerer(script.clone());
    conversations.say(&id(), "send it").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    // While the turn waits for a person.
    let off = |tool: &str| vec![tool.to_owned()];
    let change = |settings: &mut crate::ConversationSettings| settings.tools_off = off("look");
    conversations.change_settings(&id(), change).await.unwrap();
    let asked = conversations.engine().open_approvals().await.unwrap().remove(0);
    let yes = json!({"request": asked.request.id.0, "answer": "approve"}).to_string();
    conversations.engine().answer(&yes).await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    let message = NewMessage { text: "look", files: &[], model: Some("other:model") };
    conversations.say_message(&id(), message).await.unwrap();
    let open = conversations.get(&id()).await.unwrap();
    assert_eq!(open.chosen_model(), Some("other:model"));
    conversations.run_turn(&id(), &by).await.unwrap();
    assert_eq!(world.ran("look"), 0);
    let offered = script.asked.lock().unwrap().last().unwrap().tools.clone();
    assert!(offered.iter().all(|tool| tool.id.as_str() != "look"));
    let conversation = conversations.get(&id()).await.unwrap();
    let shown = serde_json::to_string(&view(&conversation)).unwrap();
    assert!(shown.contains("switched this tool off"), "{shown}");
    let recorded = events(&conversations).await;
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    assert_eq!(replayed.events, recorded.len());
    assert_eq!(Conversation::read(&recorded), *conversation);
}

#[tokio::test]
async fn the_same_settings_again_write_nothing_and_concurrent_changes_are_both_kept() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let set = |model: &'static str| {
        move |settings: &mut crate::ConversationSettings| settings.model = Some(model.to_owned())
    };
    let prompt = |settings: &mut crate::ConversationSettings| {
        settings.system_prompt = Some("Be brief.".to_owned());
    };
    let id = id();
    let (one, other) = tokio::join!(
        conversations.change_settings(&id, set("a:b")),
        conversations.change_settings(&id, prompt),
    );
    one.unwrap();
    other.unwrap();
    conversations.change_settings(&id, set("a:b")).await.unwrap();
    let settings = conversations.get(&id).await.unwrap().settings.clone();
    assert_eq!((settings.model.as_deref(), settings.system_prompt.is_some()), (Some("a:b"), true));
    let recorded = events(&conversations).await;
    let is_change =
        |event: &&ConversationEvent| matches!(event, ConversationEvent::SettingsChanged { .. });
    assert_eq!(recorded.iter().filter(is_change).count(), 2);
}
