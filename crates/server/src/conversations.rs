//! Conversations of all owners: their index for lists and search, and the turns that run.
//!
//! Must hold: a conversation has at most one running turn. Start at [`turns`].

pub(crate) mod turns;

pub(crate) mod stop_requests;
pub(crate) mod takeover;

pub(crate) mod personalised_model;
pub(crate) mod taken;

pub(crate) mod answering_model;
pub(crate) mod conversation_folders;
pub(crate) mod conversation_index;
pub(crate) mod organisation;
pub(crate) mod search;
pub(crate) mod shares;
pub(crate) mod spending;
pub(crate) mod temporary;
