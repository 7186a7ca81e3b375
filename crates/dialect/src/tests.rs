//! Tests over the whole crate: every case of the corpus and random schemas, at every target.

mod corpus;
mod dice;
mod edges;
mod random;
pub(crate) mod wire;
