//! Reviews: what is due, what is new, and what returns in the same session.

use std::time::Duration;

use cards::{Learning, Rating, ReviewPlan};

use crate::world::{World, good, model};

/// So many new cards a day; the day began long ago.
pub(crate) fn plan(new_max: usize) -> ReviewPlan {
    ReviewPlan { new_max, day_began: 0, ahead: Duration::ZERO }
}

#[tokio::test]
async fn cards_come_again_when_they_are_due_and_new_ones_have_a_limit() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien. Putns dzied.").await;
    world.work(&run, &model(good)).await;
    let library = &world.library;
    let day_began = library.now();
    let plan = ReviewPlan { new_max: 2, day_began, ahead: Duration::ZERO };
    let queue = library.due(None, plan).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.new_later), (0, 2, 1));
    let key = queue.cards[0].card.key.clone();
    let [again, .., easy] = queue.cards[0].intervals;
    assert!(again < easy);
    library.review(&key, Rating::Again).await.unwrap();
    // One of two new cards of the day is left.
    let queue = library.due(None, plan).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.new_later), (0, 1, 1));
    let sitting = ReviewPlan { ahead: Duration::from_secs(1_200), ..plan };
    let queue = library.due(None, sitting).await.unwrap();
    assert_eq!((queue.due, queue.cards[0].learning), (1, Learning::Learning));
    world.clock.pass(Duration::from_secs(3_600));
    assert_eq!(library.due(Some(&run), plan).await.unwrap().cards[0].card.key, key);
    let next = library.review(&key, Rating::Easy).await.unwrap();
    assert!(next > library.now() + 86_400_000);
    let tomorrow = ReviewPlan { day_began: library.now(), ..plan };
    let queue = library.due(None, tomorrow).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.next_at), (0, 2, Some(next)));
}
