//! Doubtful meanings are marked, and asked for once more.

use std::sync::atomic::{AtomicUsize, Ordering};

use cards::{ContextsMax, Doubt, RunEvent, RunId, WorkEnd};
use contract::{FaultKind, ModelFault, Part};
use serde_json::json;
use testkit::script::{Step, fails, says};

use crate::world::{World, answer, good, model, sent};

const FIVE: &str = "Suns rej. Kaķis skrien. Putns dzied. Zivs peld. Zirgs iet.";

/// An answer with this meaning for every word.
fn all_mean(sentences: &[(usize, String)], meaning: &str) -> Step {
    let mut cards = answer(sentences);
    for card in cards["flashcards"].as_array_mut().unwrap() {
        card["base_translation"] = json!(meaning);
    }
    says(&cards.to_string())
}

async fn doubts(world: &World, run: &RunId) -> Vec<(String, Vec<Doubt>)> {
    let deck = world.library.deck(run, ContextsMax::USUAL).await.unwrap();
    let doubted = deck.cards.into_iter().filter(|card| !card.doubts.is_empty());
    doubted.map(|card| (card.key.base().to_owned(), card.doubts)).collect()
}

async fn rechecks(world: &World, run: &RunId) -> Vec<Vec<usize>> {
    let events = world.library.events(run).await.unwrap();
    let recheck = |event| match event {
        RunEvent::Rechecked { sentences, .. } => Some(sentences),
        _ => None,
    };
    events.into_iter().filter_map(recheck).collect()
}

#[tokio::test]
async fn a_meaning_that_every_word_has_is_asked_for_once_more_and_then_marked() {
    let world = World::new();
    let run = world.begin(FIVE).await;
    let model = model(|sentences| all_mean(sentences, "Это ты?"));
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(sent(&model), [vec![0, 1, 2, 3], vec![4], vec![0, 1, 2, 3], vec![4]]);
    let asked = model.requests();
    let Part::Text { text } = &asked[2].messages[0].blocks[0].part else { panic!() };
    assert!(text.contains("Check every meaning"), "{text}");
    let marked = doubts(&world, &run).await;
    assert_eq!(marked.len(), 5);
    assert_eq!(marked[0], ("suns".to_owned(), vec![Doubt::Repeated]));
    // Once is enough, also when the run is started again.
    world.library.retry(&run, &cards::RetryScope::These(vec![0])).await.unwrap();
    world.work(&run, &model).await;
    assert_eq!(rechecks(&world, &run).await.len(), 1);
}

#[tokio::test]
async fn one_word_in_the_wrong_script_costs_one_sentence_and_the_better_answer_stays() {
    let world = World::new();
    let run = world.begin(FIVE).await;
    let times = AtomicUsize::new(0);
    let model = model(move |sentences| {
        let wrong = |index| times.fetch_add(1, Ordering::SeqCst) == 0 && index == 1;
        let mut cards = answer(sentences);
        for card in cards["flashcards"].as_array_mut().unwrap() {
            if card["contexts"][0]["sid"] == 1 && wrong(1) {
                card["base_translation"] = json!("kaķis");
            }
        }
        says(&cards.to_string())
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(sent(&model).last().unwrap(), &[1]);
    assert_eq!(rechecks(&world, &run).await, [[1]]);
    assert!(doubts(&world, &run).await.is_empty());
}

#[tokio::test]
async fn a_failed_second_answer_leaves_the_first_and_no_hole() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien.").await;
    let times = AtomicUsize::new(0);
    let model = model(move |sentences| match times.fetch_add(1, Ordering::SeqCst) {
        0 => all_mean(sentences, "dog"),
        _ => Step::new().refuses("no"),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    let told = world.told(&run).await;
    assert!(told.iter().all(|line| line.contains("Received Перевод")), "{told:?}");
    assert_eq!(doubts(&world, &run).await.len(), 2);
}

#[tokio::test]
async fn a_recheck_that_cannot_go_on_ends_and_the_run_is_ready() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien.").await;
    let times = AtomicUsize::new(0);
    let model = model(move |sentences| match times.fetch_add(1, Ordering::SeqCst) {
        0 => all_mean(sentences, "dog"),
        _ => fails(ModelFault {
            kind: FaultKind::SpendCap,
            message: "no money".to_owned(),
            fix: String::new(),
            status: Some(402),
            retry_after: None,
        }),
    });
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(model.requests().len(), 2);
    let told = world.told(&run).await;
    assert!(told.iter().all(|line| line.contains("Received Перевод")), "{told:?}");
    // It is not tried for ever.
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn what_a_person_wrote_is_not_doubted() {
    let world = World::new();
    let run = world.begin("Suns rej.").await;
    world.work(&run, &model(|sentences| all_mean(sentences, "dog"))).await;
    assert_eq!(doubts(&world, &run).await.len(), 1);
    let change = cards::CardChange {
        base_translation: Some("dog!".to_owned()),
        ..cards::CardChange::default()
    };
    world.library.change(&run, &"lv:ru:word:suns".parse().unwrap(), change).await.unwrap();
    assert!(doubts(&world, &run).await.is_empty());
}

#[tokio::test]
async fn good_answers_are_asked_for_once() {
    let world = World::new();
    let run = world.begin(FIVE).await;
    let model = model(good);
    world.work(&run, &model).await;
    assert_eq!(sent(&model).len(), 2);
    assert!(doubts(&world, &run).await.is_empty() && rechecks(&world, &run).await.is_empty());
}
