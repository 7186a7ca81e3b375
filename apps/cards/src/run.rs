//! A run: one text on its way to cards, in the store, so that any process can go on with it.
//!
//! The log of a run is the truth; everything else is read from it (`record.rs`). What may
//! happen when is in `state.rs`; what to do with an answer is in `piece.rs`; `live.rs` and
//! `batched.rs` do the asking.

pub(crate) mod batched;
pub(crate) mod estimate;
pub(crate) mod event;
pub(crate) mod head;
pub(crate) mod journal;
pub(crate) mod lease;
pub(crate) mod live;
pub(crate) mod piece;
pub(crate) mod polling;
pub(crate) mod progress;
pub(crate) mod purse;
pub(crate) mod record;
pub(crate) mod state;
pub(crate) mod work;
