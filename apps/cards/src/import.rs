//! Reads cards from files: our own exports, and those of other programs and services.
//!
//! | file | looks like |
//! | --- | --- |
//! | export | `{"cards": […]}`, or a list of cards |
//! | answer of a model | `{"flashcards": […]}` |
//! | batch result | `{"schemaVersion": 1, "items": [{sid, russian, cards}]}` |
//! | lines | one card, or one answer of the Anthropic console, on each line |
//!
//! Must hold: a file is read as a whole or not at all; a fault names the card and the place.

use serde_json::Value;

use crate::deck::card::{Card, read};
use crate::fault::CardsFault;
use crate::model::prompt::EMIT_FLASHCARDS;
use crate::text::language::Pair;

/// The largest file that is read.
pub const IMPORT_BYTES_MAX: usize = 20 << 20;

/// Reads the cards of a file; the languages apply where a card names none.
pub fn read_cards(content: &str, pair: &Pair) -> Result<Vec<Card>, CardsFault> {
    if content.len() > IMPORT_BYTES_MAX {
        let what = format!("the file has more than {} MB", IMPORT_BYTES_MAX >> 20);
        return Err(CardsFault::Import(what));
    }
    let content = content.trim_start_matches('\u{feff}');
    let mut found = Vec::new();
    match serde_json::from_str::<Value>(content) {
        Ok(value) => collect(&value, &mut found),
        Err(whole) => {
            for (number, line) in content.lines().enumerate() {
                if line.trim().is_empty() {
                    continue;
                }
                let value = serde_json::from_str::<Value>(line).map_err(|error| {
                    let why = if number == 0 { &whole } else { &error };
                    CardsFault::Import(format!("line {} is not JSON: {why}", number + 1))
                })?;
                collect(&value, &mut found);
            }
        }
    }
    if found.is_empty() {
        return Err(CardsFault::Import("the file has no cards".to_owned()));
    }
    let card = |(at, value): (usize, &Value)| {
        read::card(value, &pair.from, &pair.to)
            .map_err(|why| CardsFault::Import(format!("card {}: {why}", at + 1)))
    };
    found.iter().enumerate().map(card).collect()
}

/// Everything in a value that may be a card.
fn collect(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Array(items) => found.extend(items.iter().cloned()),
        Value::Object(map) => {
            if map.contains_key("base_form") {
                found.push(value.clone());
            }
            for name in ["cards", "flashcards"] {
                if let Some(Value::Array(items)) = map.get(name) {
                    found.extend(items.iter().cloned());
                }
            }
            if let Some(Value::Array(items)) = map.get("items") {
                items.iter().for_each(|item| of_item(item, found));
            }
            let content = value.pointer("/result/message/content").or_else(|| map.get("content"));
            if let Some(Value::Array(blocks)) = content {
                of_message(blocks, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The cards of one sentence, with the translation beside them.
fn of_item(item: &Value, found: &mut Vec<Value>) {
    let Some(cards) = item.get("cards").and_then(Value::as_array) else { return };
    for card in cards {
        let mut card = card.clone();
        let contexts = card.get_mut("contexts").and_then(Value::as_array_mut);
        for context in contexts.into_iter().flatten() {
            let Value::Object(context) = context else { continue };
            for (name, at) in [("sid", "sid"), ("sig", "sig"), ("translation", "russian")] {
                let known = ["translation", "russian", "ru"];
                let has = match name {
                    "translation" => known.iter().any(|name| context.contains_key(*name)),
                    name => context.contains_key(name),
                };
                if let (false, Some(value)) = (has, item.get(at)) {
                    context.insert(name.to_owned(), value.clone());
                }
            }
        }
        found.push(card);
    }
}

/// The first call of our tool among the blocks.
fn of_message(blocks: &[Value], found: &mut Vec<Value>) {
    let ours = |block: &&Value| {
        block.get("type").is_some_and(|kind| kind == "tool_use")
            && block.get("name").is_some_and(|name| name == EMIT_FLASHCARDS)
    };
    let cards = blocks.iter().find(ours).and_then(|block| block.pointer("/input/flashcards"));
    found.extend(cards.and_then(Value::as_array).into_iter().flatten().cloned());
}

#[cfg(test)]
mod tests;
