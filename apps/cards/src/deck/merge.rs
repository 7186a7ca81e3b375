//! Merges cards that are the same: one card for each language pair, unit and base form.
//!
//! Must hold: any order and any repetition of the same cards give the same result; contexts
//! and forms are those of all, each once, in the order of the text; no more contexts than
//! allowed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::deck::card::{Card, CardKey, Context, Form};
use crate::text::manifest::normalise;

/// How many sentences a card shows at most; zero counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextsMax(pub usize);

impl ContextsMax {
    pub const USUAL: ContextsMax = ContextsMax(3);
}

/// Merges cards; the result is in the order of the text: by sentence, then by the place of
/// the word in it.
pub fn merge(cards: impl IntoIterator<Item = Card>, max: ContextsMax) -> Vec<Card> {
    let mut groups: BTreeMap<CardKey, HashSet<Card>> = BTreeMap::new();
    for card in cards {
        groups.entry(card.key()).or_default().insert(card);
    }
    let mut merged: Vec<(CardKey, Card)> = Vec::with_capacity(groups.len());
    for (key, group) in groups {
        if let Some(card) = one(group, max) {
            merged.push((key, card));
        }
    }
    merged.sort_by(|(one_key, one), (other_key, other)| {
        (place(one), one_key).cmp(&(place(other), other_key))
    });
    merged.into_iter().map(|(_, card)| card).collect()
}

/// The first place of a card; cards without a place come last.
fn place(card: &Card) -> (usize, usize) {
    let first = card.contexts.iter().min_by_key(|context| context.index.unwrap_or(usize::MAX));
    let Some(context) = first else { return (usize::MAX, usize::MAX) };
    let text = context.text.to_lowercase();
    let at = |form: &Form| text.find(&form.form.to_lowercase());
    let in_text = context.forms.iter().filter_map(at).min().unwrap_or(usize::MAX);
    (context.index.unwrap_or(usize::MAX), in_text)
}

/// Every field is chosen by its own order, so that the order of the input does not matter.
fn one(group: HashSet<Card>, max: ContextsMax) -> Option<Card> {
    let mut card = group.iter().next()?.clone();
    card.base_form = commonest(group.iter().map(|card| card.base_form.clone()))?;
    card.base_translation =
        commonest(group.iter().filter_map(|card| card.base_translation.clone()));
    card.visible = group.iter().all(|card| card.visible);
    let mut contexts: Vec<Context> = Vec::new();
    let mut forms: Vec<Form> = Vec::new();
    for card in group {
        contexts.extend(card.contexts);
        forms.extend(card.forms);
    }
    card.contexts = merge_contexts(contexts);
    let in_contexts = card.contexts.iter().flat_map(|context| context.forms.clone());
    card.forms = merge_forms(forms.into_iter().chain(in_contexts));
    card.contexts.truncate(max.0.max(1));
    Some(card)
}

/// The most frequent text; ties go to the longest, then to the alphabetically first.
pub(crate) fn commonest(texts: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let rank = |text: &str, count: usize| {
        (count, text.chars().count(), std::cmp::Reverse(text.to_owned()))
    };
    counts.into_iter().max_by_key(|(text, count)| rank(text, *count)).map(|(text, _)| text)
}

/// Each sentence once: by its sid, or by its text.
fn merge_contexts(contexts: Vec<Context>) -> Vec<Context> {
    let mut groups: BTreeMap<(usize, String), BTreeSet<Ordered>> = BTreeMap::new();
    for context in contexts {
        let name = context.sid.clone().unwrap_or_else(|| normalise(&context.text));
        let place = context.index.unwrap_or(usize::MAX);
        groups.entry((place, name)).or_default().insert(Ordered(context));
    }
    let merged = groups.into_values().filter_map(|group| {
        let translation = commonest(
            group
                .iter()
                .map(|Ordered(one)| one.translation.clone())
                .filter(|text| !text.is_empty()),
        );
        let forms = merge_forms(group.iter().flat_map(|Ordered(one)| one.forms.clone()));
        let Ordered(mut context) = group.into_iter().next()?;
        context.translation = translation.unwrap_or_default();
        context.forms = forms;
        Some(context)
    });
    merged.collect()
}

/// Each form once, case-insensitively; the most complete one stays.
pub(crate) fn merge_forms(forms: impl Iterator<Item = Form>) -> Vec<Form> {
    let mut known: BTreeMap<(String, String), Form> = BTreeMap::new();
    for form in forms {
        let name = (form.form.to_lowercase(), form.translation.to_lowercase());
        known
            .entry(name)
            .and_modify(|kept| {
                let better = (form.kind.is_some(), &form) > (kept.kind.is_some(), &*kept);
                if better {
                    *kept = form.clone();
                }
            })
            .or_insert(form);
    }
    known.into_values().collect()
}

/// A context with a total order.
#[derive(PartialEq, Eq)]
struct Ordered(Context);

impl Ordered {
    fn parts(&self) -> [Option<&str>; 5] {
        let Context { sid, index: _, sig, text, translation, document, forms: _ } = &self.0;
        let texts = [Some(text.as_str()), Some(translation.as_str())];
        [sid.as_deref(), sig.as_deref(), texts[0], texts[1], document.as_deref()]
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.parts(), &self.0.forms).cmp(&(other.parts(), &other.0.forms))
    }
}

#[cfg(test)]
mod tests;
