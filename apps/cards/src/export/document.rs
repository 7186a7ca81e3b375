//! Cards as JSON, for this program and for others.

use serde::Serialize;
use serde_json::Value;

use crate::deck::DeckCard;
use crate::deck::card::Card;
use crate::text::language::Pair;

/// The head of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportHead {
    pub schema_version: u32,
    pub app_version: String,
    pub exported_at: String,
    /// The language of the person who exports.
    pub locale: String,
    pub source_language: String,
    pub target_language: String,
    pub document: String,
}

const SCHEMA_VERSION: u32 = 1;

impl ExportHead {
    /// `at` is in milliseconds since 1970.
    pub fn new(document: &str, pair: &Pair, locale: &str, at: u64) -> Self {
        let at = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
        Self {
            schema_version: SCHEMA_VERSION,
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            exported_at: at.map(|at| at.to_string()).unwrap_or_default(),
            locale: locale.to_owned(),
            source_language: pair.from.to_string(),
            target_language: pair.to.to_string(),
            document: document.to_owned(),
        }
    }
}

/// One document with a head.
pub fn json(cards: &[DeckCard], head: &ExportHead) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(head)?;
    if let Value::Object(map) = &mut value {
        let cards: Vec<&Card> = cards.iter().map(|card| &card.card).collect();
        map.insert("cards".to_owned(), serde_json::to_value(cards)?);
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

/// One card on each line.
pub fn jsonl(cards: &[DeckCard]) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for card in cards {
        text += &serde_json::to_string(&card.card)?;
        text.push('\n');
    }
    Ok(text)
}
