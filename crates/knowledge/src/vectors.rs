//! The vectors of passages in the store, by document and embedding model.
//!
//! A vector is found by the digest of its passage's text, so that passages which two documents
//! share are embedded once. Must hold: what is stored of a document goes with its last folder.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::Digest;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, Pages, Prefix, Store, StoreFault};

use crate::folders::owner_id;

/// With base64 and the names of the passages, this is below the limit of a value.
const VALUE_NUMBERS_MAX: usize = 500_000;

/// A direction with 8 bits for each number: enough to compare, a quarter of the size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vector {
    numbers: Vec<i8>,
    /// The sum of the squares.
    square: u64,
}

impl Vector {
    /// Scaled so that its largest number is 127.
    pub(crate) fn of(numbers: &[f32]) -> Self {
        let largest = numbers.iter().fold(0.0_f32, |largest, one| largest.max(one.abs()));
        let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "at most 127 by the scale")]
        let small = |one: &f32| (one * scale).round() as i8;
        Self::from_small(numbers.iter().map(small).collect())
    }

    fn from_small(numbers: Vec<i8>) -> Self {
        let square = numbers.iter().map(|one| u64::from(one.unsigned_abs()).pow(2)).sum();
        Self { numbers, square }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.numbers.len()
    }

    /// The cosine of the angle between both; 0 if they cannot be compared.
    #[expect(clippy::cast_precision_loss, reason = "a score needs no more digits")]
    pub(crate) fn cosine(&self, other: &Self) -> f64 {
        if self.dimensions() != other.dimensions() || self.square == 0 || other.square == 0 {
            return 0.0;
        }
        let pairs = self.numbers.iter().zip(&other.numbers);
        let product: i64 = pairs.map(|(one, other)| i64::from(*one) * i64::from(*other)).sum();
        product as f64 / ((self.square as f64).sqrt() * (other.square as f64).sqrt())
    }
}

/// The digest of a passage's text, without the white space around it.
pub(crate) type PassageId = String;

pub(crate) fn passage_id(text: &str) -> PassageId {
    Digest::of(text.trim().as_bytes()).hex(32)
}

/// The vectors of one document.
#[derive(Debug, Default)]
pub(crate) struct DocumentVectors {
    pub by_passage: HashMap<PassageId, Vector>,
    /// How many values of the store they are in.
    batches: usize,
}

impl DocumentVectors {
    /// What they take in memory, about.
    pub(crate) fn bytes(&self) -> usize {
        self.by_passage.values().map(|vector| vector.dimensions() + 128).sum()
    }
}

/// Some vectors, as they are stored.
#[derive(Serialize, Deserialize)]
struct StoredBatch {
    passages: Vec<PassageId>,
    dimensions: usize,
    /// All numbers one after the other, in base64.
    numbers: String,
}

/// Where the vectors of a document are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DocumentPlace {
    owner: String,
    document: String,
    model: String,
}

impl DocumentPlace {
    pub(crate) fn new(owner: &str, document: &Digest, model: &str) -> Self {
        let model = Digest::of(model.as_bytes()).hex(16);
        Self { owner: owner_id(owner), document: document.hex(64), model }
    }

    fn prefix(&self) -> String {
        format!("embeddings/{}/{}/{}/", self.owner, self.document, self.model)
    }
}

pub(crate) async fn load(
    store: &dyn Store,
    place: &DocumentPlace,
) -> Result<DocumentVectors, StoreFault> {
    let (prefix, mut pages): (Prefix, _) = (place.prefix().parse()?, Pages::of(100));
    let mut found = DocumentVectors::default();
    while let Some(request) = pages.request() {
        for entry in pages.items(store.kv().list(&prefix, request).await?) {
            found.batches += 1;
            // A value that cannot be read is embedded again.
            let Ok(batch) = entry.value.to::<StoredBatch>() else { continue };
            found.by_passage.extend(unpacked(batch));
        }
    }
    Ok(found)
}

fn unpacked(batch: StoredBatch) -> Vec<(PassageId, Vector)> {
    let bytes = STANDARD.decode(&batch.numbers).unwrap_or_default();
    if batch.dimensions == 0 || bytes.len() != batch.dimensions * batch.passages.len() {
        return Vec::new();
    }
    let numbers = bytes.chunks_exact(batch.dimensions);
    let vectors = numbers.map(|some| some.iter().map(|byte| byte.cast_signed()).collect());
    batch.passages.into_iter().zip(vectors.map(Vector::from_small)).collect()
}

/// Stores further vectors of a document, which all have one length, and adds them to those known.
pub(crate) async fn add(
    store: &dyn Store,
    place: &DocumentPlace,
    known: &mut DocumentVectors,
    new: Vec<(PassageId, Vector)>,
) -> Result<(), StoreFault> {
    let dimensions = new.first().map_or(1, |(_, vector)| vector.dimensions().max(1));
    for some in new.chunks((VALUE_NUMBERS_MAX / dimensions).max(1)) {
        let numbers = some.iter().flat_map(|(_, vector)| &vector.numbers);
        let bytes: Vec<u8> = numbers.map(|one| one.cast_unsigned()).collect();
        let passages = some.iter().map(|(id, _)| id.clone()).collect();
        let batch = StoredBatch { passages, dimensions, numbers: STANDARD.encode(bytes) };
        let key: Key = format!("{}{:06}", place.prefix(), known.batches).parse()?;
        store.kv().set(&key, Json::of(&batch)?, Expected::Any, Expiry::Never).await?;
        known.batches += 1;
    }
    known.by_passage.extend(new);
    Ok(())
}

/// Deletes the vectors of a document, of every model.
pub(crate) async fn delete(
    store: &dyn Store,
    owner: &str,
    document: &Digest,
) -> Result<(), StoreFault> {
    let prefix = format!("embeddings/{}/{}/", owner_id(owner), document.hex(64));
    delete_unless(store, &prefix, |_| false).await
}

/// Deletes the vectors of an owner that are of none of these documents, or of another model.
pub(crate) async fn sweep(
    store: &dyn Store,
    owner: &str,
    kept: &[DocumentPlace],
) -> Result<(), StoreFault> {
    let kept: Vec<String> = kept.iter().map(DocumentPlace::prefix).collect();
    let prefix = format!("embeddings/{}/", owner_id(owner));
    delete_unless(store, &prefix, |key| kept.iter().any(|kept| key.starts_with(kept))).await
}

async fn delete_unless(
    store: &dyn Store,
    prefix: &str,
    is_kept: impl Fn(&str) -> bool,
) -> Result<(), StoreFault> {
    let (prefix, mut pages): (Prefix, _) = (prefix.parse()?, Pages::of(500));
    while let Some(request) = pages.request() {
        for key in pages.items(store.kv().keys(&prefix, request).await?) {
            if !is_kept(key.as_str()) {
                store.kv().delete(&key, Expected::Any).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Vector;

    #[test]
    fn the_cosine_is_that_of_the_directions() {
        let check = |one: &[f32], other: &[f32], cosine: f64| {
            let found = Vector::of(one).cosine(&Vector::of(other));
            assert!((found - cosine).abs() < 0.01, "{one:?} and {other:?}: {found}");
        };
        check(&[1.0, 0.0], &[250.0, 0.0], 1.0);
        check(&[1.0, 0.0], &[0.0, 0.02], 0.0);
        check(&[1.0, 1.0], &[0.0, 2.0], 0.707);
        check(&[0.3, -0.4], &[-0.3, 0.4], -1.0);
        check(&[0.0, 0.0], &[1.0, 1.0], 0.0);
        check(&[1.0, 0.0], &[1.0, 0.0, 0.0], 0.0);
    }
}
