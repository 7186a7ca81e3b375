//! Folders of documents that models search: passages by BM25, each with its file, page and lines.
//!
//! In: folders of attachments, of an owner or of one conversation, and a question. Out: the best
//! [`Passage`]s with their sources. An index is made from a file's text when it is first
//! searched, and cached by digest; it is never stored, so it cannot be out of date, and every
//! engine of the store serves. Must hold: only folders of the owner are searched; a search reads
//! at most [`KnowledgeLimits::searched_bytes_max`] bytes of text.
//!
//! Start at [`Knowledge`].

mod cache;
mod fault;
mod folder;
mod folders;
mod index;
mod limits;
mod search;
mod tools;
mod words;

pub use fault::KnowledgeFault;
pub use folder::{Folder, FolderFile, FolderScope};
pub use folders::Knowledge;
pub use limits::KnowledgeLimits;
pub use search::{Found, Passage, Place, Section};
pub use tools::{read_document_schema, search_documents_schema};

#[cfg(test)]
mod tests;
