//! A drafting session: the request, the sources, the versions of a draft with their feedback,
//! and the log.
//!
//! In: [`DraftOptions`] or a stored [`Draft`], and two ports: a [`Conversation`] with the model
//! and a [`View`] for the author. Out: a saved post, events of the draft, a [`SessionLog`] without
//! secrets. Must hold: nothing here knows a terminal; whatever the author sees is a [`Shown`] that
//! can be serialized. Start at [`Session`].

pub mod request;

mod draft;
mod draft_line;
mod draft_profile;
mod draft_store;
mod drafting;
mod erase_drafts;
mod model_fault;
mod platform_choice;
mod ports;
mod profile_gate;
mod shown;
mod sources;

mod check_text;
mod engine_conversation;
mod paste_prompt;
pub mod prompt;

mod log;

pub use check_text::{TextCheck, check_text, length_max};
pub use draft::{Draft, DraftEvent, Origin, ProfileChange, Question, Started, Status, Version};
pub use draft_line::{DraftLine, LineStatus};
pub use draft_profile::DraftProfile;
pub use draft_store::{DraftList, DraftStore, ListedDraft, StoredDraft, StoredDraftFault, new_id};
pub use drafting::{DraftOptions, Next, Session, SessionEnd, proposal_shown};
pub use engine_conversation::{ConversationSetup, EngineConversation, TurnControl, TurnFault};
pub use erase_drafts::{EraseFault, erase_drafts};
pub use log::{EventKind, SessionLog, Sessions, logged};
pub use model_fault::model_fault;
pub use paste_prompt::{Paste, paste_prompt};
pub use ports::{Conversation, SessionFault, ToolFailure, ToolResult, View};
pub use profile_gate::ProfileSource;
pub use shown::Shown;
