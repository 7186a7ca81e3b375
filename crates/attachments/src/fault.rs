//! Why a file is refused or not there.

use documents::Unreadable;
use store::StoreFault;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentFault {
    #[error("the file has more than {max} bytes")]
    TooLarge { max: usize },
    #[error("your files have more than {max} bytes together")]
    OwnerFull { max: u64 },
    #[error("you have {max} files, which is the maximum")]
    TooMany { max: usize },
    #[error("a message can have {max} files")]
    TooManyInMessage { max: usize },
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error("there is no such file")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreFault),
}

impl AttachmentFault {
    /// What the person can do.
    pub fn fix(&self) -> &'static str {
        match self {
            AttachmentFault::TooLarge { .. } => "use a smaller file, or a part of it",
            AttachmentFault::OwnerFull { .. } | AttachmentFault::TooMany { .. } => {
                "delete conversations with files that you do not need"
            }
            AttachmentFault::TooManyInMessage { .. } => "send some of them in another message",
            AttachmentFault::Unreadable(unreadable) => unreadable.fix(),
            AttachmentFault::NotFound => "add the file again",
            AttachmentFault::Store(_) => "try again; the server's log has the reason",
        }
    }
}
