//! Why a folder cannot be changed or searched.

use attachments::AttachmentFault;
use store::StoreFault;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KnowledgeFault {
    #[error("there is no such folder")]
    NoFolder,
    #[error("there is no such document in your folders")]
    NoFile,
    #[error("a picture has no text to search")]
    NoText,
    #[error("a folder needs a name of at most 100 characters")]
    BadName,
    #[error("you have {max} folders, which is the maximum")]
    TooManyFolders { max: usize },
    #[error("the folder has {max} documents, which is the maximum")]
    TooManyFiles { max: usize },
    #[error(transparent)]
    Attachment(#[from] AttachmentFault),
    #[error(transparent)]
    Store(#[from] StoreFault),
}
