//! Bytes and texts in logs of the store, piece by piece.
//!
//! A piece of bytes is a record with Base64. The length of a full piece is a multiple of three,
//! so that the pieces of a file are its Base64 when they are put together.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use store::{Json, LogName, Sequence, Store, StoreFault};

/// In Base64 it fits into a record of every engine.
pub(crate) const PIECE_BYTES: usize = 600_000;
/// A text may grow sixfold when it is written as JSON.
const TEXT_PIECE_BYTES: usize = 150_000;

pub(crate) fn new_id() -> Result<String, StoreFault> {
    let mut bytes = [0; 16];
    let unusable = |fault: getrandom::Error| StoreFault::Unusable { because: fault.to_string() };
    getrandom::fill(&mut bytes).map_err(unusable)?;
    Ok(contract::hex(&bytes))
}

fn log(id: &str) -> Result<LogName, StoreFault> {
    Ok(format!("blob/{id}").parse()?)
}

pub(crate) async fn append(store: &dyn Store, id: &str, piece: &[u8]) -> Result<(), StoreFault> {
    let body = Json::of(&STANDARD.encode(piece))?;
    store.log().append(&log(id)?, body, None).await?;
    Ok(())
}

pub(crate) async fn write_text(store: &dyn Store, id: &str, text: &str) -> Result<(), StoreFault> {
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(TEXT_PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        store.log().append(&log(id)?, Json::of(piece)?, None).await?;
        rest = after;
    }
    Ok(())
}

pub(crate) async fn erase(store: &dyn Store, id: &str) -> Result<(), StoreFault> {
    store.log().erase(&log(id)?).await
}

/// A record, counted from 0; none after the last one.
async fn record(store: &dyn Store, id: &str, number: u64) -> Result<Option<String>, StoreFault> {
    let from = Sequence(Sequence::FIRST.0.saturating_add(number));
    let records = store.log().read(&log(id)?, from, 1).await?;
    match records.first() {
        Some(record) => Ok(Some(record.body.to()?)),
        None => Ok(None),
    }
}

/// A piece of bytes.
pub(crate) async fn piece(
    store: &dyn Store,
    id: &str,
    number: u64,
) -> Result<Option<Vec<u8>>, StoreFault> {
    let Some(text) = record(store, id, number).await? else { return Ok(None) };
    let damaged = |_| StoreFault::Damaged { because: format!("`blob/{id}` is not Base64") };
    Ok(Some(STANDARD.decode(text).map_err(damaged)?))
}

/// The first bytes of a text or of Base64, all pieces that begin before `bytes_max`.
pub(crate) async fn start(
    store: &dyn Store,
    id: &str,
    bytes_max: usize,
) -> Result<String, StoreFault> {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= bytes_max {
            break;
        }
        match record(store, id, number).await? {
            Some(piece) => text.push_str(&piece),
            None => break,
        }
    }
    Ok(text)
}
