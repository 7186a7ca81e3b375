//! What the rehearsal writes to the person: its sentences, and results as text.

pub(crate) mod phrases;
pub(crate) mod results;
