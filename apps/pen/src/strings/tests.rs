//! The table is complete, its texts have the same places, and every key is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::TABLE;
use crate::text::language::{Lang, is_cyrillic};

/// The places for values in a text.
fn places(text: &str) -> BTreeSet<String> {
    let inside = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    inside.map(str::to_owned).collect()
}

#[test]
fn both_languages_have_every_text_with_the_same_places() {
    assert!(TABLE.len() > 100, "the table was not read");
    for (key, text) in TABLE.iter() {
        assert!(!text.uk.trim().is_empty() && !text.en.trim().is_empty(), "{key}");
        assert_eq!(places(&text.uk), places(&text.en), "{key}");
        assert!(!text.en.chars().any(is_cyrillic), "{key} has Cyrillic letters in English");
        let is_word = text.en.split_whitespace().count() > 1 && !text.en.contains("GHOSTPEN");
        let has_letters = text.uk.chars().any(is_cyrillic);
        assert!(has_letters || !is_word || text.uk == text.en, "{key} is not Ukrainian");
        assert_ne!(text.uk.chars().last(), Some(' '), "{key}");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_test = path.to_string_lossy().contains("tests");
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|end| end == "rs") && !is_test => {
                found.push(path)
            }
            false => {}
        }
    }
}

/// Every string literal of the sources that show texts.
fn literals() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    sources(&root.join("apps/pen/src"), &mut files);
    sources(&root.join("apps/pen/web/src"), &mut files);
    sources(&root.join("crates/cli/src"), &mut files);
    let mut found = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        found.extend(text.split('"').skip(1).step_by(1).map(str::to_owned));
    }
    found
}

#[test]
fn every_text_is_used_and_every_used_text_exists() {
    let literals = literals();
    let sections: BTreeSet<&str> =
        TABLE.keys().filter_map(|key| Some(key.split_once('.')?.0)).collect();
    // Keys of help are made from the command line; `cli` checks those.
    for key in TABLE.keys().filter(|key| !key.starts_with("help.")) {
        assert!(literals.contains(key), "`{key}` is not used");
    }
    let calls = [".say(\"", ".fill(\"", ".say(\n", ".fill(\n"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    sources(&root.join("apps/pen/src"), &mut files);
    sources(&root.join("apps/pen/web/src"), &mut files);
    sources(&root.join("crates/cli/src/commands/pen"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for call in calls {
            for (at, _) in text.match_indices(call) {
                let rest = text[at + call.len()..].trim_start().trim_start_matches('"');
                let key = rest.split('"').next().unwrap_or_default();
                let section = key.split_once('.').map(|(section, _)| section).unwrap_or_default();
                if sections.contains(section) {
                    assert!(TABLE.contains_key(key), "{}: `{key}`", file.display());
                }
            }
        }
    }
}

#[test]
fn places_are_filled() {
    let filled = Lang::Uk.fill("session.tokens", &[("input", &1), ("output", &2), ("cache", &3)]);
    assert!(filled.contains('1') && filled.contains('2') && !filled.contains('{'), "{filled}");
    assert_eq!(Lang::En.say("no.such.key"), "");
}
