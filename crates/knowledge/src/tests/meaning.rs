//! Searches by meaning, against a strict embeddings server on loopback.

use std::sync::Arc;

use contract::{BoxFuture, EmbeddedTexts, Embedder, ModelFault};
use fake_providers::{FakeProvider, Fault};
use models::{HttpClient, Key, Limits, Provider, Secret};
use store::{Pages, Prefix};

use super::{filled, upload};
use crate::{EmbeddingLimits, Knowledge, KnowledgeLimits};

const SYNONYMS: &[&[&str]] = &[&["car", "automobile"], &["cat", "feline"], &["rain", "weather"]];

/// An embedding model over a real socket.
struct Over {
    line: HttpClient,
    provider: Provider,
    id: String,
}

impl Embedder for Over {
    fn id(&self) -> &str {
        &self.id
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<EmbeddedTexts, ModelFault>> {
        let model = self.id.split_once(':').map_or("", |(_, model)| model);
        Box::pin(models::embed(&self.line, &self.provider, model, texts))
    }
}

fn openai(server: &FakeProvider) -> Arc<Over> {
    let base_url = format!("{}/v1", server.base_url());
    let provider = Provider { base_url, ..Provider::openai(Key::Given(Secret::new("k"))) };
    over(provider, "openai:text-embedding-3-small")
}

fn over(provider: Provider, id: &str) -> Arc<Over> {
    let limits = Limits { retries_max: 0, ..Limits::usual() };
    Arc::new(Over { line: HttpClient::new(limits).unwrap(), provider, id: id.to_owned() })
}

fn limits(embedding: EmbeddingLimits) -> KnowledgeLimits {
    KnowledgeLimits { embedding, ..KnowledgeLimits::machine() }
}

const FILES: &[(&str, &str)] = &[
    ("garage.txt", "The automobile is parked behind the house."),
    ("pets.txt", "A feline sleeps on the sofa."),
];

async fn started(
    embedding: EmbeddingLimits,
    files: &[(&str, &str)],
) -> (FakeProvider, Knowledge, String) {
    let server = FakeProvider::start().await.unwrap();
    server.meanings(SYNONYMS);
    let (knowledge, folder) = filled(limits(embedding), files).await;
    knowledge.use_embeddings(openai(&server), 1_000_000);
    (server, knowledge, folder)
}

async fn first(knowledge: &Knowledge, query: &str) -> Option<String> {
    let found = knowledge.search("ana", None, query, 3).await.unwrap();
    found.passages.into_iter().next().map(|passage| passage.file)
}

async fn stored_vectors(knowledge: &Knowledge) -> usize {
    let (prefix, mut pages): (Prefix, _) = ("embeddings/".parse().unwrap(), Pages::of(500));
    let request = pages.request().unwrap();
    knowledge.store.kv().keys(&prefix, request).await.unwrap().items.len()
}

#[tokio::test]
async fn a_synonym_is_found_by_meaning_and_not_by_words() {
    let (server, knowledge, _) = started(EmbeddingLimits::machine(), FILES).await;
    let (plain, _) = filled(KnowledgeLimits::machine(), FILES).await;
    assert_eq!(first(&plain, "car").await, None, "words alone find it");
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!((progress.passages, progress.embedded, progress.notice), (2, 2, None));
    let found = knowledge.search("ana", None, "car", 3).await.unwrap();
    assert_eq!(found.passages[0].file, "garage.txt");
    assert!(found.passages[0].excerpt.contains("automobile"));
    assert_eq!(found.passages[0].place.first_line, 1);
    let meaning = found.meaning.unwrap();
    assert_eq!((meaning.by_words_only, meaning.notice), (0, None));
    assert_eq!(first(&knowledge, "cat").await.as_deref(), Some("pets.txt"));
    server.assert_used_up();
}

#[tokio::test]
async fn a_passage_that_has_the_word_and_the_meaning_comes_first() {
    let files = [FILES[0], FILES[1], ("car.txt", "The car needs oil.")];
    let (_server, knowledge, _) = started(EmbeddingLimits::machine(), &files).await;
    knowledge.embed_documents("ana").await.unwrap();
    let found = knowledge.search("ana", None, "car", 3).await.unwrap();
    let order: Vec<&str> = found.passages.iter().map(|passage| passage.file.as_str()).collect();
    assert_eq!(order, ["car.txt", "garage.txt", "pets.txt"]);
    assert!((found.passages[0].score - 1.0).abs() < 0.001, "{}", found.passages[0].score);
}

#[tokio::test]
async fn passages_are_embedded_once_in_batches_and_shared_ones_not_again() {
    let page = |number: usize| format!("Page {number} about the weather.\u{c}");
    let ten: String = (0..10).map(page).collect();
    let eleven: String = (0..11).map(page).collect();
    let embedding = EmbeddingLimits { request_passages_max: 4, ..EmbeddingLimits::machine() };
    let (server, knowledge, folder) = started(embedding, &[("ten.txt", &ten)]).await;
    knowledge.embed_documents("ana").await.unwrap();
    let sizes = || server.embedded().iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(), [4, 4, 2]);
    knowledge.embed_documents("ana").await.unwrap();
    assert_eq!(sizes(), [4, 4, 2], "what is stored was sent again");
    // A new version of the document has one more page.
    let digest = upload(&knowledge, "eleven.txt", eleven.as_bytes()).await;
    knowledge.add_file("ana", &folder, &digest, "eleven.txt").await.unwrap();
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!((progress.passages, progress.embedded), (21, 21));
    assert_eq!(sizes(), [4, 4, 2, 1]);
}

#[tokio::test]
async fn a_failing_server_leaves_the_words_and_is_resumed_later() {
    let page = |number: usize| format!("Page {number} about an automobile.\u{c}");
    let text: String = (0..6).map(page).collect();
    let embedding = EmbeddingLimits {
        request_passages_max: 4,
        pause_after_fault: std::time::Duration::ZERO,
        ..EmbeddingLimits::machine()
    };
    let (server, knowledge, _) = started(embedding, &[("a.txt", &text)]).await;
    server.failing_embeddings([Fault::overloaded()]);
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!(progress.embedded, 0);
    assert_eq!(first(&knowledge, "page").await.as_deref(), Some("a.txt"));
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!((progress.embedded, progress.passages), (6, 6));
    server.failing_embeddings([Fault::server_error()]);
    let found = knowledge.search("ana", None, "about", 3).await.unwrap();
    assert_eq!(found.passages.len(), 3, "words still count");
    let notice = found.meaning.unwrap().notice.unwrap();
    assert!(notice.contains("openai:text-embedding-3-small"), "{notice}");
    assert!(!notice.contains("Bearer"), "{notice}");
    assert_eq!(first(&knowledge, "car").await.as_deref(), Some("a.txt"));
}

#[tokio::test]
async fn nothing_is_sent_while_the_server_rests_after_a_failure() {
    let (server, knowledge, _) = started(EmbeddingLimits::machine(), FILES).await;
    server.failing_embeddings([Fault::wrong_key()]);
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    let notice = progress.notice.unwrap();
    assert!(notice.contains("found by words"), "{notice}");
    let before = server.requests().len();
    let run = knowledge.run_search("ana", "c1", &serde_json::json!({ "query": "sofa" })).await;
    let run = run.unwrap();
    assert_eq!(run["passages"][0]["file"], "pets.txt");
    assert_eq!(run["notice"], notice, "the model can tell the person");
    assert_eq!(server.requests().len(), before, "the server was asked during the pause");
}

#[tokio::test]
async fn the_vectors_of_a_removed_document_are_gone() {
    let (_server, knowledge, folder) = started(EmbeddingLimits::machine(), FILES).await;
    knowledge.embed_documents("ana").await.unwrap();
    assert_eq!(stored_vectors(&knowledge).await, 2);
    let files = knowledge.folders("ana").await.unwrap().remove(0).files;
    let garage = files.iter().find(|file| file.name == "garage.txt").unwrap().digest;
    // The same document in a second folder keeps its vectors until both are gone.
    let other = knowledge.create("ana", "Other", crate::FolderScope::Owner).await.unwrap();
    knowledge.add_file("ana", &other.id, &garage, "garage.txt").await.unwrap();
    knowledge.remove_file("ana", &folder, &garage).await.unwrap();
    assert_eq!(stored_vectors(&knowledge).await, 2);
    knowledge.remove_file("ana", &other.id, &garage).await.unwrap();
    assert_eq!(stored_vectors(&knowledge).await, 1);
    knowledge.delete("ana", &folder).await.unwrap();
    assert_eq!(stored_vectors(&knowledge).await, 0);
    assert_eq!(first(&knowledge, "car").await, None);
}

#[tokio::test]
async fn vectors_of_another_model_are_swept_and_never_compared() {
    let (server, knowledge, _) = started(EmbeddingLimits::machine(), FILES).await;
    knowledge.embed_documents("ana").await.unwrap();
    let base_url = format!("{}/v1beta", server.base_url());
    let gemini = Provider { base_url, ..Provider::gemini(Key::Given(Secret::new("k"))) };
    knowledge.use_embeddings(over(gemini, "gemini:gemini-embedding-001"), 1_000_000);
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!((progress.embedded, progress.model.as_str()), (2, "gemini:gemini-embedding-001"));
    assert_eq!(stored_vectors(&knowledge).await, 2);
    assert_eq!(first(&knowledge, "cat").await.as_deref(), Some("pets.txt"));
    server.assert_used_up();
}

#[tokio::test]
async fn passages_and_tokens_have_limits() {
    let embedding = EmbeddingLimits { passages_max: 1, ..EmbeddingLimits::machine() };
    let (server, knowledge, _) = started(embedding, FILES).await;
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    assert_eq!((progress.passages, progress.embedded), (2, 1));
    assert!(progress.notice.unwrap().contains("1 passages"));
    assert_eq!(first(&knowledge, "sofa").await.as_deref(), Some("pets.txt"));
    let (_server, knowledge, _) = started(EmbeddingLimits::machine(), FILES).await;
    knowledge.use_embeddings(openai(&server), 3);
    let before = server.embedded().len();
    let progress = knowledge.embed_documents("ana").await.unwrap().unwrap();
    let notice = progress.notice.unwrap();
    assert!(notice.contains("3 tokens a day"), "{notice}");
    assert_eq!((progress.embedded, server.embedded().len()), (0, before));
}

#[tokio::test]
async fn owners_do_not_share_vectors() {
    let (_server, knowledge, _) = started(EmbeddingLimits::machine(), FILES).await;
    knowledge.embed_documents("ana").await.unwrap();
    assert_eq!(knowledge.embed_documents("ben").await.unwrap().unwrap().passages, 0);
    assert_eq!(stored_vectors(&knowledge).await, 2);
    let found = knowledge.search("ben", None, "car", 3).await.unwrap();
    assert_eq!(found.passages, []);
}
