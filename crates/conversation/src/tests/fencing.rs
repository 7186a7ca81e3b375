//! A process that has lost its lease: what it writes does not count, and it starts no write.

use std::sync::Arc;

use contract::{Deltas, Model, ModelFacts, ReplyFuture, Request};

use super::world::{Script, World, calls, events, id, opened, says};
use crate::{ConversationEvent, ConversationFault, EndReason, TurnResult};

#[tokio::test]
async fn what_a_process_writes_after_another_took_its_turn_over_does_not_count() {
    let world = World::new();
    let (first, second) = (world.conversations(), world.conversations());
    first.open(&id(), opened()).await.unwrap();
    first.say(&id(), "go").await.unwrap();
    let held = first.lease(&id()).await.unwrap();
    let before = first.events(&id()).await.unwrap();
    let mut feed = second.follow(&id(), &before).await.unwrap();
    // The first process is frozen; its key is gone.
    world.after_a_while();
    let script = Script::new([says("from the second")]);
    let end = second.run_turn(&id(), &world.answerer(script)).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    let counted = second.get(&id()).await.unwrap();
    // It believes that it still has the lease.
    let late = ConversationEvent::Ended { turn: 1, how: EndReason::Cancelled };
    first.append_with_lease(&id(), &late, &held).await.unwrap();
    let fresh = ConversationEvent::Said { turn: 2, text: "x".into(), files: vec![], model: None };
    first.append_with_lease(&id(), &fresh, &held).await.unwrap();
    let confirmed = held.hold().unwrap().confirm().await;
    assert!(matches!(confirmed, Err(ConversationFault::Held)), "{confirmed:?}");
    let all = events(&second).await;
    let count = |wanted: &ConversationEvent| all.iter().filter(|one| *one == wanted).count();
    assert_eq!(count(&ConversationEvent::Superseded), 2, "{all:?}");
    assert_eq!(count(&ConversationEvent::TakenOver), 1, "{all:?}");
    let now = second.get(&id()).await.unwrap();
    assert_eq!((&now.turns, now.newest), (&counted.turns, 1));
    // A follower gets the same.
    for expected in all.iter().skip(before.len()) {
        assert_eq!(feed.next().await.unwrap().event, *expected);
    }
    // What did not count prevents nothing.
    assert_eq!(second.say(&id(), "and now?").await.unwrap(), 2);
}

/// While it is asked, another process takes the turn over and finishes it.
struct Overtaken {
    world: Arc<World>,
    inner: Arc<Script>,
}

impl Model for Overtaken {
    fn facts(&self) -> &ModelFacts {
        self.inner.facts()
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        let world = Arc::clone(&self.world);
        Box::pin(async move {
            world.after_a_while();
            let options = world.answerer(Script::new([says("from the second")]));
            let other = world.conversations();
            // Boxed: it asks a model as this does.
            let turn: ReplyFuture<'_> = Box::pin(async {
                let end = other.run_turn(&id(), &options).await.unwrap();
                assert_eq!(end, TurnResult::Ended(EndReason::Answered));
                Ok(says(""))
            });
            turn.await.unwrap();
            self.inner.ask(request, deltas).await
        })
    }
}

#[tokio::test]
async fn a_write_does_not_start_after_the_lease_was_lost() {
    let world = Arc::new(World::new());
    let first = world.conversations();
    first.open(&id(), opened()).await.unwrap();
    first.say(&id(), "go").await.unwrap();
    let inner = Script::new([calls(&[("a", "note")])]);
    let model = Arc::new(Overtaken { world: Arc::clone(&world), inner });
    let end = first.run_turn(&id(), &world.answerer(model)).await;
    assert!(matches!(end, Err(ConversationFault::Held)), "{end:?}");
    assert_eq!(world.ran("note"), 0);
    let conversation = first.get(&id()).await.unwrap();
    assert_eq!(conversation.turns[0].ended, Some(EndReason::Answered));
    assert_eq!(conversation.turns[0].rounds.len(), 1);
}
