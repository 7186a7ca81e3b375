//! FC-20, FC-21: one vocabulary for each language pair, across texts.

use cards::{
    CardChange, CardKey, ContextChange, ContextsMax, RetryScope, RunId, Sending, Strategy,
    read_cards,
};
use contract::Model;

use crate::world::{World, good, model, pair, sent};

fn key(word: &str) -> CardKey {
    format!("lv:ru:word:{word}").parse().unwrap()
}

fn meaning(text: &str) -> CardChange {
    CardChange { base_translation: Some(text.to_owned()), ..CardChange::default() }
}

/// A run of a text with its cards.
async fn made(world: &World, text: &str, document: &str, to: &str) -> RunId {
    let run = world.begin_in(text, document, to).await;
    world.work(&run, &model(good)).await;
    run
}

/// A card as `meaning | sentence (text) | …`.
async fn shown(world: &World, run: &RunId, word: &str) -> String {
    let card = world.library.card(run, &key(word)).await.unwrap().card;
    let mut parts = vec![card.meaning()];
    for context in &card.contexts {
        let from = context.document.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        parts.push(format!("{}{from}", context.text));
    }
    parts.join(" | ")
}

#[tokio::test]
async fn fc_21_the_same_word_in_two_target_languages_is_two_cards_with_their_own_edits() {
    let world = World::new();
    let ukrainian = made(&world, "Suns rej.", "a.txt", "uk").await;
    let russian = made(&world, "Suns rej.", "a.txt", "ru").await;
    world.library.change(&russian, &key("suns"), meaning("пёс")).await.unwrap();
    let cards = async |run: &RunId| {
        let deck = world.library.deck(run, ContextsMax::USUAL).await.unwrap();
        let card = deck.cards[0].clone();
        (card.key.to_string(), card.card.meaning())
    };
    assert_eq!(cards(&ukrainian).await, ("lv:uk:word:suns".into(), "значение Suns".into()));
    assert_eq!(cards(&russian).await, ("lv:ru:word:suns".into(), "пёс".into()));
    let queue = world.library.due(None, crate::reviews::plan(9)).await.unwrap();
    assert_eq!(queue.new, 2, "each is learned by itself");
}

#[tokio::test]
async fn fc_20_a_word_of_a_second_text_adds_its_sentence_to_the_same_card() {
    let world = World::new();
    let first = made(&world, "Draugs nāk. Draugs iet.", "a.txt", "ru").await;
    let second = made(&world, "Draugs smejas. Draugs dzied.", "b.txt", "ru").await;
    // Each text shows its own sentences first, at most three in all.
    assert_eq!(
        shown(&world, &first, "draugs").await,
        "значение Draugs | Draugs nāk. | Draugs iet. | Draugs smejas. (b.txt)"
    );
    assert_eq!(
        shown(&world, &second, "draugs").await,
        "значение Draugs | Draugs smejas. | Draugs dzied. | Draugs nāk. (a.txt)"
    );
    let all = world.library.words(&pair(), ContextsMax(9)).await.unwrap();
    assert_eq!((all.cards.len(), all.cards[0].card.contexts.len()), (1, 4));
    // A sentence that both texts have is there once.
    let third = made(&world, "Draugs nāk.", "c.txt", "ru").await;
    let all = world.library.words(&pair(), ContextsMax(9)).await.unwrap();
    assert_eq!(all.cards[0].card.contexts.len(), 4);
    assert_eq!(world.library.deck(&third, ContextsMax(1)).await.unwrap().cards.len(), 1);
}

#[tokio::test]
async fn an_edit_counts_in_later_texts_and_stays_when_its_text_is_removed() {
    let world = World::new();
    let first = made(&world, "Draugs nāk.", "a.txt", "ru").await;
    let change = CardChange {
        contexts: vec![ContextChange::new(0, "Товарищ идёт.")],
        ..meaning("товарищ")
    };
    world.library.change(&first, &key("draugs"), change).await.unwrap();
    let second = made(&world, "Draugs smejas. Kaķis skrien.", "b.txt", "ru").await;
    let card = world.library.card(&second, &key("draugs")).await.unwrap();
    assert_eq!((card.card.meaning().as_str(), card.edited), ("товарищ", true));
    // The sentence is found by what it says, wherever it stands on the card.
    assert_eq!(card.card.contexts[0].translation, "Перевод 0.");
    assert_eq!(card.card.contexts[1].translation, "Товарищ идёт.");
    world.library.remove(&first).await.unwrap();
    assert_eq!(shown(&world, &second, "draugs").await, "товарищ | Draugs smejas.");
    assert!(!world.library.undo(&second).await.unwrap(), "it was not made there");
    world.library.restore(&second, &key("draugs")).await.unwrap();
    assert_eq!(shown(&world, &second, "draugs").await, "значение Draugs | Draugs smejas.");
    assert!(world.library.undo(&second).await.unwrap());
    assert_eq!(shown(&world, &second, "draugs").await, "товарищ | Draugs smejas.");
}

#[tokio::test]
async fn what_is_hidden_in_one_text_is_hidden_in_all() {
    let world = World::new();
    let first = made(&world, "Draugs nāk.", "a.txt", "ru").await;
    let second = made(&world, "Draugs smejas.", "b.txt", "ru").await;
    world.library.show(&first, vec![key("draugs")], false).await.unwrap();
    let visible = async |run: &RunId| {
        world.library.deck(run, ContextsMax::USUAL).await.unwrap().visible().count()
    };
    assert_eq!((visible(&first).await, visible(&second).await), (0, 0));
    world.library.undo(&first).await.unwrap();
    assert_eq!((visible(&first).await, visible(&second).await), (1, 1));
}

#[tokio::test]
async fn a_file_that_is_preferred_counts_in_every_text_and_one_that_is_not_in_none() {
    let world = World::new();
    let first = made(&world, "Draugs nāk.", "a.txt", "ru").await;
    let file = r#"{"base_form":"draugs","base_translation":"приятель"}"#;
    let cards = read_cards(file, &pair()).unwrap();
    world.clock.pass(std::time::Duration::from_secs(1));
    let imported =
        world.library.begin_imported("deck.json", &pair(), file.as_bytes()).await.unwrap().id;
    world.library.import(&imported, &cards, Strategy::MergeKeepLocal).await.unwrap();
    assert!(shown(&world, &first, "draugs").await.starts_with("значение Draugs"));
    world.library.import(&imported, &cards, Strategy::MergePreferImported).await.unwrap();
    assert!(shown(&world, &first, "draugs").await.starts_with("приятель"));
    world.library.remove(&imported).await.unwrap();
    assert!(shown(&world, &first, "draugs").await.starts_with("значение Draugs"));
}

fn paragraphs(changed: &[usize]) -> String {
    let paragraph = |number: usize| {
        let word = if changed.contains(&number) { "Citādi" } else { "Vārds" };
        format!("{word}{number} stāv. Teikums{number} arī.")
    };
    (0..40).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

#[tokio::test]
async fn a_text_with_4_of_40_paragraphs_changed_pays_for_what_is_new() {
    let world = World::new();
    made(&world, &paragraphs(&[]), "a.txt", "ru").await;
    let run = world.begin_in(&paragraphs(&[3, 9, 20, 39]), "a.txt", "ru").await;
    let model = model(good);
    let estimate = world.library.estimate(&run, model.facts(), Sending::Live).await.unwrap();
    assert_eq!((estimate.sentences, estimate.reused), (4, 76));
    world.work(&run, &model).await;
    let asked: Vec<usize> = sent(&model).concat();
    assert_eq!(asked, [6, 18, 40, 78]);
    let told = world.told(&run).await;
    assert!(told.iter().all(|line| line.contains(" Received Перевод ")), "{told:?}");
    // Another language pair is another question, and a person's retry is always sent.
    let german = world.begin_in(&paragraphs(&[]), "a.txt", "de").await;
    let estimate = world.library.estimate(&german, model.facts(), Sending::Live).await.unwrap();
    assert_eq!((estimate.sentences, estimate.reused), (80, 0));
    world.library.retry(&run, &RetryScope::These(vec![0])).await.unwrap();
    world.work(&run, &model).await;
    assert_eq!(sent(&model).last().unwrap(), &[0]);
}

#[tokio::test]
async fn a_refrain_is_asked_about_once_and_its_hole_is_in_every_place() {
    let world = World::new();
    let text = "Aijā žūžū. Lācis guļ. Aijā  žūžū. Suns rej. Aijā\nžūžū.";
    let run = world.begin_in(text, "song.txt", "ru").await;
    let refusing =
        model(|sentences| match sentences.iter().any(|(_, text)| text.contains("Aijā")) {
            true => testkit::script::Step::new().refuses("no"),
            false => good(sentences),
        });
    assert_eq!(world.work(&run, &refusing).await, cards::WorkEnd::Holes(3));
    assert!(sent(&refusing).concat().iter().all(|index| ![2, 4].contains(index)));
    world.library.retry(&run, &RetryScope::Holes).await.unwrap();
    let model = model(good);
    assert_eq!(world.work(&run, &model).await, cards::WorkEnd::Ready);
    assert_eq!(sent(&model), [[0]]);
    let told = world.told(&run).await;
    for index in [0, 2, 4] {
        assert_eq!(told[index], format!("{index} Received Перевод 0."));
    }
}
