//! A model that gives empty answers, or does not stop calling tools, is asked only once more.

use std::sync::Arc;

use contract::{Reply, ToolChoice};

use super::world::{Script, World, calls, events, id, opened, says};
use crate::{EndReason, Entry, Opened, ReplayCalls, TurnResult, view};

async fn turn(world: &World, script: &Arc<Script>, rounds_max: u32) -> EndReason {
    let conversations = world.conversations();
    conversations.open(&id(), Opened { rounds_max, ..opened() }).await.unwrap();
    conversations.say(&id(), "go").await.unwrap();
    let end = conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    conversations.flush().await;
    let recorded = events(&conversations).await;
    let replayed = conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    let TurnResult::Ended(how) = end else { panic!("{end:?}") };
    how
}

#[track_caller]
fn last_message(script: &Script, request: usize) -> String {
    format!("{:?}", script.asked.lock().unwrap()[request].messages.last())
}

#[tokio::test]
async fn a_model_with_an_empty_answer_is_asked_once_more() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "look")]), says(" \n"), says("here")]);
    assert_eq!(turn(&world, &script, 4).await, EndReason::Answered);
    assert!(last_message(&script, 2).contains("Your answer was empty"));
    assert!(!last_message(&script, 1).contains("Your answer was empty"));
    let conversation = world.conversations().get(&id()).await.unwrap();
    assert_eq!(conversation.turns[0].rounds.len(), 3, "it is all in the log");
}

#[tokio::test]
async fn a_second_empty_answer_ends_the_turn_and_the_next_turn_works() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "look")]), says(""), says(""), says("better")]);
    assert_eq!(turn(&world, &script, 4).await, EndReason::NoAnswer);
    assert_eq!(script.asked.lock().unwrap().len(), 3);
    let shown = view(&world.conversations().get(&id()).await.unwrap());
    let is_end = |entry: &Entry| matches!(entry, Entry::Ended { how: EndReason::NoAnswer, .. });
    assert!(shown.last().is_some_and(is_end), "{shown:?}");
    assert_eq!(turn(&world, &script, 4).await, EndReason::Answered);
    assert_eq!(last_message(&script, 3).matches("was empty").count(), 0);
}

#[tokio::test]
async fn a_tool_that_answered_directly_is_enough() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "speak")]), says("")]);
    assert_eq!(turn(&world, &script, 4).await, EndReason::Answered);
}

/// Calls that differ, so that only the budget stops them.
fn runaway() -> impl Iterator<Item = Reply> {
    const TOOLS: [&str; 3] = ["look", "peek", "note"];
    (0..60).map(|n| calls(&[(&format!("n{n}"), TOOLS[n % 3])]))
}

#[tokio::test]
async fn when_the_budget_of_a_turn_is_used_up_the_model_is_asked_once_more() {
    let world = World::new();
    let script = Script::new(runaway());
    assert_eq!(turn(&world, &script, 60).await, EndReason::TooManyRounds);
    let asked = script.asked.lock().unwrap();
    let without = asked.iter().filter(|request| request.choice == ToolChoice::None).count();
    assert_eq!(without, 1, "{} requests", asked.len());
    assert_eq!(asked.last().map(|request| &request.choice), Some(&ToolChoice::None));
    assert!(asked.len() < 20, "{} requests", asked.len());
}
