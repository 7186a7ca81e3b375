//! Puts results back into the order of the text.
//!
//! In: a manifest, its text, results in any order. Out: an [`Aggregate`]: for each sentence
//! its translation, the cards of all, and what was wrong with the results. Must hold: any
//! order and any repetition of the results give the same; the text comes from the manifest
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::deck::card::{Card, Context};
use crate::deck::merge::{ContextsMax, commonest, merge};
use crate::model::sentence_result::SentenceResult;
use crate::text::language::Pair;
use crate::text::manifest::{Manifest, normalise};

/// All results of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// By index; none where there is no result.
    pub translations: Vec<Option<String>>,
    pub cards: Vec<Card>,
    pub metrics: Metrics,
}

/// Counts of results that needed attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Metrics {
    pub sentences: usize,
    pub received: usize,
    pub missing: usize,
    /// Results for a sentence that has changed since; they are used all the same.
    pub changed: usize,
    /// Sentences with more than one translation.
    pub translated_twice: usize,
    pub without_translation: usize,
    /// Cards and results for sentences that are not in the text or were not asked about.
    pub unknown: usize,
}

pub fn aggregate(
    manifest: &Manifest,
    source: &str,
    pair: &Pair,
    results: &[SentenceResult],
    max: ContextsMax,
) -> Aggregate {
    let places: BTreeMap<&str, usize> =
        manifest.sentences.iter().map(|sentence| (sentence.sid.as_str(), sentence.index)).collect();
    let distinct: BTreeSet<&SentenceResult> = results.iter().collect();
    let mut metrics = Metrics { sentences: manifest.sentences.len(), ..Metrics::default() };
    let mut by_index: BTreeMap<usize, Vec<&SentenceResult>> = BTreeMap::new();
    for result in distinct {
        match places.get(result.sid.as_str()) {
            Some(index) => by_index.entry(*index).or_default().push(result),
            None => metrics.unknown += 1,
        }
    }
    let mut translations = vec![None; manifest.sentences.len()];
    let mut cards = Vec::new();
    for (index, results) in &by_index {
        let sentence = manifest.sentences.get(*index);
        let sig = sentence.map(|sentence| sentence.sig.as_str()).unwrap_or_default();
        metrics.changed += results.iter().filter(|result| result.sig != sig).count();
        let said: Vec<&str> =
            results.iter().filter_map(|result| result.translation.as_deref()).collect();
        metrics.translated_twice += usize::from(said.len() > 1);
        let text = manifest.text(source, *index);
        let translation = canonical(&said, text);
        metrics.without_translation += usize::from(translation.is_none());
        let context = Context {
            sid: sentence.map(|sentence| sentence.sid.clone()),
            index: Some(*index),
            sig: Some(sig.to_owned()),
            text: text.to_owned(),
            translation: translation.clone().unwrap_or_default(),
            document: None,
            forms: Vec::new(),
        };
        for result in results {
            cards.extend(result.cards.iter().map(|card| Card {
                language: pair.from.clone(),
                target: pair.to.clone(),
                unit: card.unit,
                base_form: card.base_form.clone(),
                base_translation: card.base_translation.clone(),
                forms: Vec::new(),
                contexts: vec![Context { forms: card.forms.clone(), ..context.clone() }],
                visible: card.visible,
            }));
        }
        if let Some(place) = translations.get_mut(*index) {
            *place = translation;
        }
    }
    metrics.received = by_index.len();
    metrics.missing = metrics.sentences - by_index.len();
    Aggregate { translations, cards: merge(cards, max), metrics }
}

/// The translation that most results agree on, ignoring case and final punctuation; ties go to
/// the longest. It ends with punctuation if the sentence does.
fn canonical(said: &[&str], sentence: &str) -> Option<String> {
    let even = |text: &str| {
        let text = normalise(text).to_lowercase();
        text.trim_end_matches(is_stop).to_owned()
    };
    let common = commonest(said.iter().map(|text| even(text)).filter(|text| !text.is_empty()))?;
    let spellings = said.iter().filter(|text| even(text) == common).map(|text| normalise(text));
    let chosen = commonest(spellings)?;
    let signs = |c: char| is_stop(c) || matches!(c, '"' | '”' | '“' | '»' | '’' | ')');
    let stops = sentence.trim_end().chars().next_back().is_some_and(signs);
    match stops && !chosen.ends_with(signs) {
        true => Some(chosen + "."),
        false => Some(chosen),
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

#[cfg(test)]
mod tests;
