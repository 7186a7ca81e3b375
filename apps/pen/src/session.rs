//! A drafting session: the request, the sources, the drafts with their feedback, and the log.
//!
//! In: [`DraftOptions`], and two ports: a [`Conversation`] with the model and an [`Author`]. Out: a
//! saved post, and a [`SessionLog`] without secrets. Start at [`draft`].

pub mod request;

mod feedback_loop;
mod ports;
mod profile_gate;
mod sources;

pub mod prompt;

mod log;

pub use feedback_loop::{DraftOptions, SessionEnd, draft};
pub use log::{EventKind, SessionLog, Sessions, logged};
pub use ports::{Author, Conversation, Edited, SessionFault, ToolResult};
pub use profile_gate::ProfileSource;
