//! A package for Anki: a zip with a small SQLite collection of schema 11.
//!
//! Must hold: the ids of notes and of the deck never change, so that Anki updates notes.

use std::collections::BTreeMap;
use std::io;

use contract::Digest;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use super::anki::AnkiNote;
use super::note_type::{NOTE_TYPE_MOD, note_type, note_type_id};
use super::sound::Sounds;
use super::zip::pack;
use crate::deck::review::Recall;
use crate::text::language::Pair;

/// Chosen once, from the day on which this format was made.
const DECK_IDS_FROM: i64 = 1_794_787_300_000;
const NOTE_IDS_FROM: i64 = 1_500_000_000_000;

/// A note with the second of its last change.
pub(crate) struct DatedNote {
    pub note: AnkiNote,
    pub modified: i64,
}

/// The deck that the cards go to.
pub fn deck_name(pair: &Pair) -> String {
    format!("Ghosthand::{} → {}", pair.from.name(), pair.to.name())
}

/// The bytes of a `.apkg`.
pub(crate) fn apkg(notes: &[DatedNote], pair: &Pair, sounds: &Sounds) -> io::Result<Vec<u8>> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.prefix("ghosthand-cards-").tempdir()?;
    let path = folder.path().join("collection.anki2");
    let connection = Connection::open(&path).map_err(io::Error::other)?;
    write(&connection, notes, pair).map_err(io::Error::other)?;
    connection.close().map_err(|(_, error)| io::Error::other(error))?;
    let collection = std::fs::read(&path)?;
    // Files are numbered; the list has their names.
    let by_name: BTreeMap<String, &[u8]> =
        sounds.values().map(|sound| (sound.name(), sound.bytes.as_slice())).collect();
    let names = by_name.keys().enumerate().map(|(at, name)| (at.to_string(), json!(name)));
    let list = Value::Object(names.collect()).to_string();
    let numbers: Vec<String> = (0..by_name.len()).map(|at| at.to_string()).collect();
    let mut files = vec![("collection.anki2", collection.as_slice()), ("media", list.as_bytes())];
    files.extend(numbers.iter().map(String::as_str).zip(by_name.values().copied()));
    pack(&files)
}

fn write(connection: &Connection, notes: &[DatedNote], pair: &Pair) -> rusqlite::Result<()> {
    connection.execute_batch(SCHEMA)?;
    let newest = notes.iter().map(|note| note.modified).max().unwrap_or(NOTE_TYPE_MOD);
    let deck = DECK_IDS_FROM + number(&format!("{}>{}", pair.from, pair.to), 20);
    connection.execute(
        "INSERT INTO col VALUES (1, ?1, ?2, ?3, 11, 0, 0, 0, ?4, ?5, ?6, ?7, '{}')",
        params![
            NOTE_TYPE_MOD,
            newest * 1_000,
            NOTE_TYPE_MOD * 1_000,
            json!({ "nextPos": 1, "curDeck": 1, "activeDecks": [1], "curModel": note_type_id(Recall::Meaning),
                    "sortType": "noteFld", "sortBackwards": false, "addToCur": true,
                    "newSpread": 0, "dueCounts": true, "estTimes": true, "collapseTime": 1200,
                    "timeLim": 0 })
            .to_string(),
            note_types(notes).to_string(),
            json!({ "1": deck_json(1, "Default"),
                    deck.to_string(): deck_json(deck, &deck_name(pair)) })
            .to_string(),
            json!({ "1": deck_options() }).to_string(),
        ],
    )?;
    let mut note_row =
        connection.prepare("INSERT INTO notes VALUES (?1,?2,?3,?4,-1,?5,?6,?7,?8,0,'')")?;
    let mut card_row = connection
        .prepare("INSERT INTO cards VALUES (?1,?2,?3,0,?4,-1,0,0,?5,0,0,0,0,0,0,0,0,'')")?;
    let mut taken = std::collections::BTreeSet::new();
    for (position, DatedNote { note, modified }) in notes.iter().enumerate() {
        let mut id = NOTE_IDS_FROM + number(&note.guid, 37);
        while !taken.insert(id) {
            id += 1;
        }
        let key = note.fields.first().map(String::as_str).unwrap_or_default();
        note_row.execute(params![
            id,
            note.guid,
            note_type_id(note.recall),
            modified,
            format!(" {} ", note.tags.join(" ")),
            note.fields.join("\u{1f}"),
            key,
            checksum(key),
        ])?;
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        card_row.execute(params![id, id, deck, modified, position + 1])?;
    }
    Ok(())
}

/// The note types that the notes have; the usual one always.
fn note_types(notes: &[DatedNote]) -> Value {
    let has = |recall: &Recall| notes.iter().any(|note| note.note.recall == *recall);
    let used = Recall::ALL.into_iter().filter(|recall| *recall == Recall::Meaning || has(recall));
    Value::Object(used.map(|one| (note_type_id(one).to_string(), note_type(one))).collect())
}

/// A number of this many bits, derived from a text.
fn number(text: &str, bits: u32) -> i64 {
    let digest = Digest::of(text.as_bytes()).to_string();
    let hex = digest.trim_start_matches("sha256:");
    let number = u64::from_str_radix(hex.get(..16).unwrap_or("0"), 16).unwrap_or(0);
    i64::try_from(number >> (64 - bits)).unwrap_or(0)
}

/// The first 32 bits of SHA-1 over the first field, as Anki looks for duplicates.
fn checksum(field: &str) -> i64 {
    let digest = Sha1::digest(field.as_bytes());
    let first = digest.iter().take(4).fold(0u32, |sum, byte| (sum << 8) | u32::from(*byte));
    i64::from(first)
}

fn deck_json(id: i64, name: &str) -> Value {
    json!({ "id": id, "name": name, "mod": NOTE_TYPE_MOD, "usn": -1, "conf": 1, "dyn": 0,
            "desc": "", "collapsed": false, "browserCollapsed": false, "extendNew": 0,
            "extendRev": 0, "newToday": [0, 0], "revToday": [0, 0], "lrnToday": [0, 0],
            "timeToday": [0, 0] })
}

fn deck_options() -> Value {
    json!({ "id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": true,
            "timer": 0, "replayq": true, "dyn": false,
            "new": { "delays": [1.0, 10.0], "ints": [1, 4, 7], "initialFactor": 2500,
                     "order": 1, "perDay": 20, "bury": false, "separate": true },
            "lapse": { "delays": [10.0], "mult": 0.0, "minInt": 1, "leechFails": 8,
                       "leechAction": 1 },
            "rev": { "perDay": 200, "ease4": 1.3, "fuzz": 0.05, "ivlFct": 1.0, "maxIvl": 36500,
                     "bury": false, "minSpace": 1, "hardFactor": 1.2 } })
}

const SCHEMA: &str = "
PRAGMA page_size = 4096;
PRAGMA journal_mode = off;
PRAGMA synchronous = off;
CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null,
  scm integer not null, ver integer not null, dty integer not null, usn integer not null,
  ls integer not null, conf text not null, models text not null, decks text not null,
  dconf text not null, tags text not null);
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null,
  mod integer not null, usn integer not null, tags text not null, flds text not null,
  sfld integer not null, csum integer not null, flags integer not null, data text not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null,
  ord integer not null, mod integer not null, usn integer not null, type integer not null,
  queue integer not null, due integer not null, ivl integer not null, factor integer not null,
  reps integer not null, lapses integer not null, left integer not null, odue integer not null,
  odid integer not null, flags integer not null, data text not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null,
  ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null,
  time integer not null, type integer not null);
CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
CREATE INDEX ix_notes_usn on notes (usn);
CREATE INDEX ix_cards_usn on cards (usn);
CREATE INDEX ix_revlog_usn on revlog (usn);
CREATE INDEX ix_cards_nid on cards (nid);
CREATE INDEX ix_cards_sched on cards (did, queue, due);
CREATE INDEX ix_revlog_cid on revlog (cid);
CREATE INDEX ix_notes_csum on notes (csum);
";
