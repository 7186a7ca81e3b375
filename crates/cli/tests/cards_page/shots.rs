//! Pictures of the flashcards page for the documents.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use crate::program::repository;
use crate::story::{Learner, STORY, choose, mode};

fn file(name: &str) -> PathBuf {
    let folder = repository().join("docs/images");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(format!("cards-{name}.png"))
}

#[test]
#[ignore = "writes docs/images; run it, then look at them"]
fn cards_shots() {
    let learner = Learner::new();
    let tab = learner.tab();
    tab.fill("#text", STORY);
    tab.shot(&file("text"));
    learner.refuses.store(true, Ordering::SeqCst);
    let tab = learner.learning(STORY);
    tab.press("ArrowRight");
    tab.sees(".face .base >> Anna");
    tab.press(" ");
    tab.sees(".face.flipped");
    mode(&tab, "translation");
    tab.sees("li[data-index='1'] [data-code=REFUSED]");
    tab.shot(&file("translation"));
    mode(&tab, "reading");
    tab.hover(".prose-text .w >> jūru");
    tab.sees("#tip >> моря");
    tab.shot(&file("reading"));
    learner.refuses.store(false, Ordering::SeqCst);
    tab.click(".in-place button >> Try again");
    tab.misses(".banner");
    tab.misses(".at-work");
    mode(&tab, "flash");
    tab.sees(".face");
    tab.shot(&file("front"));
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.scheme("dark");
    tab.shot(&file("back-dark"));
    mode(&tab, "edit");
    tab.sees(".deck li");
    tab.shot(&file("edit-dark"));
    tab.scheme("light");
    choose(&tab, "#locale", "uk");
    tab.sees("#modes >> Читання");
    tab.size(390, 844);
    tab.shot(&file("edit-phone"));
    mode(&tab, "flash");
    tab.sees(".face");
    tab.shot(&file("front-phone"));
}

#[test]
#[ignore = "writes docs/images; run it, then look at them"]
fn review_shots() {
    let learner = Learner::new();
    let tab = learner.learning(STORY);
    mode(&tab, "review");
    tab.sees(".review .face");
    tab.size(1440, 900);
    tab.shot(&file("review"));
    tab.press(" ");
    tab.sees(".face.flipped");
    tab.scheme("dark");
    tab.shot(&file("review-answer-dark"));
    tab.scheme("light");
    choose(&tab, "#locale", "uk");
    tab.sees("#modes >> Повторення");
    tab.size(390, 844);
    tab.click("[data-act=turn]");
    tab.sees(".face.flipped");
    tab.shot(&file("review-phone"));
    tab.offline(true);
    tab.click("[data-rating=good]");
    tab.sees(".kept");
    tab.scheme("dark");
    tab.shot(&file("review-offline-phone-dark"));
    tab.offline(false);
    tab.eval("document.querySelector('.kept [data-act=send]')?.click()");
    tab.misses(".kept");
    tab.scheme("light");
    tab.click(".review-settings > summary");
    tab.click("[data-recall-wish=gap]");
    tab.click("[data-recall-wish=meaning]");
    tab.sees(".face[data-recall=gap]");
    tab.shot(&file("review-gap-phone"));
    mode(&tab, "reading");
    tab.sees(".prose-text .w");
    tab.shot(&file("reading-phone"));
    tab.open(&format!("{}cards", learner.pad.url));
    tab.sees(".due-now");
    tab.shot(&file("due-phone"));
    tab.size(1440, 900);
    tab.click("#review-now");
    tab.sees(".review .face");
    while tab.eval("document.querySelector('.all-done') === null") == true {
        tab.press(" ");
        tab.press("4");
    }
    tab.sees(".all-done");
    tab.shot(&file("review-done"));
}
