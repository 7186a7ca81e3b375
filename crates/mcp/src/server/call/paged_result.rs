//! Results too long for one answer: kept for a while, and read piece by piece.

use std::time::Duration;

use store::{Expected, Expiry, Json, Key, Store};

use super::caller::Caller;
use super::seal::random_hex;

/// The name of the tool that reads on.
pub(super) const READ_ON: &str = contract::READ_RESULT;
/// How long the pieces can be read.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// How many pieces are kept; a result that has more loses its end, and that is said.
const PIECES_MAX: usize = 256;

/// One piece, and where the next one is.
pub(super) struct Piece {
    pub text: String,
    pub next: Option<String>,
}

/// Cuts a text into pieces that fit, at borders of characters.
pub(super) fn cut(text: &str, bytes_max: usize) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let at = rest.floor_char_boundary(bytes_max.max(4));
        let (piece, more) = rest.split_at(at);
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// Keeps all but the first piece for this caller; gives the cursor of the second.
pub(super) async fn keep(store: &dyn Store, caller: &Caller, pieces: &[&str]) -> Option<String> {
    let id: String = random_hex().ok()?.chars().take(32).collect();
    let last = pieces.len().min(PIECES_MAX) - 1;
    for (number, piece) in pieces.iter().enumerate().take(PIECES_MAX).skip(1) {
        let key = key(caller, &format!("{id}.{number}"))?;
        let value = Json::of(&(piece, number < last)).ok()?;
        store.kv().set(&key, value, Expected::Any, Expiry::After(KEPT)).await.ok()?;
    }
    Some(format!("{id}.1"))
}

/// The piece that a cursor names, if it is this caller's and still there.
pub(super) async fn read(store: &dyn Store, caller: &Caller, cursor: &str) -> Option<Piece> {
    let (id, number) = cursor.split_once('.')?;
    let number: usize = number.parse().ok()?;
    let entry = store.kv().get(&key(caller, cursor)?).await.ok()??;
    let (text, goes_on): (String, bool) = entry.value.to().ok()?;
    Some(Piece { text, next: goes_on.then(|| format!("{id}.{}", number + 1)) })
}

fn key(caller: &Caller, cursor: &str) -> Option<Key> {
    format!("mcp/result/{}/{cursor}", caller.key()).parse().ok()
}

#[cfg(test)]
mod tests;
