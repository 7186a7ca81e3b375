//! FC-07: the invariants of a manifest.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{BadManifest, Chunking, Manifest};

fn manifest(text: &str) -> Manifest {
    Manifest::of(text, &"lv".parse().unwrap(), "story.txt", Chunking::usual())
}

const STORY: &str =
    "Suns rej. Kaķis skrien.\n\nPutns dzied. Kaķis skrien.\n\nSuns rej. Kaķis skrien.";

#[test]
fn a_manifest_rebuilds_its_text() {
    let manifest = manifest(STORY);
    assert_eq!(manifest.check(STORY), Ok(()));
    assert_eq!(manifest.text(STORY, 2), "Putns dzied.");
    assert_eq!(manifest.stats().sentences, 6);
    assert_eq!(manifest, self::manifest(STORY));
}

#[test]
fn fc_07_a_sid_survives_edits_in_other_blocks() {
    let before = manifest(STORY);
    let edited = STORY.replace("Putns dzied.", "Zivs peld dziļi.");
    let after = manifest(&edited);
    let names = |manifest: &Manifest| -> BTreeSet<String> {
        manifest.sentences.iter().map(|sentence| sentence.sid.clone()).collect()
    };
    let kept: Vec<_> = names(&before).intersection(&names(&after)).cloned().collect();
    // Four of six: the two sentences of the edited block have new names.
    assert_eq!(kept.len(), 4);
    assert_eq!(names(&before).len(), 6, "the same words in two blocks are two sentences");
    let other = Manifest::of(STORY, &"lv".parse().unwrap(), "other.txt", Chunking::usual());
    assert!(names(&before).is_disjoint(&names(&other)));
}

#[test]
fn what_does_not_belong_to_the_text_is_found() {
    let check = |change: fn(&mut Manifest), expected: BadManifest| {
        let mut manifest = manifest(STORY);
        change(&mut manifest);
        assert_eq!(manifest.check(STORY), Err(expected));
    };
    check(|m| m.sentences.swap(0, 1), BadManifest::Index { at: 0, found: 1 });
    check(|m| m.sentences[1].sig.clear(), BadManifest::Signature { index: 1 });
    check(|m| m.sentences[1].end = 9_999, BadManifest::Span { index: 1 });
    check(|m| m.sentences[1].start = 12, BadManifest::Gap { index: 1 });
    check(|m| m.sentences[0].end = 0, BadManifest::Empty { index: 0 });
    check(|m| m.sentences[1].sid = m.sentences[0].sid.clone(), BadManifest::Twice { index: 1 });
    check(|m| drop(m.sentences.pop()), BadManifest::Gap { index: 5 });
}

#[test]
fn a_chunk_holds_as_many_as_it_may() {
    let text = "Suns rej. ".repeat(25);
    let stats = manifest(&text).stats();
    assert_eq!((stats.sentences, stats.chunks, stats.chunk_sentences_max), (25, 3, 10));
    let long = format!("{} Viens. Divi.", "vārds ".repeat(1_000).trim_end().to_owned() + ".");
    assert_eq!(manifest(&long).stats().chunks, 2);
}

proptest! {
    #[test]
    fn the_manifest_of_any_text_holds(text in "[ \\nA-Za-zāčēī.!?…„“–0-9]{0,200}") {
        let manifest = manifest(&text);
        prop_assert_eq!(manifest.check(&text), Ok(()));
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let said: String =
            manifest.sentences.iter().map(|sentence| bare(&text[sentence.range()])).collect();
        prop_assert_eq!(said, bare(&text));
    }
}
