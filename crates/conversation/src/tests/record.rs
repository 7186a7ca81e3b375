//! Recorded conversations replay byte for byte, and a story file is the same conversation.

use policy::ConversationId;
use serde_json::json;

use super::world::{Script, World, calls, events, id, opened, pure, says, write_tool};
use crate::{ConversationEvent, LaterTurns, ReplayCalls, Story};

/// A conversation with everything in it: streams, a refusal, an approval, moving on, a stop,
/// turns taken back.
async fn eventful() -> World {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let script = Script::new([
        calls(&[("a", "speak"), ("b", "look"), ("c", "note"), ("d", "nowhere")]),
        says("first"),
        calls(&[("e", "send")]),
        says("sent"),
        calls(&[("f", "send"), ("g", "fail")]),
        says("as you wish"),
        calls(&[("h", "send")]),
        says("said again"),
    ]);
    let by = world.answerer(script);
    conversations.say(&id(), "one").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say(&id(), "two").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    let asked = conversations.engine().open_approvals().await.unwrap().remove(0);
    let yes = json!({"request": asked.request.id.0, "answer": "approve"}).to_string();
    conversations.engine().answer(&yes).await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say(&id(), "three").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say(&id(), "four").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.rewind(&id(), 1, LaterTurns::Keep).await.unwrap();
    conversations.say(&id(), "again").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say_again(&id(), None, None, None).await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say(&id(), "five").await.unwrap();
    let stopped = by.clone();
    stopped.cancel.cancel();
    conversations.run_turn(&id(), &stopped).await.unwrap();
    world
}

#[tokio::test]
async fn a_replay_is_byte_identical() {
    let world = eventful().await;
    let conversations = world.conversations();
    let recorded = events(&conversations).await;
    let before = world.done();
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    assert_eq!(replayed.events, recorded.len());
    assert_eq!(world.done(), before, "nothing ran");
    assert_eq!(events(&conversations).await, recorded, "nothing was written");
}

#[tokio::test]
async fn tools_without_effects_can_run_for_real_and_must_return_the_same() {
    let world = eventful().await;
    let conversations = world.conversations();
    let mut recorded = events(&conversations).await;
    let (notes, looks) = (world.ran("note"), world.ran("look"));
    // Durations are ignored.
    for event in &mut recorded {
        if let ConversationEvent::Settled { settled, .. } = event
            && settled.call.tool == "look"
        {
            settled.notes.push("it took 700 ms; its budget is 500 ms".into());
        }
    }
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::RunHarmless).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    assert_eq!((world.ran("note"), world.ran("look")), (notes, looks + 1));
    for event in &mut recorded {
        if let ConversationEvent::Settled { settled, .. } = event
            && settled.call.tool == "look"
        {
            settled.content = json!({"did": "something else"});
        }
    }
    let again = ConversationId("again".into());
    let replayed = conversations.replay(&again, &recorded, ReplayCalls::RunHarmless).await.unwrap();
    let difference = replayed.difference.unwrap();
    assert!(difference.recorded.unwrap().contains("something else"));
}

#[tokio::test]
async fn a_changed_tool_is_reported_and_not_ignored() {
    let world = eventful().await;
    let recorded = events(&world.conversations()).await;
    let mut changed = pure();
    changed["description"] = json!("Does it in another way.");
    changed["version"] = json!("1.1.0");
    write_tool(world.dir.path(), "look", changed);
    std::fs::remove_dir_all(world.dir.path().join("peek")).unwrap();
    let replayed =
        world.conversations().replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    let changed: Vec<_> =
        replayed.changed.iter().map(|one| (one.tool.as_str(), one.now.is_some())).collect();
    assert_eq!(changed, [("look", true), ("peek", false)]);
}

#[tokio::test]
async fn a_story_round_trips() {
    let world = eventful().await;
    let mut recorded = events(&world.conversations()).await;
    recorded.push(ConversationEvent::Said {
        turn: 9,
        text: "```json event\nnot one\n```".into(),
        files: Vec::new(),
        model: None,
    });
    let story = Story { title: "Everything".into(), events: recorded };
    let text = story.to_markdown();
    assert_eq!(Story::parse(&text), Ok(story));
    let check = |text: &str, expected: &str| {
        assert_eq!(Story::parse(text).unwrap_err().to_string(), expected);
    };
    check(
        "# Nothing",
        "there is no event in it; write one with `ghosthand replay ID --export FILE`",
    );
    check("```json event\n{}", "line 1: the code fence is not closed");
    check(
        "# A\n\n```json event\n{\"event\": \"sung\"}\n```",
        "line 4: the event cannot be read: unknown variant `sung`, expected one of `opened`, \
         `settings_changed`, `said`, `offered`, `left_out`, `dashboard`, `replied`, `partial`, \
         `broke_off`, `streamed`, `noticed`, `asked`, `questioned`, `in_doubt`, `settled`, \
         `ended`, `taken_back`, `sent_again`, `chosen`, `voice`, `taken_over`, `superseded` at \
         line 1 column 16",
    );
}
