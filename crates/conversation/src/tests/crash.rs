//! The process dies at every write, and another one takes the conversation up.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use contract::Reply;
use store::Store;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::state::WaitsFor;
use crate::turn::prompt::messages;
use crate::{ConversationEvent, EndReason, TurnResult};
use testkit::cut_store::CutStore;

/// How many writes the whole turn has; the last cut lies behind them.
const WRITES: usize = 21;

fn replies() -> Vec<Reply> {
    vec![calls(&[("a", "look"), ("b", "note"), ("c", "speak")]), says("done")]
}

/// What the model will be sent next, and how the turn ended.
async fn transcript(world: &World) -> (Vec<contract::Message>, Option<EndReason>) {
    let conversation = world.conversations().get(&id()).await.unwrap();
    (messages(&conversation), conversation.turns[0].ended.clone())
}

/// The "killing the process at any event": the same transcript in the end, or a
/// question to a person; no effect twice.
#[tokio::test]
async fn a_turn_cut_at_any_write_ends_the_same_or_asks() {
    let whole = {
        let world = World::new();
        let conversations = world.conversations();
        conversations.open(&id(), opened()).await.unwrap();
        conversations.say(&id(), "go").await.unwrap();
        conversations.run_turn(&id(), &world.answerer(Script::new(replies()))).await.unwrap();
        transcript(&world).await
    };
    let (mut same, mut asked, mut uncut) = (0, 0, 0);
    for cut in 0..=WRITES {
        for written in [false, true] {
            let world = World::new();
            let conversations = world.conversations();
            conversations.open(&id(), opened()).await.unwrap();
            conversations.say(&id(), "go").await.unwrap();
            conversations.flush().await;
            let (writes, dead) = (AtomicUsize::new(0), tokio::sync::Notify::new());
            let inner = Arc::clone(&world.store);
            let store = Arc::new(CutStore { inner, writes, cut, written, logs: true, dead });
            let dying = world.conversations_on(Arc::clone(&store) as Arc<dyn Store>);
            let (conversation, by) = (id(), world.answerer(Script::new(replies())));
            tokio::select! {
                _ = dying.run_turn(&conversation, &by) => uncut += 1,
                () = store.dead.notified() => {}
            }
            drop(dying);
            world.after_a_while();
            // What the model had not said yet it says now.
            let said = events(&conversations).await;
            let said =
                said.iter().filter(|e| matches!(e, ConversationEvent::Replied { .. })).count();
            assert!(world.ran("note") <= said, "cut {cut} {written}: what it wants is not known");
            let script = Script::new(replies().into_iter().skip(said));
            let end = world.conversations().run_turn(&id(), &world.answerer(script)).await.unwrap();
            assert!(world.ran("note") <= 1, "cut {cut} {written}: {:?}", world.done());
            match end {
                TurnResult::Ended(EndReason::Answered) | TurnResult::Nothing => {
                    assert_eq!(world.ran("note"), 1, "cut {cut} {written}");
                    assert_eq!(transcript(&world).await, whole, "cut {cut} {written}");
                    same += 1;
                }
                TurnResult::Left => panic!("nobody left it"),
                TurnResult::Waiting => {
                    let conversation = conversations.get(&id()).await.unwrap();
                    let waiting = &conversation.open_turn().unwrap().waiting;
                    let doubt = WaitsFor::Knowledge { tool: "note".into() };
                    assert!(waiting.values().all(|what| *what == doubt), "{waiting:?}");
                    asked += 1;
                }
                TurnResult::Ended(other) => panic!("cut {cut} {written}: {other:?}"),
            }
        }
    }
    assert!(same > 10 && asked > 0 && uncut > 0, "{same} {asked} {uncut}");
}
