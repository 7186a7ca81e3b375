//! Ranks the offered tools by the words of a message (BM25).
//!
//! In: the chunks of a message and the offers. Out: every tool with a score, best first.
//! Must hold: one pass over the words of the offers, whatever the length of the message; values
//! (quotations, addresses, numbers) count by their kind, not by their words.

use std::collections::HashMap;

use contract::ToolOffer;
use serde_json::Value;

use crate::arguments::dates::{is_day, unit_seconds};
use crate::text::chunk::Chunk;
use crate::text::lexicon::{is_empty_word, is_marker, relatives};
use crate::text::number::number;
use crate::text::stem::{stem, stem_into};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ranked {
    pub offer: usize,
    pub score: f64,
    /// The share of the message's first words that the tool knows, 0 to 1.
    pub coverage: f64,
    /// Whether the tool knows the first word, which is usually the verb.
    pub knows_first: bool,
}

impl Ranked {
    /// Below this, listing the tools is better than a guess.
    pub(crate) fn is_clear(&self) -> bool {
        // "Delete my events" does not fit a tool that only knows events.
        let coverage_min = if self.knows_first { 0.3 } else { 0.5 };
        self.score >= 1.9 && self.coverage >= coverage_min
    }
}

/// How many words of a message choose a tool: the command is at its beginning.
const WORDS_MAX: usize = 24;
/// A synonym counts less than the word itself.
const RELATIVE_WEIGHT: f64 = 0.85;
/// The command, usually the verb, counts more than its object.
const FIRST_WEIGHT: f64 = 1.5;
/// Smooths word rarity for small sets of tools.
const OFFERS_MIN: usize = 12;
/// Words after "for" or "about" are the object of a command, and may be anything.
const OBJECT_WEIGHT: f64 = 0.5;
const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.4;
/// Deeper parts of a schema say little about the purpose of a tool.
const DEPTH_MAX: usize = 4;

/// The offers by how well they fit, best first; equal ones in the order of the offer.
pub(crate) fn rank(chunks: &[Chunk<'_>], offers: &[ToolOffer]) -> Vec<Ranked> {
    let query = Query::read(chunks);
    let pages: Vec<Page> = offers.iter().map(|offer| Page::read(offer, &query)).collect();
    let length: f64 = pages.iter().map(|page| page.length).sum();
    let average = (length / pages.len().max(1) as f64).max(1.0);
    let rarity = query.rarity(&pages);
    let mut ranked: Vec<Ranked> = pages
        .iter()
        .enumerate()
        .map(|(offer, page)| query.score(offer, page, &rarity, average))
        .collect();
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    ranked
}

/// The choosing words, each with its stems and synonyms.
struct Query {
    weights: Vec<f64>,
    terms: Vec<Term>,
    by_stem: HashMap<String, Vec<usize>>,
    starts: Starts,
}

/// The first two letters of the stems: a fast filter before words are stemmed.
struct Starts([bool; Starts::SIZE]);

impl Starts {
    const SIZE: usize = 1 << 10;

    /// The slot of a word; none for words whose stem may begin differently.
    fn place(word: &str) -> Option<usize> {
        let mut bytes = word.bytes();
        let (first, second) = (bytes.next()?, bytes.next()?);
        let plain = first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric();
        let letter = |byte: u8| usize::from(byte.to_ascii_lowercase() & 31);
        plain.then(|| letter(first) * 32 + letter(second))
    }

    fn add(&mut self, stem: &str) {
        if let Some(slot) = Self::place(stem).and_then(|place| self.0.get_mut(place)) {
            *slot = true;
        }
    }

    fn may_begin(&self, word: &str) -> bool {
        Self::place(word).and_then(|place| self.0.get(place)).is_none_or(|known| *known)
    }
}

struct Term {
    word: usize,
    weight: f64,
}

impl Query {
    fn read(chunks: &[Chunk<'_>]) -> Self {
        let mut query = Self {
            weights: Vec::new(),
            terms: Vec::new(),
            by_stem: HashMap::new(),
            starts: Starts([false; Starts::SIZE]),
        };
        let mut weight = FIRST_WEIGHT;
        for (at, chunk) in chunks.iter().enumerate() {
            if query.weights.len() >= WORDS_MAX {
                break;
            }
            let before = at.checked_sub(1).and_then(|at| chunks.get(at));
            let counted = before.is_some_and(|before| number(before.text).is_some());
            match kind_words(chunk) {
                Some(words) => query.add_kind(words),
                None if counted && unit_seconds(&chunk.lower).is_some() => {}
                None => words(&chunk.lower, |word| {
                    if query.add(word, weight) {
                        weight = weight.min(1.0);
                    }
                }),
            }
            if weight < FIRST_WEIGHT && is_marker(&chunk.lower) {
                weight = OBJECT_WEIGHT;
            }
        }
        query
    }

    /// Adds a word if it is new and not a stop word.
    fn add(&mut self, word: &str, weight: f64) -> bool {
        let full = self.weights.len() >= WORDS_MAX;
        if full || is_empty_word(word) || word.chars().all(|c| c.is_numeric()) {
            return false;
        }
        let own = stem(word);
        if self.by_stem.get(&own).is_some_and(|terms| terms.iter().any(|term| self.is_own(*term))) {
            return false;
        }
        let index = self.weights.len();
        self.weights.push(weight);
        for relative in relatives(&own).filter(|relative| *relative != own) {
            self.add_term(relative.to_owned(), index, RELATIVE_WEIGHT);
        }
        self.add_term(own, index, 1.0);
        true
    }

    /// A value counts as half a word of its kind, and never lowers the coverage.
    fn add_kind(&mut self, kinds: &[&str]) {
        let index = self.weights.len();
        if kinds.first().is_none_or(|kind| self.by_stem.contains_key(&stem(kind))) {
            return;
        }
        self.weights.push(0.0);
        for kind in kinds {
            self.add_term(stem(kind), index, 0.5);
        }
    }

    fn add_term(&mut self, stem: String, word: usize, weight: f64) {
        self.starts.add(&stem);
        self.by_stem.entry(stem).or_default().push(self.terms.len());
        self.terms.push(Term { word, weight });
    }

    fn is_own(&self, term: usize) -> bool {
        self.terms.get(term).is_some_and(|term| term.weight >= 1.0)
    }

    /// The weight of each word: the fewer tools know it, the higher.
    fn rarity(&self, pages: &[Page]) -> Vec<f64> {
        let mut having = vec![0_usize; self.weights.len()];
        for page in pages {
            let mut known: Vec<usize> = page
                .frequencies
                .keys()
                .filter_map(|term| Some(self.terms.get(*term)?.word))
                .collect();
            known.sort_unstable();
            known.dedup();
            for word in known {
                if let Some(count) = having.get_mut(word) {
                    *count += 1;
                }
            }
        }
        let all = pages.len().max(OFFERS_MIN);
        let rare = |count: &usize| (1.0 + (all - count) as f64 / (*count as f64 + 0.5)).ln();
        having.iter().map(rare).collect()
    }

    fn score(&self, offer: usize, page: &Page, rarity: &[f64], average: f64) -> Ranked {
        let mut best = vec![0.0_f64; self.weights.len()];
        for (index, term) in self.terms.iter().enumerate() {
            let Some(frequency) = page.frequencies.get(&index) else { continue };
            let rarity = rarity.get(term.word).copied().unwrap_or_default();
            let norm = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * page.length / average;
            let weight = self.weights.get(term.word).copied().unwrap_or_default();
            let weight = if weight == 0.0 { 1.0 } else { weight };
            let part = frequency * (SATURATION + 1.0) / (frequency + SATURATION * norm);
            if let Some(slot) = best.get_mut(term.word) {
                *slot = slot.max(weight * term.weight * rarity * part);
            }
        }
        let total: f64 = self.weights.iter().sum();
        let known = best.iter().zip(&self.weights).filter(|(score, _)| **score > 0.0);
        let known: f64 = known.map(|(_, weight)| weight).sum();
        let coverage = if total > 0.0 { known / total } else { 1.0 };
        let first = self.weights.iter().position(|weight| *weight > 0.0);
        let knows_first = first.and_then(|at| best.get(at)).is_none_or(|score| *score > 0.0);
        Ranked { offer, score: best.iter().sum(), coverage, knows_first }
    }
}

/// The words for a value's kind, if the chunk is a value.
fn kind_words(chunk: &Chunk<'_>) -> Option<&'static [&'static str]> {
    let text = &chunk.lower;
    if chunk.is_quoted() || text.contains('=') {
        return Some(&[]);
    }
    if text.contains("://") || text.starts_with("www.") {
        return Some(&["url", "link"]);
    }
    if text.contains('@') {
        return Some(&["email", "mail"]);
    }
    let begins_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
    let is_date =
        begins_with_digit && text.len() >= 8 && text.matches(['-', '.', '/']).count() >= 2;
    if is_day(text) {
        return Some(&[]);
    }
    if is_date {
        return Some(&["date", "datetime"]);
    }
    begins_with_digit.then_some(&[])
}

/// How often the words of the query occur in one tool, weighted by place.
struct Page {
    frequencies: HashMap<usize, f64>,
    length: f64,
}

impl Page {
    fn read(offer: &ToolOffer, query: &Query) -> Self {
        let mut page = Self { frequencies: HashMap::new(), length: 0.0 };
        let mut buffer = String::new();
        page.add(offer.id.as_str(), 3.0, query, &mut buffer);
        page.add(&offer.description, 1.0, query, &mut buffer);
        page.add_schema(&offer.parameters, 0, query, &mut buffer);
        page
    }

    fn add(&mut self, text: &str, weight: f64, query: &Query, buffer: &mut String) {
        words(text, |word| {
            self.length += weight;
            if !query.starts.may_begin(word) {
                return;
            }
            stem_into(word, buffer);
            for term in query.by_stem.get(buffer.as_str()).into_iter().flatten() {
                *self.frequencies.entry(*term).or_default() += weight;
            }
        });
    }

    fn add_schema(&mut self, schema: &Value, depth: usize, query: &Query, buffer: &mut String) {
        if depth > DEPTH_MAX {
            return;
        }
        let texts = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        for word in texts("enum").filter_map(Value::as_str) {
            self.add(word, 0.5, query, buffer);
        }
        if let Some(items) = schema.get("items") {
            self.add_schema(items, depth + 1, query, buffer);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            self.add(name, 0.7, query, buffer);
            let description = property.get("description").and_then(Value::as_str);
            self.add(description.unwrap_or_default(), 0.1, query, buffer);
            self.add_schema(property, depth + 1, query, buffer);
        }
    }
}

/// Calls back for each run of letters and digits; `camelCase` and `snake_case` are two words.
pub(crate) fn words(text: &str, mut found: impl FnMut(&str)) {
    let mut start = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let part = c.is_alphanumeric() || (matches!(c, '\'' | '’' | 'ʼ') && before.is_alphabetic());
        let hump = c.is_uppercase() && before.is_lowercase();
        if let Some(from) = start
            && (!part || hump)
        {
            found(text.get(from..at).unwrap_or_default());
            start = None;
        }
        if part && start.is_none() {
            start = Some(at);
        }
        before = c;
    }
    if let Some(from) = start {
        found(text.get(from..).unwrap_or_default());
    }
}
