//! What a call runs with: who gets its handler's events, who may cancel it, and who pays.

use std::sync::Arc;

use registry::Lease;
use services::Surface;

pub use cancel::Cancel;

/// The context of one call or one turn. Clones share it.
#[derive(Clone)]
pub struct CallContext {
    pub surface: Arc<dyn Surface>,
    pub cancel: Cancel,
    pub paid_by: PaidBy,
    /// The tools of the turn, which stay the same until it ends; none for a call outside a turn,
    /// which runs with the newest.
    pub tools: Option<Lease>,
}

/// Whose budget a call is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidBy {
    /// The turn's.
    Turn,
    /// Nobody's: a person runs the tool by hand, so nothing is answered from memory.
    Person,
}
