//! Searches the folders of an owner, and reads sections of their documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::Digest;
use documents::PAGE_BREAK;
use serde::Serialize;
use store::StoreFault;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::fault::KnowledgeFault;
use crate::folder::{Folder, FolderFile};
use crate::folders::Knowledge;
use crate::index::{Index, PassageSpan};
use crate::ranking::{self, PassageAt};
use crate::words::{Word, words};

const EXCERPT_CHARS_MAX: usize = 700;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    pub passages: Vec<Passage>,
    /// Documents that were searched, and those that did not fit into the limit.
    pub searched: usize,
    pub left_out: usize,
    /// None without an embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<MeaningUse>,
}

/// A passage with its source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passage {
    pub document: String,
    pub file: String,
    #[serde(flatten)]
    pub place: Place,
    pub excerpt: String,
    pub score: f64,
}

/// Where a text is in its file. Lines count through the whole text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// None for a file without pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<usize>,
    pub first_line: usize,
    pub last_line: usize,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    pub document: String,
    pub file: String,
    #[serde(flatten)]
    pub place: Place,
    pub lines_in_file: usize,
    pub text: String,
}

/// A document that is searched.
pub(crate) struct Source {
    pub file: FolderFile,
    pub index: Arc<Index>,
}

/// How a search used the embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeaningUse {
    /// `provider:name`.
    pub model: String,
    /// Passages that were compared by their words alone, because they have no vector yet.
    pub by_words_only: usize,
    /// Why the meaning did not count, for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Knowledge {
    /// The documents that are searched in a conversation, each once.
    pub async fn documents(
        &self,
        owner: &str,
        conversation: Option<&str>,
    ) -> Result<Vec<FolderFile>, KnowledgeFault> {
        let folders = self.folders(owner).await?.into_iter();
        Ok(files_of(folders.filter(|folder| folder.is_in(conversation))))
    }

    /// The documents of all folders of an owner, each once.
    pub(crate) async fn all_documents(
        &self,
        owner: &str,
    ) -> Result<Vec<FolderFile>, KnowledgeFault> {
        Ok(files_of(self.folders(owner).await?.into_iter()))
    }

    /// The best passages for a question.
    pub async fn search(
        &self,
        owner: &str,
        conversation: Option<&str>,
        query: &str,
        passages_max: usize,
    ) -> Result<Found, KnowledgeFault> {
        let (mut sources, mut left_out, mut bytes) = (Vec::new(), 0, 0_u64);
        for file in self.documents(owner, conversation).await? {
            bytes = bytes.saturating_add(file.text_bytes);
            if bytes > self.limits.searched_bytes_max {
                left_out += 1;
                continue;
            }
            let index = self.index(owner, &file.digest).await?;
            sources.push(Source { file, index });
        }
        let terms: Vec<Word> = words(query).take(self.limits.query_words_max).collect();
        let passages_max = passages_max.min(self.limits.passages_max);
        let by_words = ranking::by_words(&sources, &terms);
        let (by_meaning, meaning) = self.by_meaning(owner, &sources, query).await?;
        let best = match by_meaning {
            Some(by_meaning) => ranking::fused(&by_words, &by_meaning),
            None => by_words,
        };
        let passage = |((source, span), score): (PassageAt, f64)| {
            let source = sources.get(source)?;
            let span = source.index.spans.get(span as usize)?;
            Some(passage(source, span, &terms, score))
        };
        let passages = best.into_iter().take(passages_max).filter_map(passage).collect();
        Ok(Found { passages, searched: sources.len(), left_out, meaning })
    }

    /// The passages by the angle between their vectors and that of the question. None if the
    /// meaning cannot count; the second part says why.
    async fn by_meaning(
        &self,
        owner: &str,
        sources: &[Source],
        query: &str,
    ) -> Result<(Option<Vec<(PassageAt, f64)>>, Option<MeaningUse>), KnowledgeFault> {
        let Some(embedder) = self.embedder() else { return Ok((None, None)) };
        let mut said =
            MeaningUse { model: embedder.id().to_owned(), by_words_only: 0, notice: None };
        if sources.is_empty() || query.trim().is_empty() {
            return Ok((None, Some(said)));
        }
        let mut vectors = Vec::new();
        for source in sources {
            vectors.push(self.vectors(owner, &source.file.digest, embedder.id()).await?);
        }
        let all: usize = sources.iter().map(|source| source.index.spans.len()).sum();
        if vectors.iter().all(|vectors| vectors.by_passage.is_empty()) {
            self.start_embedding(owner);
            said.by_words_only = all;
            said.notice = self.embedding_trouble();
            return Ok((None, Some(said)));
        }
        let query = match self.query_vector(&embedder, query).await {
            Ok(query) => query,
            Err(notice) => {
                (said.by_words_only, said.notice) = (all, Some(notice));
                return Ok((None, Some(said)));
            }
        };
        let ranked = ranking::by_meaning(sources, &vectors, &query);
        said.by_words_only = all - ranked.len();
        if said.by_words_only > 0 {
            self.start_embedding(owner);
            said.notice = self.embedding_trouble();
        }
        Ok((Some(ranked), Some(said)))
    }

    /// Lines of a document, from one of them on.
    pub async fn section(
        &self,
        owner: &str,
        conversation: Option<&str>,
        document: &str,
        from: Option<Place>,
    ) -> Result<Section, KnowledgeFault> {
        let files = self.documents(owner, conversation).await?;
        let is_wanted =
            |file: &&FolderFile| short(&file.digest) == document || file.name == document;
        let file = files.iter().find(is_wanted).ok_or(KnowledgeFault::NoFile)?;
        let index = self.index(owner, &file.digest).await?;
        let lines: Vec<&str> = index.text.split(['\n', PAGE_BREAK]).collect();
        let first = from.map_or(1, |place| place.first_line.max(1));
        let last = from.map_or(usize::MAX, |place| place.last_line);
        let (mut text, mut at) = (String::new(), first);
        while let Some(line) = lines.get(at - 1) {
            let is_full = text.len().saturating_add(line.len()) > self.limits.section_bytes_max;
            let is_long = at - first >= self.limits.section_lines_max;
            if at > last || (at > first && (is_full || is_long)) {
                break;
            }
            text.extend(line.chars().take(self.limits.section_bytes_max));
            text.push('\n');
            at += 1;
        }
        let before = lines.iter().take(first - 1).map(|line| line.len() + 1).sum::<usize>();
        let page = page_at(&index.text, before);
        Ok(Section {
            document: short(&file.digest),
            file: file.name.clone(),
            place: Place {
                page: (file.pages > 1).then_some(page),
                first_line: first,
                last_line: at.saturating_sub(1),
            },
            lines_in_file: lines.len(),
            text,
        })
    }

    /// The index of a file, from memory or from its text.
    pub(crate) async fn index(
        &self,
        owner: &str,
        digest: &Digest,
    ) -> Result<Arc<Index>, KnowledgeFault> {
        if let Some(index) = self.cache.get(digest) {
            return Ok(index);
        }
        let _reader = self.readers.acquire().await.map_err(|_| StoreFault::Closed)?;
        if let Some(index) = self.cache.get(digest) {
            return Ok(index);
        }
        let stored = self.attachments.find(owner, digest).await?;
        let bytes_max = self.attachments.limits().text_bytes_max;
        let text = self.attachments.text(&stored, bytes_max).await?.unwrap_or_default();
        let making = tokio::task::spawn_blocking(move || Arc::new(Index::of(text)));
        let index = making.await.map_err(|_| StoreFault::Closed)?;
        self.cache.put(*digest, &index, index.text.len());
        Ok(index)
    }
}

/// Each file once, by name.
fn files_of(folders: impl Iterator<Item = Folder>) -> Vec<FolderFile> {
    let by_digest: BTreeMap<Digest, FolderFile> =
        folders.flat_map(|one| one.files).map(|file| (file.digest, file)).collect();
    let mut files: Vec<_> = by_digest.into_values().collect();
    files.sort_by(|a, b| (&a.name, a.digest).cmp(&(&b.name, b.digest)));
    files
}

fn passage(source: &Source, span: &PassageSpan, terms: &[Word], score: f64) -> Passage {
    let text = source.index.passage(span);
    Passage {
        document: short(&source.file.digest),
        file: source.file.name.clone(),
        place: Place {
            page: (source.file.pages > 1).then_some(span.page),
            first_line: span.first_line,
            last_line: span.last_line,
        },
        excerpt: excerpt(text, terms),
        score: (score * 1_000.0).round() / 1_000.0,
    }
}

/// The part of a passage around the first word of the question.
fn excerpt(text: &str, terms: &[Word]) -> String {
    let text = text.trim();
    let fits = |word: &str| {
        words(word).any(|word| {
            terms.iter().any(|term| {
                term.exact == word.exact || (term.stem.is_some() && term.stem == word.stem)
            })
        })
    };
    let hit = text.unicode_word_indices().find(|(_, word)| fits(word)).map_or(0, |(at, _)| at);
    let before = text.get(..hit).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(EXCERPT_CHARS_MAX / 3);
    let is_cut = text.chars().count() - skipped > EXCERPT_CHARS_MAX;
    let shown: String = text.chars().skip(skipped).take(EXCERPT_CHARS_MAX).collect();
    let (start, end) = (if skipped > 0 { "…" } else { "" }, if is_cut { "…" } else { "" });
    format!("{start}{}{end}", shown.replace(PAGE_BREAK, "\n").trim())
}

/// How a document is named in answers and questions: the beginning of its digest.
fn short(digest: &Digest) -> String {
    digest.hex(16)
}

fn page_at(text: &str, at: usize) -> usize {
    text.get(..at.min(text.len())).unwrap_or_default().matches(PAGE_BREAK).count() + 1
}
