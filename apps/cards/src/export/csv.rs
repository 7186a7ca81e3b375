//! Cards as a table, for spreadsheets (RFC 4180).

use std::io;

use ::csv::{Terminator, WriterBuilder};

use crate::deck::DeckCard;

const COLUMNS: [&str; 10] = [
    "key",
    "language",
    "target",
    "unit",
    "base_form",
    "base_translation",
    "forms",
    "context",
    "context_translation",
    "visible",
];

/// One line for each card, with its first context.
pub fn csv(cards: &[DeckCard]) -> io::Result<Vec<u8>> {
    let mut table = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    table.write_record(COLUMNS)?;
    for deck_card in cards {
        let card = &deck_card.card;
        let forms: Vec<_> = card.forms.iter().map(|form| form.form.as_str()).collect();
        let context = card.contexts.first();
        table.write_record([
            deck_card.key.to_string().as_str(),
            &card.language.to_string(),
            &card.target.to_string(),
            card.unit.as_str(),
            &card.base_form,
            &card.meaning(),
            &forms.join("; "),
            context.map_or("", |context| context.text.as_str()),
            context.map_or("", |context| context.translation.as_str()),
            &deck_card.is_visible().to_string(),
        ])?;
    }
    table.into_inner().map_err(|unwritten| unwritten.into_error())
}
