//! The process dies at every write, and another one resumes the conversation.

use std::sync::Arc;

use contract::Reply;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::state::WaitsFor;
use crate::turn::prompt::messages;
use crate::{ConversationEvent, EndReason, TurnResult};
use testkit::faulty_store::{Counted, FaultyStore, StoreFailure};
use tokio::sync::Notify;

/// How many writes the whole turn has; the last cut is after them.
const WRITES: usize = 21;

fn replies() -> Vec<Reply> {
    vec![calls(&[("a", "look"), ("b", "note"), ("c", "speak")]), says("done")]
}

/// The messages of the next request, and how the turn ended.
async fn transcript(world: &World) -> (Vec<contract::Message>, Option<EndReason>) {
    let conversation = world.conversations().get(&id()).await.unwrap();
    (messages(&conversation), conversation.turns[0].ended.clone())
}

/// Killed at any event, the turn ends with the same transcript or with a
/// question to a person; no effect happens twice.
#[tokio::test]
async fn a_turn_whose_process_dies_at_any_write_ends_the_same_or_asks() {
    let whole = {
        let world = World::new();
        let conversations = world.conversations();
        conversations.open(&id(), opened()).await.unwrap();
        conversations.say(&id(), "go").await.unwrap();
        conversations.run_turn(&id(), &world.answerer(Script::new(replies()))).await.unwrap();
        transcript(&world).await
    };
    let (mut same, mut asked, mut finished) = (0, 0, 0);
    for write in 0..=WRITES {
        for failure in [StoreFailure::DieBefore, StoreFailure::DieAfter] {
            let world = World::new();
            let conversations = world.conversations();
            conversations.open(&id(), opened()).await.unwrap();
            conversations.say(&id(), "go").await.unwrap();
            conversations.flush().await;
            let dead = Arc::new(Notify::new());
            let signal = Arc::clone(&dead);
            let on_failure = move || signal.notify_one();
            let (inner, at) = (Arc::clone(&world.store), (failure, write));
            let store = FaultyStore::new(inner, at, Counted::KeysAndLogs, on_failure);
            let dying = world.conversations_on(Arc::new(store));
            let (conversation, by) = (id(), world.answerer(Script::new(replies())));
            tokio::select! {
                _ = dying.run_turn(&conversation, &by) => finished += 1,
                () = dead.notified() => {}
            }
            drop(dying);
            world.after_a_while();
            // The model continues with the replies that are missing.
            let replied = events(&conversations).await;
            let replied =
                replied.iter().filter(|e| matches!(e, ConversationEvent::Replied { .. })).count();
            assert!(
                world.ran("note") <= replied,
                "{failure:?} {write}: a call ran before its reply was on disk"
            );
            let script = Script::new(replies().into_iter().skip(replied));
            let end = world.conversations().run_turn(&id(), &world.answerer(script)).await.unwrap();
            assert!(world.ran("note") <= 1, "{failure:?} {write}: {:?}", world.done());
            match end {
                TurnResult::Ended(EndReason::Answered) | TurnResult::Nothing => {
                    assert_eq!(world.ran("note"), 1, "{failure:?} {write}");
                    assert_eq!(transcript(&world).await, whole, "{failure:?} {write}");
                    same += 1;
                }
                TurnResult::Left => panic!("the turn was not left"),
                TurnResult::Waiting => {
                    let conversation = conversations.get(&id()).await.unwrap();
                    let waiting = &conversation.open_turn().unwrap().waiting;
                    let doubt = WaitsFor::Knowledge { tool: "note".into() };
                    assert!(waiting.values().all(|what| *what == doubt), "{waiting:?}");
                    asked += 1;
                }
                TurnResult::Ended(other) => panic!("{failure:?} {write}: {other:?}"),
            }
        }
    }
    assert!(same > 10 && asked > 0 && finished > 0, "{same} {asked} {finished}");
}
