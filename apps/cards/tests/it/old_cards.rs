//! Stores of version 1, whose keys did not name the target language, keep everything.
//!
//! That version wrote `old_cards/`: a Ukrainian and a Russian run that share the word `suns`,
//! edits, an import, reviews, a known word, and a package of each run.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use cards::{ContextsMax, Learning, Library, RunId};
use store::{SqliteOptions, SqliteStore};

use crate::reviews::plan;
use crate::world::{Moved, World};

pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/old_cards");
pub(crate) const RUNS: [&str; 2] = ["uk-943c169d", "ru-0dc2cfa5"];

const STORE: &str = include_str!("old_cards/store.jsonl");

pub(crate) async fn world() -> World {
    let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
    store.import(Cursor::new(STORE)).await.unwrap();
    let clock = Moved::new();
    clock.pass(Duration::from_secs(4_000));
    World { library: Library::new(Arc::new(store), clock.clone()), clock }
}

fn runs() -> [RunId; 2] {
    RUNS.map(|run| run.parse().unwrap())
}

async fn lines(library: &Library, run: &RunId) -> Vec<String> {
    let deck = library.deck(run, ContextsMax::USUAL).await.unwrap();
    let line = |card: &cards::DeckCard| {
        let context = card.card.contexts.first();
        let said = context.map(|context| context.translation.clone()).unwrap_or_default();
        let marks = format!("{} {}", card.edited, card.is_visible());
        format!("{} {} [{said}] {marks}", card.key, card.card.meaning())
    };
    deck.cards.iter().map(line).collect()
}

#[tokio::test]
async fn edits_and_imports_of_version_1_still_count_each_for_its_language() {
    let library = world().await.library;
    let [uk, ru] = runs();
    for _ in 0..2 {
        assert_eq!(
            lines(&library, &uk).await,
            [
                "lv:uk:word:suns пес [Перевод 0.] true true",
                "lv:uk:word:kaķis значение Kaķis [Кіт біжить.] true true",
            ]
        );
        assert_eq!(
            lines(&library, &ru).await,
            [
                "lv:ru:word:suns значение Suns [Перевод 0.] false true",
                "lv:ru:word:putns значение Putns [Перевод 1.] false true",
                "lv:ru:word:zivs значение Zivs [Перевод 2.] false false",
                "lv:ru:word:jūra море [] false true",
            ]
        );
    }
    // An edit of that version is undone as before.
    assert!(library.undo(&ru).await.unwrap() && library.undo(&ru).await.unwrap());
    assert_eq!(
        lines(&library, &ru).await[2..],
        ["lv:ru:word:zivs значение Zivs [Перевод 2.] false true"]
    );
    assert!(!library.undo(&ru).await.unwrap());
}

#[tokio::test]
async fn reviews_of_version_1_count_for_every_pair_that_had_the_card_and_for_no_new_one() {
    let world = world().await;
    let learned = async |run: &RunId| -> Vec<(String, Learning)> {
        let queue = world.library.due(Some(run), plan(9)).await.unwrap();
        queue.cards.iter().map(|due| (due.card.key.to_string(), due.learning)).collect()
    };
    let [uk, ru] = runs();
    world.clock.pass(Duration::from_secs(60 * 86_400));
    let key = |text: &str| text.to_owned();
    assert_eq!(
        learned(&uk).await,
        [(key("lv:uk:word:suns"), Learning::Known), (key("lv:uk:word:kaķis"), Learning::New)]
    );
    let russian = learned(&ru).await;
    assert!(russian.contains(&(key("lv:ru:word:suns"), Learning::Known)), "{russian:?}");
    assert!(russian.contains(&(key("lv:ru:word:putns"), Learning::Known)), "{russian:?}");
    let new = world.begin_in("Suns rej.", "de.txt", "de").await;
    world.work(&new, &crate::world::model(crate::world::good)).await;
    assert_eq!(learned(&new).await, [(key("lv:de:word:suns"), Learning::New)]);
}

#[tokio::test]
async fn the_runs_of_version_1_can_be_removed_and_their_notes_keep_their_ids() {
    let world = world().await;
    let [uk, ru] = runs();
    let ids = async |run: &RunId| -> Vec<String> {
        let text = world.library.anki_text(run, ContextsMax::USUAL).await.unwrap();
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        rows.map(|row| row.split('\t').next().unwrap().to_owned()).collect()
    };
    let before = ids(&uk).await;
    for run in [&uk, &ru] {
        world.library.remove(run).await.unwrap();
    }
    let again = world.begin_in("Suns rej. Kaķis skrien.", "uk.txt", "uk").await;
    assert_eq!(again, uk);
    world.work(&again, &crate::world::model(crate::world::good)).await;
    assert_eq!(ids(&again).await, before);
    assert_eq!(
        lines(&world.library, &again).await[0],
        "lv:uk:word:suns пес [Перевод 0.] true true"
    );
}
