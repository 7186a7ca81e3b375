//! Files that people add: stored once by digest, with their text, while something uses them.
//!
//! In: bytes, piece by piece ([`Upload`]). Out: an [`Attachment`], its bytes and its text. The
//! bytes are in logs of the store, so every server of a store has them. Must hold: a file
//! belongs to one owner, and nobody else can read it; a file is deleted with the last thing
//! that uses it; an upload never has more than a piece of a file in memory.
//!
//! Start at [`Attachments`].

mod attachment;
mod attachments;
mod blob;
mod fault;
mod limits;
mod sweep;
mod upload;

pub use attachment::{Attachment, StoredText, Use, clean_name};
pub use attachments::Attachments;
pub use fault::AttachmentFault;
pub use limits::AttachmentLimits;
pub use upload::Upload;

#[cfg(test)]
mod tests;
