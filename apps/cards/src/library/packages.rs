//! Packages for Anki, with a record of earlier exports.
//!
//! Anki updates a note only if it is newer, so a note carries the time of its last change, not
//! of the export.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Library;
use crate::deck::DeckCard;
use crate::deck::aggregate::Pair;
use crate::export::{DatedNote, apkg, notes};
use crate::fault::CardsFault;
use crate::run::journal;

const EXPORTED: &str = "anki";
/// Notes in one record of the log.
const PART_NOTES: usize = 1_000;

/// Notes that an export changed: by guid, their digest and the second of the change.
#[derive(Debug, Serialize, Deserialize)]
struct Exported {
    notes: BTreeMap<String, (String, i64)>,
}

impl Library {
    /// The bytes of a `.apkg` with the visible cards.
    pub async fn anki_package(
        &self,
        cards: &[DeckCard],
        pair: &Pair,
        source: &str,
    ) -> Result<Vec<u8>, CardsFault> {
        let log = self.place(EXPORTED).parse()?;
        let mut known: BTreeMap<String, (String, i64)> = BTreeMap::new();
        for part in journal::read_all::<Exported>(&*self.store, &log).await? {
            known.extend(part.notes);
        }
        let now = i64::try_from(self.now() / 1_000).unwrap_or(i64::MAX);
        let mut changed = BTreeMap::new();
        let mut dated = Vec::new();
        for note in notes(cards, source) {
            let digest = note.digest();
            let modified = match known.get(&note.guid) {
                Some((said, at)) if *said == digest => *at,
                Some((_, at)) => now.max(at + 1),
                None => now,
            };
            changed.insert(note.guid.clone(), (digest, modified));
            dated.push(DatedNote { note, modified });
        }
        let package = apkg(&dated, pair)?;
        changed.retain(|guid, note| known.get(guid) != Some(note));
        let changed: Vec<_> = changed.into_iter().collect();
        for part in changed.chunks(PART_NOTES) {
            let part = Exported { notes: part.iter().cloned().collect() };
            journal::append(&*self.store, &log, &part, None).await?;
        }
        Ok(package)
    }
}
