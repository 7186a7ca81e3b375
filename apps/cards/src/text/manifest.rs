//! The list of a text's sentences, from which everything shown is rebuilt.
//!
//! In: a text, its language, the name of its document. Out: a [`Manifest`]. Must hold
//! ([`Manifest::check`]): indexes are 0, 1, 2, …; spans rise and are cut at characters; what
//! lies between them is white space; each `sig` is that of its sentence; each `sid` occurs
//! once. The same text and name give the same manifest.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::Digest;
use serde::{Deserialize, Serialize};

use crate::text::language::Language;
use crate::text::segment::{SegmentRules, segment};

/// The sentences of one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub version: String,
    /// The name of the text; part of every `sid`.
    pub document: String,
    pub engine: SegmentRules,
    pub sentences: Vec<Sentence>,
}

/// The shape of a manifest, as this program writes it.
pub(crate) const MANIFEST_VERSION: &str = "2.0";

/// One sentence's place and names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// Its number in the text, from 0.
    pub index: usize,
    /// Its name: the document, its block of lines, its place in there. An edit in another
    /// block does not change it.
    pub sid: String,
    /// A digest of the normalised sentence: another `sig` under the same `sid` means that the
    /// text changed.
    pub sig: String,
    pub start: usize,
    pub end: usize,
    /// Sentences of one chunk are sent together at first.
    pub chunk: usize,
}

impl Sentence {
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Why a manifest does not belong to a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadManifest {
    #[error("sentence {at} has the number {found}; the numbers must be 0, 1, 2, …")]
    Index { at: usize, found: usize },
    #[error("sentence {index} is outside the text, or overlaps the previous one")]
    Span { index: usize },
    #[error("sentence {index} is empty")]
    Empty { index: usize },
    #[error("the text before sentence {index} belongs to no sentence")]
    Gap { index: usize },
    #[error("sentence {index} does not match its signature")]
    Signature { index: usize },
    #[error("sentences {index} and another have the same sid")]
    Twice { index: usize },
}

/// How sentences are grouped into requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunking {
    pub sentences_max: usize,
    pub bytes_max: usize,
}

impl Chunking {
    /// Ten sentences or 4 kB: answers stay below the output limits of models.
    pub fn usual() -> Self {
        Self { sentences_max: 10, bytes_max: 4_000 }
    }
}

/// Totals for people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ManifestStats {
    pub sentences: usize,
    pub chunks: usize,
    pub sentences_per_chunk: f64,
    pub chunk_sentences_max: usize,
}

impl Manifest {
    pub fn of(text: &str, language: &Language, document: &str, chunking: Chunking) -> Self {
        let segmentation = segment(text, language);
        let mut names = Names::new(document);
        let mut chunks = Chunks::new(chunking);
        let mut sentences: Vec<Sentence> = Vec::with_capacity(segmentation.sentences.len());
        let mut block: (usize, Range<usize>) = (usize::MAX, 0..0);
        for (index, span) in segmentation.sentences.iter().enumerate() {
            if span.block != block.0 {
                let rest = segmentation.sentences.get(index..).unwrap_or_default();
                let last = rest.iter().take_while(|other| other.block == span.block).last();
                block = (span.block, span.start..last.map_or(span.end, |last| last.end));
                names.begin(text.get(block.1.clone()).unwrap_or_default());
            }
            let said = text.get(span.range()).unwrap_or_default();
            sentences.push(Sentence {
                index,
                sid: names.sid(span.start - block.1.start, span.end - block.1.start),
                sig: signature(said),
                start: span.start,
                end: span.end,
                chunk: chunks.next(said.len()),
            });
        }
        Self {
            version: MANIFEST_VERSION.to_owned(),
            document: document.to_owned(),
            engine: segmentation.engine,
            sentences,
        }
    }

    /// A sentence as the text has it.
    pub fn text<'a>(&self, source: &'a str, index: usize) -> &'a str {
        let range = self.sentences.get(index).map(Sentence::range);
        range.and_then(|range| source.get(range)).unwrap_or_default()
    }

    /// Everything that must hold between a manifest and its text.
    pub fn check(&self, source: &str) -> Result<(), BadManifest> {
        let mut end = 0;
        let mut seen = BTreeMap::new();
        for (at, sentence) in self.sentences.iter().enumerate() {
            let index = sentence.index;
            if index != at {
                return Err(BadManifest::Index { at, found: index });
            }
            let gap = source.get(end..sentence.start).ok_or(BadManifest::Span { index })?;
            let said = source.get(sentence.range()).ok_or(BadManifest::Span { index })?;
            if said.trim().is_empty() {
                return Err(BadManifest::Empty { index });
            }
            if !gap.trim().is_empty() {
                return Err(BadManifest::Gap { index });
            }
            if signature(said) != sentence.sig {
                return Err(BadManifest::Signature { index });
            }
            if seen.insert(&sentence.sid, index).is_some() {
                return Err(BadManifest::Twice { index });
            }
            end = sentence.end;
        }
        let rest = source.get(end..).unwrap_or_default();
        match rest.trim().is_empty() {
            true => Ok(()),
            false => Err(BadManifest::Gap { index: self.sentences.len() }),
        }
    }

    pub fn stats(&self) -> ManifestStats {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for sentence in &self.sentences {
            *sizes.entry(sentence.chunk).or_default() += 1;
        }
        let (sentences, chunks) = (self.sentences.len(), sizes.len());
        ManifestStats {
            sentences,
            chunks,
            sentences_per_chunk: sentences as f64 / chunks.max(1) as f64,
            chunk_sentences_max: sizes.into_values().max().unwrap_or(0),
        }
    }
}

/// Normalises white space: line ends, runs of space, the space around the text.
pub fn normalise(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A short digest of a sentence.
pub fn signature(sentence: &str) -> String {
    short(&[normalise(sentence).as_bytes()])
}

/// The first half of a digest over parts with unambiguous boundaries.
fn short(parts: &[&[u8]]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let digest = Digest::of(&bytes).to_string();
    let hex = digest.trim_start_matches("sha256:");
    hex.get(..20).unwrap_or(hex).to_owned()
}

/// Names sentences by document, block and place in the block.
struct Names<'a> {
    document: &'a str,
    /// How often each block has occurred: a refrain repeats its words at another place.
    seen: BTreeMap<String, u64>,
    block: String,
    number: u64,
}

impl<'a> Names<'a> {
    fn new(document: &'a str) -> Self {
        Self { document, seen: BTreeMap::new(), block: String::new(), number: 0 }
    }

    fn begin(&mut self, block: &str) {
        self.block = short(&[block.as_bytes()]);
        let seen = self.seen.entry(self.block.clone()).or_default();
        self.number = *seen;
        *seen += 1;
    }

    fn sid(&self, start: usize, end: usize) -> String {
        let number = [self.number, start as u64, end as u64].map(u64::to_le_bytes).concat();
        short(&[self.document.as_bytes(), self.block.as_bytes(), &number])
    }
}

/// Numbers chunks, each with as much as it may hold.
struct Chunks {
    chunking: Chunking,
    chunk: usize,
    sentences: usize,
    bytes: usize,
}

impl Chunks {
    fn new(chunking: Chunking) -> Self {
        Self { chunking, chunk: 0, sentences: 0, bytes: 0 }
    }

    fn next(&mut self, bytes: usize) -> usize {
        let Chunking { sentences_max, bytes_max } = self.chunking;
        let full = self.sentences >= sentences_max.max(1) || self.bytes + bytes > bytes_max;
        if self.sentences > 0 && full {
            self.chunk += 1;
            (self.sentences, self.bytes) = (0, 0);
        }
        self.sentences += 1;
        self.bytes += bytes;
        self.chunk
    }
}

#[cfg(test)]
mod tests;
