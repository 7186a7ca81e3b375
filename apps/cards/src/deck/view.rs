//! Views of a run for user interfaces: plain values for JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;

use crate::deck::aggregate::Metrics;
use crate::deck::card::{CardKey, Context, Form, Unit};
use crate::deck::review::{Learning, Memory, Recall};
use crate::deck::{Deck, DeckCard};
use crate::model::error_code::{Banner, ErrorCode};
use crate::run::progress::Progress;
use crate::run::run_info::RunInfo;
use crate::run::snapshot::Snapshot;
use crate::run::state::SentenceState;
use crate::text::word_spans::{WantedForm, find};

/// A run in a list of runs or at the head of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunView {
    #[serde(flatten)]
    pub head: RunInfo,
    pub progress: Progress,
    /// Some sentences have cards, and some are missing.
    pub partial: bool,
    pub model: Option<String>,
    /// The limit that a person set, in dollars.
    pub cost_max: Option<f64>,
    pub trouble: Option<Trouble>,
    pub metrics: Metrics,
    /// Repeated results, and other records that did not fit.
    pub misfits: usize,
}

/// Why something is missing, in the reader's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    pub code: ErrorCode,
    pub banner: Banner,
    /// In detail, in English.
    pub message: Option<String>,
}

impl Trouble {
    pub(crate) fn new(code: ErrorCode, message: Option<String>, locale: &str) -> Self {
        Self { code, banner: code.banner(locale).clone(), message }
    }
}

/// Counts of a text and its cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TextCounts {
    /// By Unicode's rules (UAX 29), like graphemes.
    pub words: usize,
    pub graphemes: usize,
    pub sentences: usize,
    /// Cards that are phrases.
    pub phrases: usize,
}

pub(crate) fn counts(snapshot: &Snapshot, deck: &Deck) -> TextCounts {
    TextCounts {
        words: snapshot.source.unicode_words().count(),
        graphemes: snapshot.source.graphemes(true).count(),
        sentences: snapshot.manifest.sentences.len(),
        phrases: deck.visible().filter(|card| card.key.unit == Unit::Phrase).count(),
    }
}

/// One sentence of the text with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentenceView {
    pub index: usize,
    pub sid: String,
    /// The text between the previous sentence and this one.
    pub gap: String,
    pub text: String,
    pub translation: Option<String>,
    pub state: SentenceState,
    pub trouble: Option<Trouble>,
    /// The sentence in pieces, words of cards marked.
    pub segments: Vec<Segment>,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// The card that a piece belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    pub key: CardKey,
    pub unit: Unit,
    pub base_form: String,
    /// What this form means here.
    pub translation: String,
    /// The meaning on the card, with edits.
    pub meaning: String,
    pub familiarity: Familiarity,
}

/// How well a person knows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Familiarity {
    New,
    Learning,
    /// In the list of known words, or learned in reviews.
    Known,
}

fn familiarity(card: &DeckCard, memory: &Memory) -> Familiarity {
    match memory.learning(&card.key, Recall::Meaning) {
        _ if card.known => Familiarity::Known,
        Learning::New => Familiarity::New,
        Learning::Learning | Learning::Relearning => Familiarity::Learning,
        Learning::Known => Familiarity::Known,
    }
}

/// A card with its word found in its sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardView {
    #[serde(flatten)]
    pub card: DeckCard,
    pub meaning: String,
    /// Neither hidden nor known.
    pub shown: bool,
    /// Its sentences in pieces, in their order.
    pub pieces: Vec<Vec<TextPiece>>,
}

/// A piece of a card's sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextPiece {
    pub text: String,
    /// Is it the card's word?
    pub marked: bool,
}

impl CardView {
    pub fn new(card: DeckCard) -> Self {
        let pieces = card.card.contexts.iter().map(|context| pieces(&card, context)).collect();
        Self { meaning: card.card.meaning(), shown: card.is_visible(), pieces, card }
    }
}

/// Is the word found in one of its sentences?
pub(crate) fn has_gap(card: &DeckCard) -> bool {
    let marked = |context: &Context| pieces(card, context).iter().any(|piece| piece.marked);
    card.card.contexts.iter().any(marked)
}

/// Marks the longest forms first; the base form where a sentence names none.
fn pieces(card: &DeckCard, context: &Context) -> Vec<TextPiece> {
    let forms = context.forms.iter().map(|form| form.form.as_str());
    let forms = forms.chain([card.card.base_form.as_str()]);
    let wanted: Vec<_> =
        forms.map(|form| WantedForm { form: form.to_owned(), is_phrase: false, of: () }).collect();
    let text = context.text.as_str();
    let piece = |range: std::ops::Range<usize>, marked| TextPiece {
        text: text.get(range).unwrap_or_default().to_owned(),
        marked,
    };
    let mut pieces = Vec::new();
    let mut at = 0;
    for (range, _) in find(text, &wanted) {
        pieces.push(piece(at..range.start, false));
        at = range.end;
        pieces.push(piece(range, true));
    }
    pieces.push(piece(at..text.len(), false));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The sentences of a run with their translations and marks.
pub(crate) fn sentences(
    snapshot: &Snapshot,
    deck: &Deck,
    memory: &Memory,
    locale: &str,
) -> Vec<SentenceView> {
    let translations = snapshot.aggregate(crate::deck::merge::ContextsMax::USUAL).translations;
    let mut wanted: Vec<Vec<WantedForm<Mark>>> = Vec::new();
    wanted.resize_with(snapshot.manifest.sentences.len(), Vec::new);
    // Known words are marked too: somebody may want to look one up.
    let marked = deck.cards.iter().filter(|card| card.card.visible);
    let shown: BTreeMap<&CardKey, &DeckCard> = marked.map(|card| (&card.key, card)).collect();
    let pair = snapshot.head.pair();
    for (index, result) in &snapshot.results {
        let Some(place) = wanted.get_mut(*index) else { continue };
        for one in &result.cards {
            let key = CardKey::new(&pair, one.unit, &one.base_form);
            let Some(card) = shown.get(&key) else { continue };
            let mark = |form: &Form| WantedForm {
                form: form.form.clone(),
                is_phrase: key.unit == Unit::Phrase,
                of: Mark {
                    key: key.clone(),
                    unit: key.unit,
                    base_form: card.card.base_form.clone(),
                    translation: form.translation.clone(),
                    meaning: card.card.meaning(),
                    familiarity: familiarity(card, memory),
                },
            };
            place.extend(one.forms.iter().map(mark));
        }
    }
    let mut end = 0;
    let mut views = Vec::with_capacity(wanted.len());
    for (sentence, wanted) in snapshot.manifest.sentences.iter().zip(wanted) {
        let index = sentence.index;
        let text = snapshot.text(index);
        let hole = snapshot.holes.get(&index);
        views.push(SentenceView {
            index,
            sid: sentence.sid.clone(),
            gap: snapshot.source.get(end..sentence.start).unwrap_or_default().to_owned(),
            text: text.to_owned(),
            translation: translations.get(index).cloned().flatten(),
            state: snapshot
                .machine
                .sentences()
                .get(index)
                .copied()
                .unwrap_or(SentenceState::Pending),
            trouble: hole.map(|hole| Trouble::new(hole.code, Some(hole.message.clone()), locale)),
            segments: segments(text, &wanted),
        });
        end = sentence.end;
    }
    views
}

fn segments(text: &str, wanted: &[WantedForm<Mark>]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut at = 0;
    let plain =
        |text: Option<&str>| Segment { text: text.unwrap_or_default().to_owned(), mark: None };
    for (range, index) in find(text, wanted) {
        if at < range.start {
            segments.push(plain(text.get(at..range.start)));
        }
        let mark = wanted.get(index).map(|one| one.of.clone());
        at = range.end;
        segments.push(Segment { mark, ..plain(text.get(range)) });
    }
    if at < text.len() {
        segments.push(plain(text.get(at..)));
    }
    segments
}
