//! Tests over the whole crate: every case of the corpus and random schemas, at every target.

pub(crate) mod corpus;
mod dice;
mod edges;
mod random;
pub(crate) mod wire;
