//! Pushes notes into a running Anki, through the add-on AnkiConnect.
//!
//! Must hold: a note is found again by its key and keeps its id, so that packages and pushes
//! update the same one; a field that a person changed in Anki is never overwritten.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{BoxFuture, Digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Library;
use crate::deck::card::CardKey;
use crate::deck::review::Recall;
use crate::export::{AnkiNote, AnkiOptions, DatedNote, apkg, deck_name, field_names, guid};
use crate::export::{Sound, note_type_name};
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::run_info::{RunId, RunInfo};

/// Calls an action of AnkiConnect with its parameters.
pub type AnkiCall<'a> =
    &'a (dyn Fn(&'static str, Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync);

/// As [`AnkiCall`], kept.
pub type AnkiCaller =
    Arc<dyn Fn(&'static str, Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

/// What a push did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PushReport {
    pub added: usize,
    pub updated: usize,
    pub unchanged: usize,
    /// Fields that a person changed in Anki; they stay as they are.
    pub kept_fields: usize,
}

const PUSHED: &str = "anki-pushed";
/// Notes in one request, and in one record of the log.
const PART_NOTES: usize = 500;
/// The package on its way, in Anki's folder of media; a leading `_` keeps it from being synced.
const PACKAGE: &str = "_ghosthand-push.apkg";

/// By guid: the digest of each field as it was pushed.
type PushedFields = BTreeMap<String, BTreeMap<String, String>>;

/// A note as Anki has it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TheirNote {
    note_id: i64,
    fields: BTreeMap<String, TheirField>,
}

#[derive(Debug, Deserialize)]
struct TheirField {
    value: String,
}

impl Library {
    /// Adds the notes of a run to a running Anki, and updates what has changed here.
    pub async fn push(
        &self,
        run: &RunId,
        options: &AnkiOptions,
        anki: AnkiCall<'_>,
    ) -> Result<PushReport, CardsFault> {
        let head = self.find(Some(run)).await?;
        let known = self.exported_notes().await?;
        let notes = self.notes(&head, options, &known).await?;
        call(anki, "version", json!({})).await?;
        let theirs = their_notes(&notes, anki).await?;
        let before = self.pushed().await?;
        let (mut report, mut pushed, mut missing) =
            (PushReport::default(), PushedFields::new(), Vec::new());
        for note in &notes {
            let keys = keys_of(note);
            let found = keys.iter().find_map(|key| theirs.get(&(note.recall, key.clone())));
            let Some(there) = found else {
                missing.push(note.clone());
                pushed.insert(note.guid.clone(), digests(note));
                continue;
            };
            let last = before.get(&note.guid).cloned().unwrap_or_default();
            let merged = Merged::of(note, there, &last);
            report.kept_fields += merged.kept;
            match merged.changed.is_empty() {
                true => report.unchanged += 1,
                false => {
                    store_sounds(&merged.changed, options, anki).await?;
                    let note = json!({ "id": there.note_id, "fields": merged.changed });
                    call(anki, "updateNoteFields", json!({ "note": note })).await?;
                    report.updated += 1;
                }
            }
            pushed.insert(note.guid.clone(), merged.pushed);
        }
        report.added = missing.len();
        self.add(&head, missing, options, anki).await?;
        pushed.retain(|guid, fields| before.get(guid) != Some(fields));
        self.write_pushed(pushed).await?;
        Ok(report)
    }

    /// New notes go in as a package: only so they get their id.
    async fn add(
        &self,
        head: &RunInfo,
        notes: Vec<AnkiNote>,
        options: &AnkiOptions,
        anki: AnkiCall<'_>,
    ) -> Result<(), CardsFault> {
        if notes.is_empty() {
            return Ok(());
        }
        let modified = i64::try_from(self.now() / 1_000).unwrap_or(i64::MAX);
        let dated: Vec<_> = notes.into_iter().map(|note| DatedNote { note, modified }).collect();
        let package = apkg(&dated, &head.pair(), &options.sounds)?;
        call(anki, "createDeck", json!({ "deck": deck_name(&head.pair()) })).await?;
        store_file(PACKAGE, &package, anki).await?;
        let folder = call(anki, "getMediaDirPath", json!({})).await?;
        let folder = folder.as_str().unwrap_or_default().trim_end_matches(['/', '\\']);
        let imported =
            call(anki, "importPackage", json!({ "path": format!("{folder}/{PACKAGE}") })).await;
        call(anki, "deleteMediaFile", json!({ "filename": PACKAGE })).await?;
        match imported?.as_bool() {
            Some(false) => Err(CardsFault::Anki("the package was not imported".to_owned())),
            Some(true) | None => self.write_exported(&dated).await,
        }
    }

    async fn pushed(&self) -> Result<PushedFields, CardsFault> {
        let log = self.place(PUSHED).parse()?;
        let mut all = PushedFields::new();
        for part in journal::read_all::<PushedFields>(&*self.store, &log).await? {
            all.extend(part);
        }
        Ok(all)
    }

    async fn write_pushed(&self, pushed: PushedFields) -> Result<(), CardsFault> {
        let log = self.place(PUSHED).parse()?;
        let pushed: Vec<_> = pushed.into_iter().collect();
        for part in pushed.chunks(PART_NOTES) {
            let part: PushedFields = part.iter().cloned().collect();
            journal::append(&*self.store, &log, &part, None).await?;
        }
        Ok(())
    }
}

/// A note of ours and of theirs together.
struct Merged {
    changed: BTreeMap<String, String>,
    pushed: BTreeMap<String, String>,
    kept: usize,
}

impl Merged {
    fn of(note: &AnkiNote, there: &TheirNote, last: &BTreeMap<String, String>) -> Self {
        let mut merged = Self { changed: BTreeMap::new(), pushed: last.clone(), kept: 0 };
        for (name, ours) in field_names(note.recall).iter().zip(&note.fields) {
            let theirs = there.fields.get(*name).map(|field| field.value.as_str());
            let theirs = theirs.unwrap_or_default();
            let is_ours = last.get(*name) == Some(&digest(theirs));
            match theirs == ours {
                true => {}
                // The key is not a person's to change, and what is empty has nothing to lose.
                false if theirs.is_empty() || is_ours || *name == "Key" => {
                    merged.changed.insert((*name).to_owned(), ours.clone());
                }
                false => {
                    merged.kept += 1;
                    continue;
                }
            }
            merged.pushed.insert((*name).to_owned(), digest(ours));
        }
        merged
    }
}

fn digests(note: &AnkiNote) -> BTreeMap<String, String> {
    let names = field_names(note.recall).iter();
    names.zip(&note.fields).map(|(name, ours)| ((*name).to_owned(), digest(ours))).collect()
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).short()
}

/// The keys by which a note is found: also that of a version without target languages.
fn keys_of(note: &AnkiNote) -> Vec<String> {
    let key = note.fields.first().cloned().unwrap_or_default();
    let old = key.parse::<CardKey>().ok().map(|key| key.without_target());
    let old = old.filter(|old| guid(old) == note.guid).map(|old| old.to_string());
    std::iter::once(key).chain(old).collect()
}

/// The notes of our types that Anki has, by their key.
async fn their_notes(
    notes: &[AnkiNote],
    anki: AnkiCall<'_>,
) -> Result<BTreeMap<(Recall, String), TheirNote>, CardsFault> {
    let mut theirs = BTreeMap::new();
    for recall in Recall::ALL {
        if notes.iter().all(|note| note.recall != recall) {
            continue;
        }
        let query = format!("\"note:{}\"", note_type_name(recall));
        let ids = call(anki, "findNotes", json!({ "query": query })).await?;
        let ids: Vec<i64> = serde_json::from_value(ids)?;
        for part in ids.chunks(PART_NOTES) {
            let infos = call(anki, "notesInfo", json!({ "notes": part })).await?;
            let infos: Vec<TheirNote> = serde_json::from_value(infos)
                .map_err(|error| CardsFault::Anki(format!("an unknown answer: {error}")))?;
            for info in infos {
                let key = info.fields.get("Key").map(|field| field.value.clone());
                theirs.insert((recall, key.unwrap_or_default()), info);
            }
        }
    }
    Ok(theirs)
}

/// Stores the sounds that changed fields refer to.
async fn store_sounds(
    changed: &BTreeMap<String, String>,
    options: &AnkiOptions,
    anki: AnkiCall<'_>,
) -> Result<(), CardsFault> {
    let wanted = |sound: &&Sound| changed.values().any(|text| text.contains(&sound.reference()));
    for sound in options.sounds.values().filter(wanted) {
        store_file(&sound.name(), &sound.bytes, anki).await?;
    }
    Ok(())
}

async fn store_file(name: &str, bytes: &[u8], anki: AnkiCall<'_>) -> Result<(), CardsFault> {
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    call(anki, "storeMediaFile", json!({ "filename": name, "data": data })).await?;
    Ok(())
}

async fn call(anki: AnkiCall<'_>, action: &'static str, with: Value) -> Result<Value, CardsFault> {
    anki(action, with).await.map_err(CardsFault::Anki)
}
