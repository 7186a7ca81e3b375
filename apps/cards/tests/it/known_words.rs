//! FC-24: known words are taken out before anything is paid, with the forms that cards have
//! shown of them.

use cards::{ContextsMax, RetryScope, Sending, WorkEnd};
use contract::{Model as _, Part};
use testkit::script::{ScriptedModel, says};

use crate::world::{World, answer, good, model, pair, sent};

/// The texts of all requests.
fn inputs(model: &ScriptedModel) -> Vec<String> {
    let input = |request: &contract::Request| match &request.messages[0].blocks[0].part {
        Part::Text { text } => text.clone(),
        other => panic!("{other:?}"),
    };
    model.requests().iter().map(input).collect()
}

async fn learn(world: &World, words: &[&str]) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    world.library.learn(&pair().from, &words).await.unwrap();
}

#[tokio::test]
async fn fc_24_a_sentence_of_known_words_is_not_sent_and_other_known_words_are_named() {
    let world = World::new();
    learn(&world, &["suns", "rej"]).await;
    let run = world.begin("Suns rej. Suns skrien. Putns dzied.").await;
    let model = model(good);
    let estimate = world.library.estimate(&run, model.facts(), Sending::Live).await.unwrap();
    assert_eq!((estimate.sentences, estimate.known, estimate.reused), (2, 1, 0));
    assert_eq!(world.work(&run, &model).await, WorkEnd::Ready);
    assert_eq!(inputs(&model), ["[1] Suns skrien.\n[2] Putns dzied.\nKnown: suns"]);
    assert_eq!(world.told(&run).await[0], "0 Skipped");
    // A person can still ask for it.
    world.library.retry(&run, &RetryScope::These(vec![0])).await.unwrap();
    world.work(&run, &model).await;
    assert_eq!(sent(&model).last().unwrap(), &[0]);
}

#[tokio::test]
async fn fc_24_known_words_make_the_estimate_smaller() {
    let world = World::new();
    let run = world.begin("Suns un kaķis un putns un zivs skrien.").await;
    let model = model(good);
    let tokens = async || {
        let estimate = world.library.estimate(&run, model.facts(), Sending::Live).await;
        estimate.unwrap().output_tokens
    };
    let before = tokens().await;
    learn(&world, &["un", "kaķis", "putns"]).await;
    assert!(tokens().await < before);
}

/// A card of `būt` whose form is `ir`.
fn forms(sentences: &[(usize, String)]) -> testkit::script::Step {
    let mut cards = answer(sentences);
    for card in cards["flashcards"].as_array_mut().unwrap() {
        let form = card["contexts"][0]["forms"][0]["form"].as_str().unwrap().to_lowercase();
        let base = match form.as_str() {
            "ir" | "esmu" => "būt",
            // `Ceļu` is a form of two words.
            "ceļu" if card["contexts"][0]["sid"] == 2 => "ceļš",
            "ceļu" => "celt",
            other => other,
        };
        card["base_form"] = base.into();
    }
    says(&cards.to_string())
}

#[tokio::test]
async fn fc_24_forms_are_known_from_the_cards() {
    let world = World::new();
    let first = world.begin("Ir labi. Esmu te. Ceļu redzu. Ceļu akmeni.").await;
    world.work(&first, &model(forms)).await;
    // By one form the word is known, and by the word every form of it.
    learn(&world, &["ir", "celt"]).await;
    let deck = world.library.deck(&first, ContextsMax::USUAL).await.unwrap();
    let known: Vec<_> =
        deck.cards.iter().filter(|card| card.known).map(|card| card.key.base()).collect();
    assert_eq!(known, ["būt", "celt"]);
    let second = world.begin_in("Esmu. Ceļu ilgi.", "b.txt", "ru").await;
    let model = model(forms);
    world.work(&second, &model).await;
    // `ceļu` may be the other word.
    assert_eq!(inputs(&model), ["[1] Ceļu ilgi."]);
}
