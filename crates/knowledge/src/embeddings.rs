//! Embeds the passages of an owner's documents, batch by batch.
//!
//! Every batch is stored before the next one is sent, so that a process that ends loses at most
//! one. Must hold: one request at a time; nothing is sent beyond the tokens of a day, nor for a
//! while after a failure; a failure leaves the search by words as it is.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Digest, EmbeddedTexts, Embedder};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::cache::Cache;
use crate::day_tokens;
use crate::fault::KnowledgeFault;
use crate::folder::FolderFile;
use crate::folders::Knowledge;
use crate::index::Index;
use crate::limits::EmbeddingLimits;
use crate::vectors::{self, DocumentPlace, DocumentVectors, PassageId, Vector, passage_id};

/// What is shared by all clones of a [`Knowledge`].
pub(crate) struct Embeddings {
    embedder: Mutex<Option<Arc<dyn Embedder>>>,
    tokens_per_day_max: AtomicU64,
    pub(crate) cache: Cache<DocumentPlace, DocumentVectors>,
    /// One request at a time.
    turn: Semaphore,
    /// Owners whose documents are being embedded.
    running: Mutex<BTreeSet<String>>,
    trouble: Mutex<Option<Trouble>>,
}

/// Why nothing is sent, and until when.
#[derive(Clone)]
struct Trouble {
    until: u64,
    message: String,
}

/// How far the documents of an owner are embedded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EmbeddingProgress {
    /// `provider:name`.
    pub model: String,
    /// All passages of the owner, and those that have a vector.
    pub passages: usize,
    pub embedded: usize,
    /// Why the rest has none yet, for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Embeddings {
    pub(crate) fn new(limits: EmbeddingLimits) -> Self {
        Self {
            embedder: Mutex::default(),
            tokens_per_day_max: AtomicU64::new(limits.tokens_per_day_max),
            cache: Cache::new(limits.cached_bytes_max),
            turn: Semaphore::new(1),
            running: Mutex::default(),
            trouble: Mutex::default(),
        }
    }
}

impl Knowledge {
    /// From now on passages are embedded by this model, and searched by their meaning too. At
    /// most so many tokens are sent to it in a day.
    pub fn use_embeddings(&self, embedder: Arc<dyn Embedder>, tokens_per_day_max: u64) {
        *lock(&self.embeddings.embedder) = Some(embedder);
        self.embeddings.tokens_per_day_max.store(tokens_per_day_max, Ordering::Relaxed);
    }

    pub(crate) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        lock(&self.embeddings.embedder).clone()
    }

    fn tokens_per_day_max(&self) -> u64 {
        self.embeddings.tokens_per_day_max.load(Ordering::Relaxed)
    }

    /// Embeds what is missing in the background, if there is a model and nothing keeps it.
    pub(crate) fn start_embedding(&self, owner: &str) {
        if self.embedder().is_none() || self.trouble().is_some() {
            return;
        }
        if !lock(&self.embeddings.running).insert(owner.to_owned()) {
            return;
        }
        let (knowledge, owner) = (self.clone(), owner.to_owned());
        tokio::spawn(async move {
            let embedded = knowledge.embed_documents(&owner).await;
            lock(&knowledge.embeddings.running).remove(&owner);
            if let Err(fault) = embedded {
                tracing::warn!(%fault, "documents are not embedded");
            }
        });
    }

    /// Embeds the passages of an owner that have no vector yet. Says how far it got; none if
    /// there is no embedding model.
    pub async fn embed_documents(
        &self,
        owner: &str,
    ) -> Result<Option<EmbeddingProgress>, KnowledgeFault> {
        let Some(embedder) = self.embedder() else { return Ok(None) };
        let files = self.all_documents(owner).await?;
        let place = |file: &FolderFile| DocumentPlace::new(owner, &file.digest, embedder.id());
        let kept: Vec<DocumentPlace> = files.iter().map(place).collect();
        vectors::sweep(self.store.as_ref(), owner, &kept).await?;
        for file in &files {
            if !self.embed_document(owner, file, &embedder).await? {
                break;
            }
        }
        self.embedding_progress(owner).await
    }

    /// How far the documents of an owner are embedded; none if there is no embedding model.
    pub async fn embedding_progress(
        &self,
        owner: &str,
    ) -> Result<Option<EmbeddingProgress>, KnowledgeFault> {
        let Some(embedder) = self.embedder() else { return Ok(None) };
        let (mut passages, mut embedded) = (0, 0);
        for file in self.all_documents(owner).await? {
            let index = self.index(owner, &file.digest).await?;
            let vectors = self.vectors(owner, &file.digest, embedder.id()).await?;
            passages += index.spans.len();
            let has_vector = |id: &&PassageId| vectors.by_passage.contains_key(*id);
            embedded += index.passage_ids().iter().filter(has_vector).count();
        }
        let full = self.limits.embedding.passages_max;
        let notice = match self.trouble() {
            Some(trouble) => Some(trouble.message),
            None if embedded < passages && embedded >= full => Some(format!(
                "{full} passages are searched by meaning, which is the maximum; the others are \
                 found by their words"
            )),
            None => None,
        };
        let model = embedder.id().to_owned();
        Ok(Some(EmbeddingProgress { model, passages, embedded, notice }))
    }

    /// Whether the next document can be embedded too.
    async fn embed_document(
        &self,
        owner: &str,
        file: &FolderFile,
        embedder: &Arc<dyn Embedder>,
    ) -> Result<bool, KnowledgeFault> {
        let place = DocumentPlace::new(owner, &file.digest, embedder.id());
        let index = self.index(owner, &file.digest).await?;
        loop {
            let _turn = self.embeddings.turn.acquire().await.map_err(|_| KnowledgeFault::NoFile)?;
            // Read again: another job may have embedded some of them.
            let mut vectors = vectors::load(self.store.as_ref(), &place).await?;
            let shared = self.shared_vectors(owner, file, embedder.id(), &index, &vectors).await?;
            if !shared.is_empty() {
                vectors::add(self.store.as_ref(), &place, &mut vectors, shared).await?;
            }
            let room = self.room(owner, embedder.id()).await?;
            let missing = self.next_batch(&index, &vectors, room);
            let is_done = missing.is_empty();
            let texts: Vec<String> = missing.iter().map(|text| (*text).to_owned()).collect();
            if !is_done {
                let Some(EmbeddedTexts { vectors: new, .. }) = self.ask(&texts, embedder).await?
                else {
                    return Ok(false);
                };
                let ids = texts.iter().map(|text| passage_id(text));
                let new = ids.zip(new.iter().map(|numbers| Vector::of(numbers))).collect();
                vectors::add(self.store.as_ref(), &place, &mut vectors, new).await?;
            }
            // Its last folder may have gone while the request ran.
            if !self.all_documents(owner).await?.iter().any(|one| one.digest == file.digest) {
                self.forget_vectors(owner, &file.digest).await?;
                return Ok(true);
            }
            let bytes = vectors.bytes();
            self.embeddings.cache.put(place.clone(), &Arc::new(vectors), bytes);
            if is_done {
                return Ok(room > 0);
            }
        }
    }

    /// Sends one request. None if it failed or may not be sent, which is then remembered.
    async fn ask(
        &self,
        texts: &[String],
        embedder: &Arc<dyn Embedder>,
    ) -> Result<Option<EmbeddedTexts>, KnowledgeFault> {
        if self.trouble().is_some() {
            return Ok(None);
        }
        let (limits, now) = (self.limits.embedding, self.attachments.now());
        let estimate = estimate(texts);
        let spent = day_tokens::spent(self.store.as_ref(), now).await?;
        if spent.saturating_add(estimate) > self.tokens_per_day_max() {
            let notice = day_tokens::used_up(self.tokens_per_day_max());
            self.set_trouble(day_tokens::day_end(now), notice);
            return Ok(None);
        }
        let asked = tokio::time::timeout(limits.request_time_max, embedder.embed(texts)).await;
        let fault = match asked {
            Ok(Ok(embedded)) => {
                let tokens = embedded.tokens.unwrap_or(estimate);
                day_tokens::add(self.store.as_ref(), now, tokens).await?;
                if embedded.vectors.len() == texts.len() {
                    return Ok(Some(embedded));
                }
                format!("{} vectors for {} texts", embedded.vectors.len(), texts.len())
            }
            Ok(Err(fault)) => format!("{}; {}", fault.message, fault.fix),
            Err(_) => format!("no answer within {} s", limits.request_time_max.as_secs()),
        };
        self.failed(embedder.id(), &fault);
        Ok(None)
    }

    /// The vector of a question; a message for the person if there is none.
    pub(crate) async fn query_vector(
        &self,
        embedder: &Arc<dyn Embedder>,
        query: &str,
    ) -> Result<Vector, String> {
        if let Some(trouble) = self.trouble() {
            return Err(trouble.message);
        }
        let limits = self.limits.embedding;
        let texts = [query.chars().take(limits.query_chars_max).collect::<String>()];
        let now = self.attachments.now();
        let unread = |_| "the store cannot be read".to_owned();
        let spent = day_tokens::spent(self.store.as_ref(), now).await.map_err(unread)?;
        if spent >= self.tokens_per_day_max() {
            let notice = day_tokens::used_up(self.tokens_per_day_max());
            self.set_trouble(day_tokens::day_end(now), notice.clone());
            return Err(notice);
        }
        let asked = tokio::time::timeout(limits.query_time_max, embedder.embed(&texts)).await;
        match asked {
            Ok(Ok(EmbeddedTexts { vectors, tokens })) => {
                let tokens = tokens.unwrap_or_else(|| estimate(&texts));
                day_tokens::add(self.store.as_ref(), now, tokens).await.map_err(unread)?;
                vectors.first().map(|numbers| Vector::of(numbers)).ok_or_else(String::new)
            }
            Ok(Err(fault)) => Err(self.failed(embedder.id(), &fault.message)),
            Err(_) => {
                let seconds = limits.query_time_max.as_secs();
                Err(self.failed(embedder.id(), &format!("no answer within {seconds} s")))
            }
        }
    }

    /// Remembers a failure; gives the message for the person.
    fn failed(&self, model: &str, fault: &str) -> String {
        let message =
            format!("`{model}` does not embed texts, so documents are found by words: {fault}");
        tracing::warn!("{message}");
        let pause = self.limits.embedding.pause_after_fault.as_millis();
        let pause = u64::try_from(pause).unwrap_or(u64::MAX);
        self.set_trouble(self.attachments.now().saturating_add(pause), message.clone());
        message
    }

    /// Why nothing is embedded at present.
    pub(crate) fn embedding_trouble(&self) -> Option<String> {
        self.trouble().map(|trouble| trouble.message)
    }

    fn set_trouble(&self, until: u64, message: String) {
        *lock(&self.embeddings.trouble) = Some(Trouble { until, message });
    }

    fn trouble(&self) -> Option<Trouble> {
        let now = self.attachments.now();
        lock(&self.embeddings.trouble).clone().filter(|trouble| trouble.until > now)
    }

    /// The vectors of a document, from memory or the store.
    pub(crate) async fn vectors(
        &self,
        owner: &str,
        document: &Digest,
        model: &str,
    ) -> Result<Arc<DocumentVectors>, KnowledgeFault> {
        let place = DocumentPlace::new(owner, document, model);
        if let Some(known) = self.embeddings.cache.get(&place) {
            return Ok(known);
        }
        let vectors = Arc::new(vectors::load(self.store.as_ref(), &place).await?);
        self.embeddings.cache.put(place, &vectors, vectors.bytes());
        Ok(vectors)
    }

    /// Vectors of passages that another document of the owner has too.
    async fn shared_vectors(
        &self,
        owner: &str,
        file: &FolderFile,
        model: &str,
        index: &Index,
        known: &DocumentVectors,
    ) -> Result<Vec<(PassageId, Vector)>, KnowledgeFault> {
        let has_vector = |id: &&PassageId| known.by_passage.contains_key(*id);
        let mut missing: BTreeSet<&PassageId> =
            index.passage_ids().iter().filter(|id| !has_vector(id)).collect();
        let mut shared = Vec::new();
        for other in self.all_documents(owner).await? {
            if missing.is_empty() {
                break;
            }
            if other.digest == file.digest {
                continue;
            }
            let vectors = self.vectors(owner, &other.digest, model).await?;
            missing.retain(|id| match vectors.by_passage.get(*id) {
                Some(vector) => {
                    shared.push(((*id).clone(), vector.clone()));
                    false
                }
                None => true,
            });
        }
        Ok(shared)
    }

    /// How many further passages of the owner may have a vector.
    async fn room(&self, owner: &str, model: &str) -> Result<usize, KnowledgeFault> {
        let mut embedded = 0;
        for file in self.all_documents(owner).await? {
            embedded += self.vectors(owner, &file.digest, model).await?.by_passage.len();
        }
        Ok(self.limits.embedding.passages_max.saturating_sub(embedded))
    }

    /// The next passages without a vector, as many as fit into a request.
    fn next_batch<'i>(
        &self,
        index: &'i Index,
        known: &DocumentVectors,
        room: usize,
    ) -> Vec<&'i str> {
        let limits = self.limits.embedding;
        let (mut bytes, mut seen) = (0, BTreeSet::new());
        let mut batch = Vec::new();
        for (id, span) in index.passage_ids().iter().zip(&index.spans) {
            if known.by_passage.contains_key(id) || !seen.insert(id) {
                continue;
            }
            let text = index.passage(span).trim();
            bytes += text.len();
            let is_full = batch.len() >= limits.request_passages_max.min(room);
            if is_full || (bytes > limits.request_bytes_max && !batch.is_empty()) {
                break;
            }
            batch.push(text);
        }
        batch
    }

    /// Deletes the vectors of a document that is in no folder of the owner any more.
    pub(crate) async fn forget_vectors(
        &self,
        owner: &str,
        document: &Digest,
    ) -> Result<(), KnowledgeFault> {
        if self.all_documents(owner).await?.iter().any(|file| file.digest == *document) {
            return Ok(());
        }
        vectors::delete(self.store.as_ref(), owner, document).await?;
        if let Some(embedder) = self.embedder() {
            self.embeddings.cache.forget(&DocumentPlace::new(owner, document, embedder.id()));
        }
        Ok(())
    }
}

/// A token has about four bytes; in other scripts fewer, so this is the most.
fn estimate(texts: &[String]) -> u64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    u64::try_from(bytes.div_ceil(3)).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
