//! Where chunks begin and end.

use super::{chunks, unquoted};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<_> = chunks(text).iter().map(|chunk| chunk.text).collect();
    assert_eq!(found, expected);
}

#[test]
fn chunks_are_split_at_spaces_and_quotes_without_punctuation() {
    check("find the clock, please!", &["find", "the", "clock", "please"]);
    check("title \"Tide clock\", now", &["title", "Tide clock", "now"]);
    check("«морський годинник» і «лодка»", &["морський годинник", "і", "лодка"]);
    check("note='two words' x=3", &["note='two words'", "x=3"]);
    check("don't say 'it's fine'.", &["don't", "say", "it's fine"]);
    check("a \"b c", &["a", "\"b", "c"]);
    check("? !", &["?", "!"]);
    check("  ", &[]);
}

#[test]
fn the_last_chunk_of_a_long_message_is_the_rest() {
    let text = "слово ".repeat(1_000);
    let chunks = chunks(&text);
    assert_eq!(chunks.len(), 256);
    assert_eq!(chunks.last().unwrap().end, text.trim_end().len());
}

#[test]
fn a_value_loses_its_quotes() {
    assert_eq!(unquoted("'two words'"), "two words");
    assert_eq!(unquoted("«два слова»,"), "два слова");
    assert_eq!(unquoted("plain"), "plain");
}

#[test]
fn every_place_is_a_character_boundary() {
    let text = "«ґава» 😀=“б в”, \u{301}'";
    for chunk in chunks(text) {
        assert!(text.get(chunk.start..chunk.end).is_some_and(|raw| raw.contains(chunk.text)));
    }
}
