//! Tools that cannot be offered to a model: the turn continues, and the person is informed.

use std::sync::Arc;

use policy::ConversationId;

use super::world::{Script, World, calls, events, id, opened, refusal, says};
use crate::{ConversationEvent, EndReason, Entry, LeftOutTool, ReplayCalls, TurnResult, view};

/// Sends a message in a conversation, which is created if it does not exist.
async fn turn(world: &World, id: &ConversationId, script: &Arc<Script>) -> TurnResult {
    let conversations = world.conversations();
    conversations.open(id, opened()).await.unwrap();
    conversations.say(id, "go").await.unwrap();
    let end = conversations.run_turn(id, &world.answerer(script.clone())).await.unwrap();
    conversations.flush().await;
    end
}

fn offered(script: &Script, request: usize) -> Vec<String> {
    let asked = script.asked.lock().unwrap();
    asked[request].tools.iter().map(|offer| offer.id.to_string()).collect()
}

fn left_out(events: &[ConversationEvent]) -> Vec<&LeftOutTool> {
    let mut found = Vec::new();
    for event in events {
        if let ConversationEvent::LeftOut { tools, .. } = event {
            found.extend(tools);
        }
    }
    found
}

#[tokio::test]
async fn the_turn_continues_without_a_refused_tool_and_says_so() {
    let world = World::new();
    let script = Script::failing_first(says("fine"));
    script.refuses.lock().unwrap().push("look");
    assert_eq!(turn(&world, &id(), &script).await, TurnResult::Ended(EndReason::Answered));
    assert!(offered(&script, 0).contains(&"look".to_owned()));
    assert!(!offered(&script, 1).contains(&"look".to_owned()));
    let recorded = events(&world.conversations()).await;
    assert_eq!(left_out(&recorded)[0].because, refusal().message);
    let shown = view(&world.conversations().get(&id()).await.unwrap());
    let system = |entry: &Entry| {
        if let Entry::System { text, .. } = entry { Some(text.clone()) } else { None }
    };
    let notice = shown.iter().find_map(system);
    let expected =
        "`look` is left out of this conversation: script does not accept it (400: bad schema).";
    assert_eq!(notice.as_deref(), Some(expected));
    let replayed =
        world.conversations().replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
}

#[tokio::test]
async fn a_refused_tool_costs_one_request_and_is_known_in_the_next_conversation() {
    let world = World::new();
    let script = Script::failing_first(says("fine"));
    script.refuses.lock().unwrap().push("look");
    turn(&world, &id(), &script).await;
    let script = Script::new([says("again"), says("more")]);
    turn(&world, &id(), &script).await;
    assert!(!offered(&script, 0).contains(&"look".to_owned()), "the same conversation");
    let other = ConversationId("other".into());
    turn(&world, &other, &script).await;
    assert!(!offered(&script, 1).contains(&"look".to_owned()), "another conversation");
    let conversations = world.conversations();
    let events: Vec<_> = conversations
        .events(&other)
        .await
        .unwrap()
        .into_iter()
        .map(|record| record.event)
        .collect();
    assert_eq!(left_out(&events).len(), 1, "its person is informed as well");
    assert!(conversations.replay(&other, &events, ReplayCalls::Recorded).await.unwrap().is_same());
    let refused = conversations.engine().refused_tools().await.unwrap();
    assert_eq!((refused.len(), refused[0].model.as_str()), (1, "script"));
}

#[tokio::test]
async fn a_fault_that_is_not_about_tools_ends_the_turn() {
    let world = World::new();
    let script = Script::failing(refusal());
    let end = turn(&world, &id(), &script).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Failed { fault: refusal() }));
    assert!(left_out(&events(&world.conversations()).await).is_empty());
}

#[tokio::test]
async fn above_the_limit_tools_that_the_conversation_knows_are_kept() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "fail")]), says("fine"), says("more")]);
    *script.tools_max.lock().unwrap() = Some(3);
    assert_eq!(turn(&world, &id(), &script).await, TurnResult::Ended(EndReason::Answered));
    let first = offered(&script, 0);
    assert_eq!(first.len(), 3);
    assert_eq!(offered(&script, 1), first, "offered tools are kept");
    let recorded = events(&world.conversations()).await;
    let left = left_out(&recorded);
    assert!(left[0].because.starts_with("script takes at most 3 tools"), "{left:?}");
    let replayed =
        world.conversations().replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    turn(&world, &id(), &script).await;
    assert_eq!(offered(&script, 2), first, "in the next turn too");
}

#[tokio::test]
async fn the_tools_for_earlier_results_are_offered_once_there_are_some() {
    let world = World::new();
    // Its own result can be looked up too.
    std::fs::remove_dir_all(world.dir.path().join("weather")).unwrap();
    let script = Script::new([calls(&[("a", "look")]), says("done"), says("more")]);
    turn(&world, &id(), &script).await;
    turn(&world, &id(), &script).await;
    let memory = "query_tool_memory".to_owned();
    let has: Vec<_> = (0..3).map(|request| offered(&script, request).contains(&memory)).collect();
    assert_eq!(has, [false, true, true]);
    assert_eq!(offered(&script, 1).last(), Some(&memory), "earlier requests are unchanged");
}
