//! The live stream of a conversation: from events of the log and of the running turn to
//! AG-UI events, as server-sent events that a reader can resume.
//!
//! Must hold: every reader gets every event once and in order; a slow reader delays no other.
//! Start at [`broadcast`], which orders the events, then [`agui_events`], which maps them.

pub(crate) mod broadcast;

pub(crate) mod agui_events;
pub(crate) mod entry_key;
pub(crate) mod snapshot;
pub(crate) mod text_message;

pub(crate) mod event;
pub(crate) mod replay_buffer;
pub mod sse;

pub(crate) mod condition_clock;
pub(crate) mod condition_state;
pub(crate) mod side_events;
