//! Folders of documents that models search: passages by words (BM25) and, with an embedding
//! model, by meaning; each with its file, page and lines.
//!
//! In: folders of attachments, of an owner or of one conversation, and a question. Out: the best
//! [`Passage`]s with their sources. An index is made from a file's text when it is first
//! searched, and cached by digest; it is never stored, so it cannot be out of date, and every
//! engine of the store serves. Vectors cost money, so they are stored until their document goes.
//! Must hold: only folders of the owner are searched; a search reads at most
//! [`KnowledgeLimits::searched_bytes_max`] bytes of text.
//!
//! Start at [`Knowledge`].

mod cache;
mod day_tokens;
mod embeddings;
mod fault;
mod folder;
mod folders;
mod index;
mod limits;
mod ranking;
mod search;
mod tools;
mod vectors;
mod words;

pub use embeddings::EmbeddingProgress;
pub use fault::KnowledgeFault;
pub use folder::{Folder, FolderFile, FolderScope};
pub use folders::Knowledge;
pub use limits::{EmbeddingLimits, KnowledgeLimits};
pub use search::{Found, MeaningUse, Passage, Place, Section};
pub use tools::{read_document_schema, search_documents_schema};

#[cfg(test)]
mod tests;
