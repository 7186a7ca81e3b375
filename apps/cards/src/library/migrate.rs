//! Brings runs of version 1 into the vocabulary: there a key did not name the target language,
//! and each run kept its own edits.
//!
//! Must hold: every edit and review still counts; a note that was exported keeps its id for
//! the language pair that had it first, so that Anki updates it; it happens once, also if it
//! is interrupted or two programs begin it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Library;
use crate::deck::card::{Card, CardKey, CardRef};
use crate::deck::edit::{Edit, EditRecord, standing};
use crate::deck::merge::ContextsMax;
use crate::deck::vocabulary::{ContextOrder, Vocabulary};
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::run_info::{RunId, RunInfo};
use crate::text::language::Language;

/// The last version whose keys did not name the target language.
const SHORT_KEYS_VERSION: u32 = 1;
const MIGRATED: &str = "migrated";
/// Keys in one record of the log.
const PART_KEYS: usize = 1_000;

/// One record of the log of migrated runs.
#[derive(Debug, Serialize, Deserialize)]
struct MigratedRun {
    run: RunId,
    to: Language,
    /// Keys of its cards, without the target.
    keys: Vec<CardRef>,
    /// Is the run complete with this record?
    last: bool,
}

/// Which language pairs the cards of version 1 belonged to.
#[derive(Debug, Default)]
pub(crate) struct OldKeys {
    targets: BTreeMap<CardRef, Vec<Language>>,
    runs: BTreeSet<RunId>,
}

impl OldKeys {
    fn of(records: Vec<MigratedRun>) -> Self {
        let mut this = Self::default();
        for MigratedRun { run, to, keys, last } in records {
            for key in keys {
                let targets = this.targets.entry(key).or_default();
                if !targets.contains(&to) {
                    targets.push(to.clone());
                }
            }
            if last {
                this.runs.insert(run);
            }
        }
        this
    }

    /// Does the card keep the id of the note that version 1 exported? Of several language
    /// pairs, the oldest does.
    pub(crate) fn keeps_note(&self, key: &CardKey) -> bool {
        let targets = self.targets.get(&key.without_target());
        targets.and_then(|targets| targets.first()) == Some(&key.target)
    }

    /// Was the key in any run of version 1?
    pub(crate) fn has(&self, key: &CardKey) -> bool {
        self.targets.contains_key(&key.without_target())
    }

    /// Do reviews of version 1 count for the card? They count for every pair that had it, and
    /// for all pairs if its runs are gone.
    pub(crate) fn inherits(&self, key: &CardKey) -> bool {
        let targets = self.targets.get(&key.without_target());
        targets.is_none_or(|targets| targets.contains(&key.target))
    }
}

impl Library {
    /// Migrates the owner's runs of version 1.
    pub(super) async fn migrate(&self) -> Result<(), CardsFault> {
        if self.is_migrated() {
            return Ok(());
        }
        let mut old = self.oldest_first().await?;
        old.retain(|head| head.version <= SHORT_KEYS_VERSION);
        if !old.is_empty() {
            let done = self.old_keys().await?.runs;
            for head in old.iter().filter(|head| !done.contains(&head.id)) {
                self.migrate_run(head).await?;
            }
        }
        self.set_migrated();
        Ok(())
    }

    pub(super) async fn old_keys(&self) -> Result<OldKeys, CardsFault> {
        let log = self.place(MIGRATED).parse()?;
        Ok(OldKeys::of(journal::read_all(&*self.store, &log).await?))
    }

    async fn migrate_run(&self, head: &RunInfo) -> Result<(), CardsFault> {
        let (run, pair) = (&head.id, head.pair());
        let edits: Vec<Edit> =
            journal::read_all(&*self.store, &journal::log_name(run, "edits")?).await?;
        let mut records: Vec<EditRecord> =
            edits.into_iter().map(|edit| EditRecord { run: run.clone(), edit }).collect();
        let cards = self.results(head).await?.cards.clone();
        let vocabulary = Vocabulary::new(vec![cards], standing(records.clone(), &pair));
        let deck = vocabulary.deck(run, ContextsMax(usize::MAX), ContextOrder::OwnFirst);
        for (number, record) in records.iter_mut().enumerate() {
            if let Edit::Changed { key, change } = &mut record.edit
                && let Some(card) = deck.get(&key.resolve(&pair))
            {
                change.sign(&card.card);
            }
            let once = Some(format!("{run}-{number}"));
            journal::append(&*self.store, &self.edits_log(&pair)?, record, once).await?;
        }
        let keys: Vec<CardRef> =
            deck.cards.iter().map(|card| Card::key(&card.card).without_target()).collect();
        self.write_old_keys(run, &head.to, &keys).await
    }

    async fn write_old_keys(
        &self,
        run: &RunId,
        to: &Language,
        keys: &[CardRef],
    ) -> Result<(), CardsFault> {
        let log = self.place(MIGRATED).parse()?;
        let parts = keys.chunks(PART_KEYS).map(<[CardRef]>::to_vec).chain([Vec::new()]);
        for (number, keys) in parts.enumerate() {
            let last = keys.is_empty();
            let record = MigratedRun { run: run.clone(), to: to.clone(), keys, last };
            let once = Some(format!("{run}-{number}"));
            journal::append(&*self.store, &log, &record, once).await?;
        }
        Ok(())
    }

    /// Gives keys whose runs of version 1 are gone to the first language pair that exports them.
    pub(super) async fn claim_old_keys(
        &self,
        head: &RunInfo,
        keys: Vec<CardRef>,
    ) -> Result<(), CardsFault> {
        let log = self.place(MIGRATED).parse()?;
        let (run, to) = (head.id.clone(), head.to.clone());
        let record = MigratedRun { run, to, keys, last: false };
        journal::append(&*self.store, &log, &record, None).await
    }
}
