//! Measurements of the golden profile's posts, and of small texts with known numbers.

use super::{Closing, Opening, measure};
use crate::style::profile::Profile;

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

#[test]
fn the_golden_posts_are_measured() {
    let profile = Profile::parse(GOLDEN).unwrap();
    let examples = profile.examples();
    let posts: Vec<_> = examples.iter().map(|example| example.text.as_str()).collect();
    let style = measure(&posts).unwrap();
    assert_eq!((style.posts, style.language.as_str()), (2, "uk"));
    assert!((3.0..8.0).contains(&style.rhythm.sentence_words.mean), "{:?}", style.rhythm);
    assert!(style.rhythm.fragment_share > 0.3);
    assert!(style.rhythm.sentence_per_line_share > 0.8);
    assert_eq!(style.emoji.most, 0);
    assert_eq!(style.arrows_per_post, 1.0);
    assert_eq!(style.hashtags.place, "none");
    assert!(style.avoid_candidates.iter().any(|word| word == "у сучасному світі"));
    let again = measure(&posts).unwrap();
    assert_eq!(style, again, "the same posts give the same numbers");
    let json = serde_json::to_value(&style).unwrap();
    assert_eq!(serde_json::from_value::<super::Stylometry>(json).unwrap(), style);
}

#[test]
fn small_texts_give_known_numbers() {
    let style =
        measure(&["Plot twist ahead. Four five.\n\nSix?", "Plot twist ahead, again! #a #b"])
            .unwrap();
    assert_eq!(style.rhythm.sentence_words.max, 4.0);
    assert_eq!(style.rhythm.sentence_words.mean, 2.4);
    assert_eq!(style.question_share, 0.2);
    assert_eq!(style.signature_candidates, ["plot twist ahead"]);
    assert_eq!((style.hashtags.per_post, style.hashtags.place.as_str()), (1.0, "body"));
    assert_eq!(style.openings, [(Opening::ShortStatement, 2)]);
    assert!(measure(&[]).is_none() && measure(&["  \n"]).is_none());
}

#[test]
fn openings_and_closings_have_kinds() {
    let open = |text: &str, kind: Opening| assert_eq!(Opening::of(text), kind, "{text}");
    open("Коли востаннє ви казали «ні»?", Opening::Question);
    open("Три роки тому я втратив всіх клієнтів.", Opening::FirstPerson);
    open("Контент-плани не працюють.", Opening::ShortStatement);
    open("73% постів ніхто не читає", Opening::Number);
    open("«Ви звільнені» — сказав він", Opening::Quote);
    let close = |text: &str, kind: Closing| assert_eq!(Closing::of(text), kind, "{text}");
    close("Текст.\nЯк у вас?\n\n#a #b", Closing::Question);
    close("Текст.\nЯкщо зайшло — збережіть.", Closing::Call);
    close("Текст.\nІ це нормально.", Closing::ShortStatement);
    close("Текст\nКоротко\n#a", Closing::Hashtags);
}
