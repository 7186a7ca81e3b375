//! Cards as a table, for spreadsheets (RFC 4180).

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
pub fn csv(cards: &[DeckCard]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for deck_card in cards {
        let card = &deck_card.card;
        let forms: Vec<_> = card.forms.iter().map(|form| form.form.as_str()).collect();
        let context = card.contexts.first();
        let row = [
            deck_card.key.to_string(),
            card.language.to_string(),
            card.target.to_string(),
            card.unit.as_str().to_owned(),
            card.base_form.clone(),
            card.meaning(),
            forms.join("; "),
            context.map(|context| context.text.clone()).unwrap_or_default(),
            context.map(|context| context.translation.clone()).unwrap_or_default(),
            deck_card.is_visible().to_string(),
        ];
        let cells: Vec<_> = row.iter().map(|cell| quoted(cell)).collect();
        text += &cells.join(",");
        text += "\r\n";
    }
    text
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
