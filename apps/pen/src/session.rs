//! A drafting session: the request, the sources, the versions of a draft with their feedback,
//! and the log.
//!
//! In: [`DraftOptions`] or a stored [`Draft`], and two ports: a [`Conversation`] with the model
//! and a [`View`] for the author. Out: a saved post, events of the draft, a [`SessionLog`] without
//! secrets. Must hold: nothing here knows a terminal; whatever the author sees is a [`Shown`] that
//! can be serialized. Start at [`Session`].

pub mod request;

mod draft;
mod drafting;
mod paste;
mod platform_choice;
mod ports;
mod profile_gate;
mod shown;
mod sources;

pub mod prompt;

mod log;

pub use draft::{Draft, DraftEvent, Origin, ProfileChange, Question, Started, Status, Version};
pub use drafting::{DraftOptions, Next, Session, SessionEnd};
pub use log::{EventKind, SessionLog, Sessions, logged};
pub use paste::Paste;
pub use ports::{Conversation, SessionFault, ToolFailure, ToolResult, View};
pub use profile_gate::ProfileSource;
pub use shown::Shown;
