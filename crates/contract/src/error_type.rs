//! The thirteen kinds of failure, and who raises each.

use serde::{Deserialize, Serialize};

use crate::contract::words;

words! {
    /// The kind of failure of a call. The words are part of the contract.
    ErrorType {
        /// The arguments do not fit the contract.
        Validation = "VALIDATION",
        /// There is no such tool.
        NotFound = "NOT_FOUND",
        /// An internal error; effects are unknown.
        Internal = "INTERNAL",
        /// The tool does not allow this mode.
        ModeRestricted = "MODE_RESTRICTED",
        /// The turn has used up its calls.
        BudgetExceeded = "BUDGET_EXCEEDED",
        /// A person must approve first.
        ConfirmationRequired = "CONFIRMATION_REQUIRED",
        /// The same call, or the same empty result, repeatedly.
        LoopDetected = "LOOP_DETECTED",
        /// The session has ended.
        SessionInactive = "SESSION_INACTIVE",
        /// It may succeed later.
        Transient = "TRANSIENT",
        /// It will not succeed, however often it is retried.
        Permanent = "PERMANENT",
        /// The service asks for a pause.
        RateLimit = "RATE_LIMIT",
        /// The service rejected the credentials.
        Auth = "AUTH",
        /// The state has changed since the caller read it.
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
