//! Where a run is in the store, and how it is read and written.
//!
//! | name | holds |
//! | --- | --- |
//! | key `cards/run/ID` | the run's info; written last, so that a run exists as a whole |
//! | log `cards/ID/source` | the text, in pieces |
//! | log `cards/ID/manifest` | the manifest, in pages |
//! | log `cards/ID/events` | the events |
//! | log `cards/ID/edits` | edits by people |
//! | key `cards/ID/lease` | the process that works on it |

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{
    DedupKey, Expected, Expiry, Json, Key, LogName, PageRequest, Prefix, Sequence, Store,
    StoreFault,
};

use super::event::RunEvent;
use super::run_info::{RUN_VERSION, RunId, RunInfo};
use super::snapshot::Snapshot;
use crate::fault::CardsFault;
use crate::text::manifest::{Manifest, Sentence};

/// Bytes of the text in one record.
const PIECE_BYTES: usize = 200_000;
/// Sentences in one record.
const PAGE_SENTENCES: usize = 1_000;
/// Records per read.
const READ_RECORDS: usize = 500;
const RUNS_PAGE: usize = 200;

const RUNS: &str = "cards/run/";

pub(crate) fn log_name(run: &RunId, what: &str) -> Result<LogName, CardsFault> {
    format!("cards/{run}/{what}").parse().map_err(CardsFault::from)
}

fn head_key(run: &RunId) -> Result<Key, CardsFault> {
    format!("{RUNS}{run}").parse().map_err(CardsFault::from)
}

pub(crate) fn lease_key(run: &RunId) -> Result<Key, CardsFault> {
    format!("cards/{run}/lease").parse().map_err(CardsFault::from)
}

pub(crate) fn json(value: &impl Serialize) -> Result<Json, CardsFault> {
    Json::of(value).map_err(|bad| CardsFault::Damaged(bad.to_string()))
}

/// Creates a run; an existing one stays as it is.
pub(crate) async fn create(
    store: &dyn Store,
    head: &RunInfo,
    source: &str,
    manifest: &Manifest,
) -> Result<(), CardsFault> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        pieces.push(json(&piece)?);
        rest = after;
    }
    append_pages(store, &log_name(&head.id, "source")?, pieces).await?;
    let Manifest { version, document, engine, sentences } = manifest;
    let mut pages = vec![json(&json!({
        "version": version, "document": document, "engine": engine, "sentences": sentences.len(),
    }))?];
    for page in sentences.chunks(PAGE_SENTENCES) {
        pages.push(json(&page)?);
    }
    append_pages(store, &log_name(&head.id, "manifest")?, pages).await?;
    match store.kv().set(&head_key(&head.id)?, json(head)?, Expected::Absent, Expiry::Never).await {
        Ok(_) | Err(StoreFault::Conflict { .. }) => Ok(()),
        Err(fault) => Err(fault.into()),
    }
}

/// Writes each page once, even across crashes.
async fn append_pages(
    store: &dyn Store,
    log: &LogName,
    pages: Vec<Json>,
) -> Result<(), CardsFault> {
    for (number, page) in pages.into_iter().enumerate() {
        let key: DedupKey = format!("page-{number}").parse()?;
        store.log().append(log, page, Some(key)).await?;
    }
    Ok(())
}

/// Deletes a run; its info goes first, so that no partial run is ever found.
pub(crate) async fn erase(store: &dyn Store, run: &RunId) -> Result<(), CardsFault> {
    store.kv().delete(&head_key(run)?, Expected::Any).await?;
    for log in ["source", "manifest", "events", "edits"] {
        store.log().erase(&log_name(run, log)?).await?;
    }
    Ok(())
}

pub(crate) async fn head(store: &dyn Store, run: &RunId) -> Result<Option<RunInfo>, CardsFault> {
    let Some(entry) = store.kv().get(&head_key(run)?).await? else { return Ok(None) };
    read_head(&entry.value).map(Some)
}

fn read_head(value: &Json) -> Result<RunInfo, CardsFault> {
    let raw: Value = to(value)?;
    match raw.get("version").and_then(Value::as_u64) {
        Some(version) if version <= u64::from(RUN_VERSION) => to(value),
        Some(_) | None => Err(CardsFault::Newer),
    }
}

/// All runs, the newest first.
pub(crate) async fn heads(store: &dyn Store) -> Result<Vec<RunInfo>, CardsFault> {
    let prefix: Prefix = RUNS.parse()?;
    let mut heads = Vec::new();
    let mut page = PageRequest::first(RUNS_PAGE);
    loop {
        let found = store.kv().list(&prefix, page).await?;
        for entry in &found.items {
            heads.push(read_head(&entry.value)?);
        }
        match found.next {
            Some(next) => page = PageRequest::after(next, RUNS_PAGE),
            None => break,
        }
    }
    heads.sort_by_key(|head| std::cmp::Reverse(head.created_at));
    Ok(heads)
}

/// Reads a whole run.
pub(crate) async fn load(store: &dyn Store, run: &RunId) -> Result<Snapshot, CardsFault> {
    let head = head(store, run).await?.ok_or_else(|| CardsFault::NoRun(run.clone()))?;
    let pieces: Vec<String> = read_all(store, &log_name(run, "source")?).await?;
    let source = pieces.concat();
    let manifest = read_manifest(store, run).await?;
    manifest.check(&source).map_err(|bad| CardsFault::Damaged(bad.to_string()))?;
    let mut snapshot = Snapshot::new(head, source, manifest);
    for event in events(store, run).await? {
        snapshot.apply(event);
    }
    Ok(snapshot)
}

pub(crate) async fn events(store: &dyn Store, run: &RunId) -> Result<Vec<RunEvent>, CardsFault> {
    read_all(store, &log_name(run, "events")?).await
}

async fn read_manifest(store: &dyn Store, run: &RunId) -> Result<Manifest, CardsFault> {
    let mut pages: Vec<Value> = read_all(store, &log_name(run, "manifest")?).await?;
    if pages.is_empty() {
        return Err(CardsFault::Damaged(format!("run `{run}` has no manifest")));
    }
    let mut first = pages.remove(0);
    let mut sentences: Vec<Sentence> = Vec::new();
    for page in pages {
        let page: Vec<Sentence> = serde_json::from_value(page)?;
        sentences.extend(page);
    }
    if first.get("sentences").and_then(Value::as_u64) != Some(sentences.len() as u64) {
        return Err(CardsFault::Damaged(format!("the manifest of run `{run}` is incomplete")));
    }
    if let Some(map) = first.as_object_mut() {
        let sentences = serde_json::to_value(&sentences)?;
        map.insert("sentences".to_owned(), sentences);
    }
    serde_json::from_value(first).map_err(CardsFault::from)
}

/// Every record of a log.
pub(crate) async fn read_all<T: DeserializeOwned>(
    store: &dyn Store,
    log: &LogName,
) -> Result<Vec<T>, CardsFault> {
    let mut all = Vec::new();
    let mut from = Sequence::FIRST;
    loop {
        let records = match store.log().read(log, from, READ_RECORDS).await {
            // Left over from a deleted run of the same text.
            Err(StoreFault::Erased { first, .. }) if first > from => {
                from = first;
                continue;
            }
            records => records?,
        };
        let Some(last) = records.last() else { return Ok(all) };
        from = last.sequence.next();
        for record in &records {
            all.push(to(&record.body)?);
        }
    }
}

/// Appends one record; with a key it happens once.
pub(crate) async fn append(
    store: &dyn Store,
    log: &LogName,
    body: &impl Serialize,
    key: Option<String>,
) -> Result<(), CardsFault> {
    let key = key.map(|key| key.parse::<DedupKey>()).transpose()?;
    store.log().append(log, json(body)?, key).await?;
    Ok(())
}

fn to<T: DeserializeOwned>(value: &Json) -> Result<T, CardsFault> {
    value.to().map_err(|bad| CardsFault::Damaged(bad.to_string()))
}
