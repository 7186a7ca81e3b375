//! The thirteen kinds of failure, and who raises each.

use serde::{Deserialize, Serialize};

use crate::contract::words;

words! {
    /// What kind of failure a call ended in. The words are part of the contract.
    ErrorType {
        /// The arguments do not fit the contract.
        Validation = "VALIDATION",
        /// There is no such tool.
        NotFound = "NOT_FOUND",
        /// Something broke that should not have; effects are unknown.
        Internal = "INTERNAL",
        /// The tool is not for this mode.
        ModeRestricted = "MODE_RESTRICTED",
        /// The turn has used up its calls.
        BudgetExceeded = "BUDGET_EXCEEDED",
        /// A person must agree first.
        ConfirmationRequired = "CONFIRMATION_REQUIRED",
        /// The same call, or the same empty answer, again and again.
        LoopDetected = "LOOP_DETECTED",
        /// The session has ended.
        SessionInactive = "SESSION_INACTIVE",
        /// It may work in a moment.
        Transient = "TRANSIENT",
        /// It will not work, however often it is tried.
        Permanent = "PERMANENT",
        /// The far side asks for a pause.
        RateLimit = "RATE_LIMIT",
        /// The far side does not know us.
        Auth = "AUTH",
        /// The state is no longer what the caller thought.
        Conflict = "CONFLICT",
    }
}

/// The part of the system that raises an error type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaisedBy {
    Registry,
    Orchestrator,
    Handler,
}

impl ErrorType {
    pub fn raised_by(self) -> RaisedBy {
        match self {
            Self::Validation | Self::NotFound | Self::Internal => RaisedBy::Registry,
            Self::ModeRestricted
            | Self::BudgetExceeded
            | Self::ConfirmationRequired
            | Self::LoopDetected => RaisedBy::Orchestrator,
            Self::SessionInactive
            | Self::Transient
            | Self::Permanent
            | Self::RateLimit
            | Self::Auth
            | Self::Conflict => RaisedBy::Handler,
        }
    }
}
