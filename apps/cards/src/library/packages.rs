//! Files for Anki, with a record of earlier exports.
//!
//! Anki updates a note only if it is newer, so a note carries the time of its last change, not
//! of the export. Must hold: a note has the sentences of all texts, the oldest first, so that
//! the file of one text takes nothing away that the file of another brought.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Library;
use super::migrate::OldKeys;
use crate::deck::DeckCard;
use crate::deck::merge::ContextsMax;
use crate::deck::vocabulary::ContextOrder;
use crate::export::{AnkiNote, AnkiOptions, DatedNote, anki_text, apkg, deck_name, guid, notes};
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::run_info::{RunId, RunInfo};

const EXPORTED: &str = "anki";
/// Notes in one record of the log.
const PART_NOTES: usize = 1_000;

/// Notes that an export changed: by guid, their digest and the second of the change.
#[derive(Debug, Serialize, Deserialize)]
struct Exported {
    notes: BTreeMap<String, (String, i64)>,
}

pub(super) type ExportedNotes = BTreeMap<String, (String, i64)>;

impl Library {
    /// The bytes of a `.apkg` with the visible cards of a run.
    pub async fn anki_package(
        &self,
        run: &RunId,
        options: &AnkiOptions,
    ) -> Result<Vec<u8>, CardsFault> {
        let head = self.find(Some(run)).await?;
        let known = self.exported_notes().await?;
        let now = i64::try_from(self.now() / 1_000).unwrap_or(i64::MAX);
        let mut changed = BTreeMap::new();
        let mut dated = Vec::new();
        for note in self.notes(&head, options, &known).await? {
            let digest = note.digest();
            let modified = match known.get(&note.guid) {
                Some((said, at)) if *said == digest => *at,
                Some((_, at)) => now.max(at + 1),
                None => now,
            };
            changed.insert(note.guid.clone(), (digest, modified));
            dated.push(DatedNote { note, modified });
        }
        let package = apkg(&dated, &head.pair(), &options.sounds)?;
        changed.retain(|guid, note| known.get(guid) != Some(note));
        self.write_exported_notes(changed).await?;
        Ok(package)
    }

    /// Records notes as exported.
    pub(super) async fn write_exported(&self, notes: &[DatedNote]) -> Result<(), CardsFault> {
        let entry = |one: &DatedNote| (one.note.guid.clone(), (one.note.digest(), one.modified));
        self.write_exported_notes(notes.iter().map(entry).collect()).await
    }

    async fn write_exported_notes(&self, changed: ExportedNotes) -> Result<(), CardsFault> {
        let log = self.place(EXPORTED).parse()?;
        let changed: Vec<_> = changed.into_iter().collect();
        for part in changed.chunks(PART_NOTES) {
            let part = Exported { notes: part.iter().cloned().collect() };
            journal::append(&*self.store, &log, &part, None).await?;
        }
        Ok(())
    }

    /// A text file with the visible cards of a run, for Anki 2.1.54 and newer.
    pub async fn anki_text(&self, run: &RunId, max: ContextsMax) -> Result<String, CardsFault> {
        let head = self.find(Some(run)).await?;
        let known = self.exported_notes().await?;
        let options = AnkiOptions { contexts_max: max, ..AnkiOptions::usual() };
        let notes = self.notes(&head, &options, &known).await?;
        Ok(anki_text(&notes, &deck_name(&head.pair())))
    }

    pub(super) async fn exported_notes(&self) -> Result<ExportedNotes, CardsFault> {
        let log = self.place(EXPORTED).parse()?;
        let mut known = BTreeMap::new();
        for part in journal::read_all::<Exported>(&*self.store, &log).await? {
            known.extend(part.notes);
        }
        Ok(known)
    }

    pub(super) async fn notes(
        &self,
        head: &RunInfo,
        options: &AnkiOptions,
        known: &ExportedNotes,
    ) -> Result<Vec<AnkiNote>, CardsFault> {
        let words = self.vocabulary(&head.pair()).await?;
        let max = options.contexts_max;
        let cards = words.deck(&head.id, max, ContextOrder::OldestFirst).cards;
        let mut old_keys = self.old_keys().await?;
        let claimed = gone(&cards, &old_keys, known);
        if !claimed.is_empty() {
            let keys = claimed.iter().map(|card| card.key.without_target()).collect();
            self.claim_old_keys(head, keys).await?;
            old_keys = self.old_keys().await?;
        }
        Ok(notes(&cards, &head.document, &old_keys, options))
    }
}

/// Cards whose notes were exported by version 1 and whose runs are gone: it is unknown which
/// language pair they had.
fn gone<'a>(cards: &'a [DeckCard], old_keys: &OldKeys, known: &ExportedNotes) -> Vec<&'a DeckCard> {
    let exported = |card: &&DeckCard| known.contains_key(&guid(&card.key.without_target()));
    let visible = cards.iter().filter(|card| card.is_visible());
    visible.filter(|card| !old_keys.has(&card.key)).filter(exported).collect()
}
