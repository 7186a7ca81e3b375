//! The dated table of what models can do and cost: `model_table.toml`.
//!
//! Must hold: the facts of a family count only at the family's own provider.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use models::Family;
use serde::Deserialize;

/// When the table was last checked.
pub static MODEL_TABLE_AS_OF: LazyLock<&'static str> = LazyLock::new(|| &TABLE.as_of);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    as_of: String,
    not_chat: Vec<String>,
    first: BTreeMap<String, Vec<String>>,
    model: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    family: String,
    name: String,
    window: Option<u64>,
    output_tokens_max: Option<u64>,
    pictures: Option<bool>,
    price: Option<[f64; 2]>,
}

/// What the table knows of one model.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct TableFacts {
    pub window: Option<u64>,
    pub output_tokens_max: Option<u64>,
    pub pictures: Option<bool>,
    pub price: Option<[f64; 2]>,
}

// A test reads the table, so it can be read.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("model_table.toml")).unwrap_or_default());

pub(crate) fn table_facts(family: Family, model: &str) -> TableFacts {
    let family = family_word(family);
    let mut rows: Vec<_> = TABLE.model.iter().filter(|row| row.family == family).collect();
    rows.retain(|row| is_of(model, &row.name));
    rows.sort_by_key(|row| row.name.len());
    rows.into_iter().fold(TableFacts::default(), |known, row| TableFacts {
        window: row.window.or(known.window),
        output_tokens_max: row.output_tokens_max.or(known.output_tokens_max),
        pictures: row.pictures.or(known.pictures),
        price: row.price.or(known.price),
    })
}

/// Whether a model of this name answers in a conversation.
pub(crate) fn can_chat(family: Family, model: &str) -> bool {
    match family {
        Family::Anthropic | Family::OpenAi | Family::Gemini => {
            !TABLE.not_chat.iter().any(|prefix| model.starts_with(prefix.as_str()))
        }
        // Nobody else's names are known.
        Family::Ollama | Family::Other => !model.contains("embed"),
    }
}

/// The models that are tried first with a new key.
pub(crate) fn first_models(family: Family) -> &'static [String] {
    TABLE.first.get(family_word(family)).map_or(&[], Vec::as_slice)
}

fn family_word(family: Family) -> &'static str {
    match family {
        Family::Anthropic => "anthropic",
        Family::OpenAi => "openai",
        Family::Gemini => "gemini",
        Family::Ollama => "ollama",
        Family::Other => "",
    }
}

/// Whether the row is about this model: the same name, or a variant with a date.
fn is_of(model: &str, name: &str) -> bool {
    match model.strip_prefix(name) {
        Some(rest) => rest.is_empty() || name.ends_with('-') || rest.starts_with(['-', '@']),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use models::Family;

    use super::{TABLE, can_chat, first_models, table_facts};

    #[test]
    fn the_table_can_be_read_and_the_longest_name_wins() {
        assert_eq!(TABLE.as_of.len(), "2026-11-17".len());
        let check = |model: &str, window: Option<u64>, price: Option<[f64; 2]>| {
            let facts = table_facts(Family::OpenAi, model);
            assert_eq!((facts.window, facts.price), (window, price), "{model}");
        };
        check("gpt-5.4-mini-2026-03-17", Some(400_000), Some([0.75, 4.5]));
        check("gpt-5.4", Some(1_050_000), Some([2.5, 15.0]));
        check("gpt-5.45", None, None);
        let opus = table_facts(Family::Anthropic, "claude-opus-5-5");
        assert_eq!((opus.window, opus.pictures), (Some(1_000_000), Some(true)));
        assert_eq!(table_facts(Family::Other, "claude-opus-5-5"), super::TableFacts::default());
    }

    #[test]
    fn models_that_do_not_chat_are_known_by_their_names() {
        for name in ["text-embedding-3-small", "whisper-1", "dall-e-3", "gpt-realtime"] {
            assert!(!can_chat(Family::OpenAi, name), "{name}");
        }
        assert!(can_chat(Family::OpenAi, "gpt-5.4"));
        assert!(!can_chat(Family::Ollama, "nomic-embed-text"));
        assert!(can_chat(Family::Other, "whisper-1-chat"));
        assert!(!first_models(Family::Anthropic).is_empty());
        assert!(first_models(Family::Other).is_empty());
    }
}
