//! All cards of one language pair: what several texts say about a word is one card.
//!
//! In: the cards of each run, the oldest run first, and the edits of people. Out: a [`Deck`] of
//! one run, or of all. Must hold: an edit counts in every run, also in later ones; the meaning
//! of the oldest run stays until a person changes it; sentences are added behind those that
//! are there, so that an export never takes one away for another.

use std::collections::{BTreeMap, BTreeSet};

use super::card::{Card, CardKey, Context};
use super::edit::{PersonalChange, Standing, Strategy};
use super::merge::{ContextsMax, merge, merge_forms};
use super::quality::CardDoubts;
use super::{Deck, DeckCard};
use crate::run::run_info::RunId;
use crate::text::manifest::signature;

/// The cards of one run with all their sentences, merged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunCards {
    pub run: RunId,
    pub document: String,
    pub cards: Vec<Card>,
}

/// Which sentences of a card come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextOrder {
    /// Those of the run that is shown.
    OwnFirst,
    /// Those of the oldest run: the order never changes.
    OldestFirst,
}

/// The cards of one language pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    /// The oldest first.
    runs: Vec<RunCards>,
    changes: BTreeMap<CardKey, PersonalChange>,
    /// Where each card is: its run and its place there.
    places: BTreeMap<CardKey, Vec<(usize, usize)>>,
}

impl Vocabulary {
    pub(crate) fn new(runs: Vec<RunCards>, edits: Vec<Standing>) -> Self {
        let mut this = Self { runs, ..Self::default() };
        for edit in edits {
            this.apply(edit);
        }
        this.find_places();
        this
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunCards> {
        self.runs.iter()
    }

    fn find_places(&mut self) {
        self.places.clear();
        for (run, cards) in self.runs.iter().enumerate() {
            for (at, card) in cards.cards.iter().enumerate() {
                self.places.entry(card.key()).or_default().push((run, at));
            }
        }
    }

    fn apply(&mut self, edit: Standing) {
        match edit {
            Standing::Changed { key, change, .. } => {
                self.changes.entry(key).or_default().add(&change);
            }
            Standing::Shown { keys, visible, .. } => {
                for key in keys {
                    self.changes.entry(key).or_default().visible = Some(visible);
                }
            }
            Standing::Restored { key, .. } => drop(self.changes.remove(&key)),
            Standing::Imported { run, strategy, cards } => self.import(&run, strategy, cards),
        }
    }

    fn import(&mut self, run: &RunId, strategy: Strategy, cards: Vec<Card>) {
        let Some(into) = self.runs.iter_mut().find(|one| one.run == *run) else { return };
        let cards = merge(cards, ContextsMax(usize::MAX));
        match strategy {
            Strategy::MergeKeepLocal => {
                let there: BTreeSet<CardKey> = into.cards.iter().map(Card::key).collect();
                into.cards.extend(cards.into_iter().filter(|card| !there.contains(&card.key())));
            }
            // The file says what a card means, in this run and in all others.
            Strategy::ReplaceAll | Strategy::MergePreferImported => {
                for card in &cards {
                    self.changes.insert(card.key(), PersonalChange::imported(card));
                }
                into.cards = match strategy {
                    Strategy::MergePreferImported => preferred(&into.cards, cards),
                    Strategy::ReplaceAll | Strategy::MergeKeepLocal => cards,
                };
            }
        }
    }

    /// The cards of a run, in the order of its text.
    pub(crate) fn deck(&self, run: &RunId, max: ContextsMax, order: ContextOrder) -> Deck {
        let Some(own) = self.runs.iter().position(|one| one.run == *run) else {
            return Deck::default();
        };
        let first = match order {
            ContextOrder::OwnFirst => Some(own),
            ContextOrder::OldestFirst => None,
        };
        let cards = self.runs.get(own).map(|run| run.cards.as_slice()).unwrap_or_default();
        let card = |card: &Card| self.card(&card.key(), Some(own), first, max);
        doubted(Deck { cards: cards.iter().filter_map(card).collect() })
    }

    /// Every card once, in the order in which they were met.
    pub(crate) fn all(&self, max: ContextsMax) -> Deck {
        let mut keys: Vec<(&CardKey, (usize, usize))> =
            self.places.iter().filter_map(|(key, places)| Some((key, *places.first()?))).collect();
        keys.sort_by_key(|(_, place)| *place);
        let card = |(key, _): (&CardKey, (usize, usize))| self.card(key, None, None, max);
        doubted(Deck { cards: keys.into_iter().filter_map(card).collect() })
    }

    /// One card of all runs. The text of the run `within` needs no name.
    fn card(
        &self,
        key: &CardKey,
        within: Option<usize>,
        first: Option<usize>,
        max: ContextsMax,
    ) -> Option<DeckCard> {
        let places = self.places.get(key)?;
        let found = |(run, at): &(usize, usize)| Some((*run, self.runs.get(*run)?.cards.get(*at)?));
        let cards: Vec<(usize, &Card)> = places.iter().filter_map(found).collect();
        let mut card = cards.first()?.1.clone();
        let meaning = cards.iter().find_map(|(_, card)| card.base_translation.clone());
        card.base_translation = meaning;
        card.forms = merge_forms(cards.iter().flat_map(|(_, card)| card.forms.clone()));
        card.contexts = self.contexts(&cards, within, first);
        let change = self.changes.get(key);
        if let Some(change) = change {
            change.apply(&mut card);
        }
        let sentences = card.contexts.len();
        card.contexts.truncate(max.0.max(1));
        let edited = change.is_some_and(|change| change.edited);
        let key = key.clone();
        Some(DeckCard { key, card, edited, known: false, sentences, doubts: Vec::new() })
    }

    /// Each sentence once, however many texts have it.
    fn contexts(
        &self,
        cards: &[(usize, &Card)],
        within: Option<usize>,
        first: Option<usize>,
    ) -> Vec<Context> {
        let mut order: Vec<&(usize, &Card)> = cards.iter().collect();
        order.sort_by_key(|(run, _)| Some(*run) != first);
        let mut seen = BTreeSet::new();
        let mut contexts = Vec::new();
        for (run, card) in order {
            for context in &card.contexts {
                if !context.text.is_empty() && !seen.insert(signature(&context.text)) {
                    continue;
                }
                let mut context = context.clone();
                if within != Some(*run) && context.document.is_none() {
                    context.document = self.runs.get(*run).map(|run| run.document.clone());
                    context.index = None;
                }
                contexts.push(context);
            }
        }
        contexts
    }
}

/// Marks the cards whose meaning may be wrong, but for those that a person has changed.
fn doubted(mut deck: Deck) -> Deck {
    let doubts = CardDoubts::new(deck.cards.iter().map(|card| &card.card));
    for card in deck.cards.iter_mut().filter(|card| !card.edited) {
        card.doubts = doubts.of(&card.card);
    }
    deck
}

/// Imported cards in the places of existing ones, new ones behind them.
fn preferred(local: &[Card], imported: Vec<Card>) -> Vec<Card> {
    let mut coming: BTreeMap<CardKey, Card> =
        imported.iter().map(|card| (card.key(), card.clone())).collect();
    let mut cards: Vec<Card> = local
        .iter()
        .map(|card| coming.remove(&card.key()).unwrap_or_else(|| card.clone()))
        .collect();
    cards.extend(imported.into_iter().filter(|card| coming.contains_key(&card.key())));
    cards
}
