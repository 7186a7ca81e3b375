//! How a service says no: the codes a handler can branch on.

use policy::ServiceFault;

/// Why a service said no, as the handler reads it in `error.code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultCode {
    /// The contract does not allow it; the message names what to declare.
    NotAllowed,
    /// The arguments are not what the service takes.
    BadRequest,
    /// There is no such service.
    UnknownService,
    /// There is no such file, or no such secret.
    NotFound,
    /// Somebody else has changed it: read again and decide anew.
    Conflict,
    /// One thing is larger than allowed.
    TooLarge,
    /// The run has asked for too much in all.
    LimitReached,
    /// The file or the answer is no text, or is packed in a way nobody asked for.
    NotText,
    /// It took too long.
    TimedOut,
    /// The other side could not be reached, or broke off.
    Unreachable,
    /// The store, the disk or the surface is not usable now.
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
