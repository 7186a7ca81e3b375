//! Cards as Anki's notes, and as a text file that Anki imports.

use contract::Digest;

use crate::deck::DeckCard;
use crate::deck::card::{Card, CardKey, CardRef, Context, Form};
use crate::deck::merge::ContextsMax;
use crate::deck::review::{Recall, Recalls};
use crate::export::sound::{Sound, Sounds};
use crate::library::OldKeys;
use crate::text::word_spans::{WantedForm, escape, find, html};

/// The names of the note types in Anki: for the meaning, the word, and the word in a gap.
pub const NOTE_TYPE: &str = "Ghosthand Flashcard";
pub const WORD_NOTE_TYPE: &str = "Ghosthand Flashcard (meaning to word)";
pub const GAP_NOTE_TYPE: &str = "Ghosthand Cloze";

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

/// The fields of a note with a gap.
pub(super) const GAP_FIELDS: [&str; 6] =
    ["Key", "Text", "Meaning", "Translation", "Audio", "Source"];

const CONTEXTS_MAX: usize = 3;

/// What goes into a file for Anki.
#[derive(Debug, Clone)]
pub struct AnkiOptions {
    /// Sentences per note.
    pub contexts_max: ContextsMax,
    /// A card becomes one note for each.
    pub recalls: Recalls,
    /// How words sound, by their card.
    pub sounds: Sounds,
}

impl AnkiOptions {
    /// Notes that ask for the meaning, without sound.
    pub fn usual() -> Self {
        Self { contexts_max: ContextsMax::USUAL, recalls: Recalls::MEANING, sounds: Sounds::new() }
    }
}

/// A card as Anki keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnkiNote {
    pub guid: String,
    pub recall: Recall,
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
pub(crate) fn notes(
    cards: &[DeckCard],
    document: &str,
    old_keys: &OldKeys,
    options: &AnkiOptions,
) -> Vec<AnkiNote> {
    let mut notes = Vec::new();
    for card in cards.iter().filter(|card| card.is_visible()) {
        let sound = options.sounds.get(&card.key).map(Sound::reference).unwrap_or_default();
        for recall in options.recalls.iter() {
            let note = match recall {
                Recall::Meaning => {
                    let key = match old_keys.keeps_note(&card.key) {
                        true => card.key.without_target(),
                        false => card.key.clone().into(),
                    };
                    Some(note(guid(&key), recall, &card.key, &card.card, document, &sound))
                }
                Recall::Word if card.card.meaning().is_empty() => None,
                Recall::Word => {
                    let guid = other_guid("ghw", &card.key);
                    Some(note(guid, recall, &card.key, &card.card, document, &sound))
                }
                Recall::Gap => gap_note(card, document, &sound),
            };
            notes.extend(note);
        }
    }
    notes
}

/// For notes beside the usual one: from the key alone, too.
fn other_guid(prefix: &str, key: &CardKey) -> String {
    let digest = Digest::of(format!("{prefix}:{key}").as_bytes()).to_string();
    let hex = digest.trim_start_matches("sha256:");
    format!("{prefix}{}", hex.get(..20).unwrap_or(hex))
}

/// The first sentence that has the word, with a gap in its place.
fn gap_note(card: &DeckCard, document: &str, sound: &str) -> Option<AnkiNote> {
    let found = |context: &Context| {
        let forms = context.forms.iter().map(|form| form.form.as_str());
        let forms = forms.chain([card.card.base_form.as_str()]);
        let wanted: Vec<_> = forms
            .map(|form| WantedForm { form: form.to_owned(), is_phrase: false, of: () })
            .collect();
        find(&context.text, &wanted).into_iter().map(|(range, _)| range).collect::<Vec<_>>()
    };
    let context = card.card.contexts.iter().find(|context| !found(context).is_empty())?;
    let places = found(context);
    // The signs of a gap are Anki's own: a sentence that has them gets no gap.
    if ["{{", "}}", "::"].iter().any(|sign| context.text.contains(sign)) {
        return None;
    }
    let text = html(&context.text, &places, "{{c1::", "}}");
    let fields = vec![
        escape(&card.key.to_string()),
        text,
        escape(&card.card.meaning()),
        escape(&context.translation),
        sound.to_owned(),
        escape(context.document.as_deref().unwrap_or(document)),
    ];
    let guid = other_guid("ghg", &card.key);
    Some(AnkiNote { guid, recall: Recall::Gap, fields, tags: tags(&card.key) })
}

/// From the key alone: an edit does not change it.
pub(crate) fn guid(key: &CardRef) -> String {
    let digest = Digest::of(key.to_string().as_bytes()).to_string();
    let hex = digest.trim_start_matches("sha256:");
    format!("gh{}", hex.get(..20).unwrap_or(hex))
}

fn note(
    guid: String,
    recall: Recall,
    key: &CardKey,
    card: &Card,
    document: &str,
    sound: &str,
) -> AnkiNote {
    let mut fields = vec![
        escape(&key.to_string()),
        // The fields of the note type never change, so the sound is beside the word.
        format!("{} {sound}", escape(&card.base_form)).trim_end().to_owned(),
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
    AnkiNote { guid, recall, fields, tags: tags(key) }
}

fn tags(key: &CardKey) -> Vec<String> {
    vec!["ghosthand".to_owned(), key.language.to_string(), key.unit.as_str().to_owned()]
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
    for AnkiNote { guid, recall: _, fields, tags } in notes {
        // No field has a quote, a tab or a line end: `escape` removed them.
        text += &format!("{guid}\t{}\t{}\n", fields.join("\t"), tags.join(" "));
    }
    text
}
