//! Fault codes of services, which a handler can branch on.

use policy::ServiceFault;

/// Why a service failed, as the handler reads it in `error.code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultCode {
    /// The contract does not allow it; the message names what to declare.
    NotAllowed,
    /// The arguments are invalid.
    BadRequest,
    /// There is no such service.
    UnknownService,
    /// There is no such file, or no such secret.
    NotFound,
    /// It changed in the meantime: read it again and decide again.
    Conflict,
    /// A single value, file or response exceeds its limit.
    TooLarge,
    /// The run used up one of its limits.
    LimitReached,
    /// The file or response is not text, or has an unsupported encoding.
    NotText,
    /// It took too long.
    TimedOut,
    /// The host cannot be reached, or the connection broke.
    Unreachable,
    /// The store, the disk or the surface is currently not usable.
    Unavailable,
    /// The write may or may not have happened.
    Unsure,
}

impl FaultCode {
    pub fn as_str(self) -> &'static str {
        match self {
            FaultCode::NotAllowed => "NOT_ALLOWED",
            FaultCode::BadRequest => "BAD_REQUEST",
            FaultCode::UnknownService => "UNKNOWN_SERVICE",
            FaultCode::NotFound => "NOT_FOUND",
            FaultCode::Conflict => "CONFLICT",
            FaultCode::TooLarge => "TOO_LARGE",
            FaultCode::LimitReached => "LIMIT_REACHED",
            FaultCode::NotText => "NOT_TEXT",
            FaultCode::TimedOut => "TIMED_OUT",
            FaultCode::Unreachable => "UNREACHABLE",
            FaultCode::Unavailable => "UNAVAILABLE",
            FaultCode::Unsure => "UNSURE",
        }
    }

    /// A fault with this code.
    pub fn fault(self, message: impl Into<String>) -> ServiceFault {
        ServiceFault { code: self.as_str().to_owned(), message: message.into() }
    }
}
