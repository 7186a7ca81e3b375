//! Cards as Anki's notes, and as a text file that Anki imports.

use contract::Digest;

use crate::deck::DeckCard;
use crate::deck::card::{Card, CardKey, CardRef, Form};
use crate::library::OldKeys;
use crate::text::word_spans::{WantedForm, escape, find, html};

/// The name of the note type in Anki.
pub const NOTE_TYPE: &str = "Ghosthand Flashcard";

/// The fields of a note. The key comes first: by it Anki finds duplicates.
pub(super) const FIELDS: [&str; 12] = [
    "Key",
    "Front",
    "Back",
    "Unit",
    "Forms",
    "Context 1",
    "Translation 1",
    "Context 2",
    "Translation 2",
    "Context 3",
    "Translation 3",
    "Source",
];

const CONTEXTS_MAX: usize = 3;

/// A card as Anki keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnkiNote {
    pub guid: String,
    pub fields: Vec<String>,
    pub tags: Vec<String>,
}

impl AnkiNote {
    /// Changes with anything that is shown.
    pub(crate) fn digest(&self) -> String {
        let all = format!("{}\u{1f}{}", self.fields.join("\u{1f}"), self.tags.join(" "));
        Digest::of(all.as_bytes()).short()
    }
}

/// The notes of visible cards.
pub(crate) fn notes(cards: &[DeckCard], document: &str, old_keys: &OldKeys) -> Vec<AnkiNote> {
    let visible = cards.iter().filter(|card| card.is_visible());
    let note = |card: &DeckCard| {
        let key = match old_keys.keeps_note(&card.key) {
            true => card.key.without_target(),
            false => card.key.clone().into(),
        };
        note(guid(&key), &card.key, &card.card, document)
    };
    visible.map(note).collect()
}

/// From the key alone: an edit does not change it.
pub(crate) fn guid(key: &CardRef) -> String {
    let digest = Digest::of(key.to_string().as_bytes()).to_string();
    let hex = digest.trim_start_matches("sha256:");
    format!("gh{}", hex.get(..20).unwrap_or(hex))
}

fn note(guid: String, key: &CardKey, card: &Card, document: &str) -> AnkiNote {
    let mut fields = vec![
        escape(&key.to_string()),
        escape(&card.base_form),
        escape(&card.meaning()),
        key.unit.as_str().to_owned(),
        forms(&card.forms),
    ];
    for at in 0..CONTEXTS_MAX {
        let (sentence, translation) = match card.contexts.get(at) {
            Some(context) => {
                let one =
                    |form: &Form| WantedForm { form: form.form.clone(), is_phrase: false, of: () };
                let wanted: Vec<_> = context.forms.iter().map(one).collect();
                let found: Vec<_> =
                    find(&context.text, &wanted).into_iter().map(|(range, _)| range).collect();
                (html(&context.text, &found, "<b>", "</b>"), escape(&context.translation))
            }
            None => (String::new(), String::new()),
        };
        fields.push(sentence);
        fields.push(translation);
    }
    fields.push(escape(&documents(card, document)));
    let tags = vec!["ghosthand".to_owned(), key.language.to_string(), key.unit.as_str().to_owned()];
    AnkiNote { guid, fields, tags }
}

/// The names of the texts that its sentences come from.
fn documents(card: &Card, document: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for context in card.contexts.iter().take(CONTEXTS_MAX) {
        let name = context.document.as_deref().unwrap_or(document);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { document.to_owned() } else { names.join(", ") }
}

fn forms(forms: &[Form]) -> String {
    let one = |form: &Form| {
        let kind = form.kind.as_deref().map(|kind| format!(" <i>{}</i>", escape(kind)));
        format!(
            "{} – {}{}",
            escape(&form.form),
            escape(&form.translation),
            kind.unwrap_or_default()
        )
    };
    forms.iter().map(one).collect::<Vec<_>>().join("<br>")
}

/// A text file with headers, for Anki 2.1.54 and newer.
pub(crate) fn anki_text(notes: &[AnkiNote], deck: &str) -> String {
    let (tags, columns) = (FIELDS.len() + 2, FIELDS.join("\t"));
    let mut text = format!(
        "#separator:tab\n#html:true\n#notetype:{NOTE_TYPE}\n#deck:{deck}\n#guid column:1\n\
         #tags column:{tags}\n#columns:GUID\t{columns}\tTags\n"
    );
    for AnkiNote { guid, fields, tags } in notes {
        // No field has a quote, a tab or a line end: `escape` removed them.
        text += &format!("{guid}\t{}\t{}\n", fields.join("\t"), tags.join(" "));
    }
    text
}
