//! Reviews: what is due, what is new, what returns in the same session, and what was undone.

use std::time::Duration;

use cards::{
    CardKey, Learning, NewOrder, Rating, Recall, Recalls, ReviewChange, ReviewPlan, RunId,
};

use crate::world::{World, good, model};

/// So many new cards a day; the day began long ago.
pub(crate) fn plan(new_max: usize) -> ReviewPlan {
    ReviewPlan {
        new_max,
        day_began: 0,
        ahead: Duration::ZERO,
        recalls: Recalls::MEANING,
        order: NewOrder::Text,
    }
}

async fn rate(world: &World, id: &str, key: &CardKey, recall: Recall, rating: Rating) -> u64 {
    world.library.review(id.parse().unwrap(), key, recall, rating).await.unwrap()
}

async fn three(world: &World) -> RunId {
    let run = world.begin("Suns rej. Kaķis skrien. Putns dzied.").await;
    world.work(&run, &model(good)).await;
    run
}

#[tokio::test]
async fn cards_come_again_when_they_are_due_and_new_ones_have_a_limit() {
    let world = World::new();
    let run = three(&world).await;
    let library = &world.library;
    let plan = ReviewPlan { day_began: library.now(), ..plan(2) };
    let queue = library.due(None, plan).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.new_later, queue.today), (0, 2, 1, 0));
    let key = queue.cards[0].card.key.clone();
    let [again, .., easy] = queue.cards[0].intervals;
    assert!(again < easy);
    rate(&world, "a", &key, Recall::Meaning, Rating::Again).await;
    // One of two new cards of the day is left.
    let queue = library.due(None, plan).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.new_later, queue.today), (0, 1, 1, 1));
    let sitting = ReviewPlan { ahead: ReviewPlan::LEARN_AHEAD, ..plan };
    let queue = library.due(None, sitting).await.unwrap();
    assert_eq!((queue.due, queue.cards[0].learning), (1, Learning::Learning));
    world.clock.pass(Duration::from_secs(3_600));
    assert_eq!(library.due(Some(&run), plan).await.unwrap().cards[0].card.key, key);
    let next = rate(&world, "b", &key, Recall::Meaning, Rating::Easy).await;
    assert!(next > library.now() + 86_400_000);
    let tomorrow = ReviewPlan { day_began: library.now() + 1, ..plan };
    let queue = library.due(None, tomorrow).await.unwrap();
    assert_eq!((queue.due, queue.new, queue.next_at, queue.today), (0, 2, Some(next), 0));
}

#[tokio::test]
async fn a_review_counts_once_however_often_it_is_sent_and_not_in_the_future() {
    let world = World::new();
    three(&world).await;
    let library = &world.library;
    let key = library.due(None, plan(9)).await.unwrap().cards[0].card.key.clone();
    let given = |at: u64| ReviewChange::Given {
        id: "one".parse().unwrap(),
        key: key.clone(),
        recall: Recall::Meaning,
        rating: Rating::Good,
        at,
    };
    let future = library.now() + 86_400_000;
    assert_eq!(library.record_reviews(vec![given(future), given(future)]).await.unwrap(), 1);
    assert_eq!(library.record_reviews(vec![given(5)]).await.unwrap(), 0);
    let since_now = ReviewPlan { day_began: library.now() + 1, ..plan(9) };
    assert_eq!(library.due(None, plan(9)).await.unwrap().today, 1);
    assert_eq!(library.due(None, since_now).await.unwrap().today, 0);
}

#[tokio::test]
async fn an_undone_review_never_happened() {
    let world = World::new();
    three(&world).await;
    let before = world.library.due(None, plan(9)).await.unwrap();
    let key = before.cards[0].card.key.clone();
    rate(&world, "slip", &key, Recall::Meaning, Rating::Easy).await;
    assert_eq!(world.library.due(None, plan(9)).await.unwrap().cards.len(), 2);
    let undo = || ReviewChange::Undone { id: "slip".parse().unwrap() };
    assert_eq!(world.library.record_reviews(vec![undo()]).await.unwrap(), 1);
    assert_eq!(world.library.record_reviews(vec![undo()]).await.unwrap(), 0);
    assert_eq!(world.library.due(None, plan(9)).await.unwrap(), before);
}

#[tokio::test]
async fn the_word_and_the_gap_come_after_the_meaning_is_known() {
    let world = World::new();
    three(&world).await;
    let all = Recalls { meaning: true, word: true, gap: true };
    let plan = ReviewPlan { recalls: all, ..plan(99) };
    let asked = async || -> Vec<Recall> {
        let queue = world.library.due(None, plan).await.unwrap();
        let suns = |due: &&cards::DueCard| due.card.key.base() == "suns";
        queue.cards.iter().filter(suns).map(|due| due.recall).collect()
    };
    assert_eq!(asked().await, [Recall::Meaning]);
    let key = "lv:ru:word:suns".parse().unwrap();
    rate(&world, "m", &key, Recall::Meaning, Rating::Easy).await;
    assert_eq!(asked().await, [Recall::Word]);
    rate(&world, "w", &key, Recall::Word, Rating::Easy).await;
    assert_eq!(asked().await, [Recall::Gap]);
    // Each is due on its own day.
    rate(&world, "g", &key, Recall::Gap, Rating::Again).await;
    assert_eq!(asked().await, []);
    world.clock.pass(Duration::from_secs(3_600));
    assert_eq!(asked().await, [Recall::Gap]);
}

#[tokio::test]
async fn new_cards_come_as_in_the_text_or_the_most_frequent_first() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien. Kaķis guļ.").await;
    world.work(&run, &model(good)).await;
    let first = async |order| {
        let plan = ReviewPlan { order, ..plan(1) };
        world.library.due(None, plan).await.unwrap().cards[0].card.key.base().to_owned()
    };
    assert_eq!(first(NewOrder::Text).await, "suns");
    assert_eq!(first(NewOrder::Frequency).await, "kaķis");
}
