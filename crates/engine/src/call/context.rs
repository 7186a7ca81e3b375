//! What a call runs on: who hears its handler, and who may stop it.

use std::sync::Arc;

use services::Surface;

pub use cancel::Cancel;

/// The surface of one call or one turn. Clones share it.
#[derive(Clone)]
pub struct CallContext {
    pub surface: Arc<dyn Surface>,
    pub cancel: Cancel,
    pub paid_by: PaidBy,
}

/// Whose budget a call is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidBy {
    /// The turn's.
    Turn,
    /// Nobody's: a person runs a tool by hand, and wants it run: nothing is answered from
    /// memory.
    Person,
}
