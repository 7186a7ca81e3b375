//! Words: what a person's own mean, and which of ours they heard.

pub(crate) mod answer;
pub(crate) mod heard;
pub(crate) mod language;
pub(crate) mod readback;
pub(crate) mod sentence;
