//! Edits and imports of cards.

use contract::Digest;
use serde::Serialize;

use super::Library;
use crate::deck::DeckCard;
use crate::deck::card::{Card, CardKey, CardRef};
use crate::deck::edit::{CardChange, Edit, Standing, Strategy};
use crate::deck::merge::ContextsMax;
use crate::deck::vocabulary::ContextOrder;
use crate::fault::CardsFault;
use crate::run::event::RunEvent;
use crate::run::journal;
use crate::run::run_info::{RUN_VERSION, RunId, RunInfo};
use crate::text::language::Pair;
use crate::text::manifest::{Chunking, Manifest};

/// Cards in one record of the log.
const PART_CARDS: usize = 100;

/// What an import would do to the cards of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportPreview {
    pub added: Vec<CardKey>,
    pub changed: Vec<CardKey>,
    pub removed: Vec<CardKey>,
    /// In the run and in the file; they stay as they are.
    pub kept: usize,
}

impl Library {
    /// Changes a card wherever it is shown.
    pub async fn change(
        &self,
        run: &RunId,
        key: &CardKey,
        mut change: CardChange,
    ) -> Result<(), CardsFault> {
        let head = self.find(Some(run)).await?;
        change.sign(&self.card(run, key).await?.card);
        let edit = Edit::Changed { key: key.clone().into(), change };
        self.write_edit(&head.pair(), run, edit).await
    }

    /// Shows or hides cards everywhere.
    pub async fn show(
        &self,
        run: &RunId,
        keys: Vec<CardKey>,
        visible: bool,
    ) -> Result<(), CardsFault> {
        let deck = self.deck(run, ContextsMax::USUAL).await?;
        if let Some(missing) = keys.iter().find(|key| deck.get(key).is_none()) {
            return Err(CardsFault::NoCard(missing.to_string()));
        }
        let pair = self.find(Some(run)).await?.pair();
        let keys = keys.into_iter().map(CardRef::from).collect();
        self.write_edit(&pair, run, Edit::Shown { keys, visible }).await
    }

    /// Reverts all changes of a card.
    pub async fn restore(&self, run: &RunId, key: &CardKey) -> Result<(), CardsFault> {
        self.card(run, key).await?;
        let pair = self.find(Some(run)).await?.pair();
        self.write_edit(&pair, run, Edit::Restored { key: key.clone().into() }).await
    }

    /// Undoes the newest edit that was made in the run; false if there is none.
    pub async fn undo(&self, run: &RunId) -> Result<bool, CardsFault> {
        let pair = self.find(Some(run)).await?.pair();
        let any = self.edits(&pair).await?.iter().any(|edit| edit.is_of(run));
        if any {
            self.write_edit(&pair, run, Edit::Undone).await?;
        }
        Ok(any)
    }

    /// One card of a run.
    pub async fn card(&self, run: &RunId, key: &CardKey) -> Result<DeckCard, CardsFault> {
        let deck = self.deck(run, ContextsMax::USUAL).await?;
        deck.get(key).cloned().ok_or_else(|| CardsFault::NoCard(key.to_string()))
    }

    /// Marks the sentences of a card for a retry; returns how many.
    pub async fn regenerate(&self, run: &RunId, key: &CardKey) -> Result<usize, CardsFault> {
        let snapshot = self.snapshot(run).await?;
        let all = snapshot.aggregate(ContextsMax(usize::MAX)).cards;
        let card = all.into_iter().find(|card| card.key() == *key);
        let card = card.ok_or_else(|| CardsFault::NoCard(key.to_string()))?;
        let sentences = card.contexts.iter().filter_map(|context| context.index).collect();
        self.retry(run, &super::RetryScope::These(sentences)).await
    }

    /// What an import would do; nothing is written.
    pub async fn preview_import(
        &self,
        run: &RunId,
        cards: &[Card],
        strategy: Strategy,
    ) -> Result<ImportPreview, CardsFault> {
        let pair = self.find(Some(run)).await?.pair();
        let mut edits = self.edits(&pair).await?;
        let deck = async |edits| -> Result<Vec<DeckCard>, CardsFault> {
            let words = self.vocabulary_with(&pair, edits).await?;
            Ok(words.deck(run, ContextsMax::USUAL, ContextOrder::OwnFirst).cards)
        };
        let before = deck(edits.clone()).await?;
        edits.push(Standing::Imported { run: run.clone(), strategy, cards: cards.to_vec() });
        Ok(preview(&before, &deck(edits).await?))
    }

    /// Imports cards into a run.
    pub async fn import(
        &self,
        run: &RunId,
        cards: &[Card],
        strategy: Strategy,
    ) -> Result<(), CardsFault> {
        let pair = self.find(Some(run)).await?.pair();
        let import = format!("{}-{}", self.now(), self.edits(&pair).await?.len());
        let begun = Edit::ImportBegun { import: import.clone(), strategy, cards: cards.len() };
        self.write_edit(&pair, run, begun).await?;
        for part in cards.chunks(PART_CARDS) {
            let part = Edit::ImportPart { import: import.clone(), cards: part.to_vec() };
            self.write_edit(&pair, run, part).await?;
        }
        self.write_edit(&pair, run, Edit::ImportEnded { import }).await
    }

    /// A run for cards without a text.
    pub async fn begin_imported(
        &self,
        document: &str,
        pair: &Pair,
        content: &[u8],
    ) -> Result<RunInfo, CardsFault> {
        let id = RunId::of(document, &Digest::of(content).to_string(), pair, self.owner.as_deref());
        if let Some(head) = self.head(&id).await? {
            return Ok(head);
        }
        let manifest = Manifest::of("", &pair.from, document, Chunking::usual());
        let head = RunInfo {
            id,
            document: document.to_owned(),
            from: pair.from.clone(),
            to: pair.to.clone(),
            engine: manifest.engine,
            sentences: 0,
            source_bytes: 0,
            created_at: self.now(),
            owner: self.owner.clone(),
            version: RUN_VERSION,
        };
        journal::create(&*self.store, &head, "", &manifest).await?;
        let at = self.now();
        for event in [
            RunEvent::Submitted { at, model: "import".to_owned() },
            RunEvent::Started { at },
            RunEvent::Completed { at },
        ] {
            self.append(&head.id, &event).await?;
        }
        Ok(head)
    }
}

fn preview(before: &[DeckCard], after: &[DeckCard]) -> ImportPreview {
    let find =
        |cards: &[DeckCard], key: &CardKey| cards.iter().find(|card| card.key == *key).cloned();
    let keys = |cards: &[DeckCard]| -> Vec<CardKey> {
        cards.iter().map(|card| card.key.clone()).collect()
    };
    let mut preview =
        ImportPreview { added: Vec::new(), changed: Vec::new(), removed: Vec::new(), kept: 0 };
    for key in keys(after) {
        match (find(before, &key), find(after, &key)) {
            (None, _) => preview.added.push(key),
            (Some(was), Some(is)) if was.card != is.card => preview.changed.push(key),
            (Some(_), _) => preview.kept += 1,
        }
    }
    preview.removed = keys(before).into_iter().filter(|key| find(after, key).is_none()).collect();
    preview
}
