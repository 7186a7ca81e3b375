//! FC-17, FC-18, FC-24: edits, imports and known words.

use cards::{
    CardChange, CardKey, CardView, CardsFault, Chunking, ContextChange, ContextsMax, ExportHead,
    NewRun, RetryScope, RunId, RunInfo, Strategy, json, jsonl, read_cards,
};

use crate::world::{World, good, model, pair};

const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied.";

async fn made() -> (World, RunId) {
    let world = World::new();
    let run = world.begin(TEXT).await;
    world.work(&run, &model(good)).await;
    (world, run)
}

fn key(word: &str) -> CardKey {
    format!("lv:ru:word:{word}").parse().unwrap()
}

async fn meaning(world: &World, run: &RunId, word: &str) -> String {
    world.library.card(run, &key(word)).await.unwrap().card.meaning()
}

#[tokio::test]
async fn a_removed_run_is_gone_and_the_same_text_begins_anew() {
    let (world, run) = made().await;
    world.library.change(&run, &key("suns"), CardChange::default()).await.unwrap();
    world.library.remove(&run).await.unwrap();
    assert!(matches!(world.library.find(Some(&run)).await, Err(CardsFault::NoRun(_))));
    assert!(matches!(world.library.remove(&run).await, Err(CardsFault::NoRun(_))));
    assert_eq!(world.begin(TEXT).await, run);
    let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    assert!(deck.cards.is_empty());
    world.work(&run, &model(good)).await;
    assert_eq!(meaning(&world, &run, "suns").await, "значение Suns");
}

#[tokio::test]
async fn fc_17_an_edit_is_seen_everywhere_and_can_be_taken_back() {
    let (world, run) = made().await;
    let before = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    let change = |text: &str| CardChange {
        base_translation: Some(text.to_owned()),
        contexts: vec![ContextChange::new(0, "Собака лает.")],
        ..CardChange::default()
    };
    world.library.change(&run, &key("suns"), change("собака")).await.unwrap();
    world.library.change(&run, &key("suns"), change("пёс")).await.unwrap();
    let card = world.library.card(&run, &key("suns")).await.unwrap();
    assert_eq!((card.card.meaning().as_str(), card.edited), ("пёс", true));
    assert_eq!(card.card.contexts[0].translation, "Собака лает.");
    assert!(world.library.undo(&run).await.unwrap());
    assert_eq!(meaning(&world, &run, "suns").await, "собака");
    // The front may change; the key never does.
    let front = CardChange { base_form: Some("Suns!".to_owned()), ..CardChange::default() };
    world.library.change(&run, &key("suns"), front).await.unwrap();
    assert_eq!(world.library.card(&run, &key("suns")).await.unwrap().card.base_form, "Suns!");
    world.library.restore(&run, &key("suns")).await.unwrap();
    assert_eq!(world.library.deck(&run, ContextsMax::USUAL).await.unwrap(), before);
    assert!(world.library.change(&run, &key("nav"), CardChange::default()).await.is_err());
}

#[tokio::test]
async fn fc_17_what_is_hidden_is_hidden_everywhere() {
    let (world, run) = made().await;
    world.library.show(&run, vec![key("suns"), key("putns")], false).await.unwrap();
    let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    assert_eq!(deck.visible().count(), 1);
    let views = world.library.sentences(&run, "en").await.unwrap();
    let marked =
        |index: usize| views[index].segments.iter().filter(|one| one.mark.is_some()).count();
    assert_eq!((marked(0), marked(1), marked(2)), (0, 1, 0));
    let text = world.library.anki_text(&run, ContextsMax::USUAL).await.unwrap();
    assert!(!text.contains("suns") && text.contains("kaķis"));
    let plan = crate::reviews::plan(9);
    assert_eq!(world.library.due(None, plan).await.unwrap().new, 1);
    world.library.undo(&run).await.unwrap();
    assert_eq!(world.library.deck(&run, ContextsMax::USUAL).await.unwrap().visible().count(), 3);
}

#[tokio::test]
async fn fc_24_known_words_hide_their_cards() {
    let (world, run) = made().await;
    let latvian = "lv".parse().unwrap();
    let words = ["SUNS ".to_owned(), "kaķis".to_owned(), String::new()];
    assert_eq!(world.library.learn(&latvian, &words).await.unwrap(), 2);
    assert_eq!(world.library.learn(&latvian, &words).await.unwrap(), 0);
    let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    let visible: Vec<_> = deck.visible().map(|card| card.key.base().to_owned()).collect();
    assert_eq!((visible, deck.cards.len()), (vec!["putns".to_owned()], 3));
    let gone = world.library.unlearn(&latvian, &words).await.unwrap();
    assert_eq!(gone, ["kaķis", "suns"].map(str::to_owned).into());
    assert!(world.library.unlearn(&latvian, &words).await.unwrap().is_empty());
    assert_eq!(world.library.deck(&run, ContextsMax::USUAL).await.unwrap().visible().count(), 3);
}

#[tokio::test]
async fn fc_18_what_is_exported_is_imported_again_the_same() {
    let (world, run) = made().await;
    let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    let head = ExportHead::new("story.txt", &pair(), "en", 1_800_000_000_000);
    assert_eq!(head.exported_at, "2027-01-15T08:00:00Z");
    for content in [json(&deck.cards, &head).unwrap(), jsonl(&deck.cards).unwrap()] {
        let cards = read_cards(&content, &pair()).unwrap();
        let new = world.library.begin_imported("f", &pair(), content.as_bytes()).await.unwrap();
        world.library.import(&new.id, &cards, Strategy::ReplaceAll).await.unwrap();
        let imported = world.library.deck(&new.id, ContextsMax::USUAL).await.unwrap();
        assert_eq!(imported, deck);
    }
}

#[tokio::test]
async fn fc_18_three_strategies_do_what_they_say_and_the_preview_says_it_before() {
    let (world, run) = made().await;
    let file = r#"{"base_form":"suns","base_translation":"пёс"}
{"base_form":"jauns","base_translation":"новый"}"#;
    let cards = read_cards(file, &pair()).unwrap();
    let sums = async |strategy| {
        let preview = world.library.preview_import(&run, &cards, strategy).await.unwrap();
        (preview.added.len(), preview.changed.len(), preview.removed.len(), preview.kept)
    };
    assert_eq!(sums(Strategy::ReplaceAll).await, (1, 1, 2, 0));
    assert_eq!(sums(Strategy::MergeKeepLocal).await, (1, 0, 0, 3));
    assert_eq!(sums(Strategy::MergePreferImported).await, (1, 1, 0, 2));
    assert_eq!(meaning(&world, &run, "suns").await, "значение Suns", "a preview changes nothing");
    for (strategy, count, said) in [
        (Strategy::MergeKeepLocal, 4, "значение Suns"),
        (Strategy::MergePreferImported, 4, "пёс"),
        (Strategy::ReplaceAll, 2, "пёс"),
    ] {
        world.library.import(&run, &cards, strategy).await.unwrap();
        let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
        assert_eq!(deck.cards.len(), count, "{strategy:?}");
        assert_eq!(meaning(&world, &run, "suns").await, said);
        world.library.undo(&run).await.unwrap();
    }
    assert_eq!(meaning(&world, &run, "suns").await, "значение Suns");
}

#[tokio::test]
async fn fc_16_a_card_has_its_word_found_in_its_sentences() {
    let (world, run) = made().await;
    let card = world.library.card(&run, &key("suns")).await.unwrap();
    let view = CardView::new(card);
    let pieces: Vec<_> = view.pieces[0].iter().map(|one| (one.text.as_str(), one.marked)).collect();
    assert_eq!(pieces, [("Suns", true), (" rej.", false)]);
    assert_eq!((view.meaning.as_str(), view.shown), ("значение Suns", true));
    let views = world.library.sentences(&run, "en").await.unwrap();
    let mark = views[0].segments[0].mark.clone().unwrap();
    assert_eq!((mark.translation.as_str(), mark.meaning.as_str()), ("перевод", "значение Suns"));
}

#[tokio::test]
async fn each_owner_has_runs_and_known_words_of_their_own() {
    let (world, run) = made().await;
    let (ana, ben) = (world.library.of("ana"), world.library.of("ben"));
    let beginning =
        NewRun { document: "story.txt".to_owned(), pair: pair(), chunking: Chunking::usual() };
    let hers = ana.begin(TEXT, &beginning).await.unwrap().id;
    let his = ben.begin(TEXT, &beginning).await.unwrap().id;
    assert_ne!(hers, his);
    let names = |heads: Vec<RunInfo>| heads.into_iter().map(|head| head.id).collect::<Vec<_>>();
    assert_eq!(names(world.library.runs().await.unwrap()), std::slice::from_ref(&run));
    assert_eq!(names(ana.runs().await.unwrap()), std::slice::from_ref(&hers));
    for strange in [&run, &his] {
        assert!(ana.snapshot(strange).await.is_err());
        assert!(ana.events(strange).await.is_err());
        assert!(ana.view(strange, "en").await.is_err());
        assert!(ana.undo(strange).await.is_err());
        assert!(ana.retry(strange, &RetryScope::Holes).await.is_err());
        assert!(ana.forget_batch(strange).await.is_err());
    }
    let latvian = "lv".parse().unwrap();
    ana.learn(&latvian, &["suns".to_owned()]).await.unwrap();
    assert_eq!(ana.known(&latvian).await.unwrap().len(), 1);
    assert!(ben.known(&latvian).await.unwrap().is_empty());
    assert!(world.library.known(&latvian).await.unwrap().is_empty());
}
