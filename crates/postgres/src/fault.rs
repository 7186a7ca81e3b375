//! Sorts the errors of PostgreSQL by what happens next.

use std::error::Error as _;

use store::StoreFault;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity};

/// Why a statement failed. Nothing of its transaction is stored, unless it was the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The connection is of no use any more: connect again and repeat.
    Lost(String),
    /// The server ended this transaction for the good of another: repeat it.
    Repeat(String),
    /// Repeating does not help.
    Fault(StoreFault),
}

impl Trouble {
    pub(crate) fn lost(because: &str) -> Self {
        Self::Lost(because.to_owned())
    }

    /// What the caller gets when it is not repeated.
    pub(crate) fn into_fault(self) -> StoreFault {
        match self {
            Self::Lost(because) | Self::Repeat(because) => StoreFault::Busy { because },
            Self::Fault(fault) => fault,
        }
    }

    pub(crate) fn because(&self) -> String {
        match self {
            Self::Lost(because) | Self::Repeat(because) => because.clone(),
            Self::Fault(fault) => fault.to_string(),
        }
    }
}

pub(crate) fn trouble(error: &Error) -> Trouble {
    match error.as_db_error() {
        Some(error) => of_server(error),
        // Not said by the server: a socket, TLS, or a protocol that broke off.
        None if is_ours(error) => Trouble::Fault(StoreFault::Damaged { because: described(error) }),
        None => Trouble::Lost(described(error)),
    }
}

/// A value that is not of the type of its column or parameter.
fn is_ours(error: &Error) -> bool {
    let text = error.to_string();
    ["error serializing", "error deserializing", "invalid column", "expected "]
        .iter()
        .any(|start| text.starts_with(start))
}

fn of_server(error: &DbError) -> Trouble {
    // Without the detail and the statement: they can contain what people wrote.
    let because = format!("PostgreSQL says: {} ({})", error.message(), error.code().code());
    let code = error.code().code();
    match code {
        // Deadlock, serialisation.
        _ if code.starts_with("40") => Trouble::Repeat(because),
        // Shut down, starting, standby, connection lost, no more connections.
        "57P01" | "57P02" | "57P03" | "57P05" | "25006" | "25P03" | "53300" => {
            Trouble::Lost(because)
        }
        _ if code.starts_with("08") => Trouble::Lost(because),
        // A time limit: of a statement, or of waiting for a lock.
        "57014" | "55P03" => Trouble::Fault(StoreFault::Busy { because }),
        // Disk or memory is full; an operator can change that while everything runs.
        _ if code.starts_with("53") => Trouble::Fault(StoreFault::Busy { because }),
        "XX001" | "XX002" => Trouble::Fault(StoreFault::Damaged { because }),
        _ => Trouble::Fault(StoreFault::Unusable { because }),
    }
}

/// Whether an error of `commit` means for certain that nothing was written. A session that is
/// ended while it waits for a standby has committed all the same.
pub(crate) fn is_rolled_back(error: &Error) -> bool {
    error.as_db_error().is_some_and(|error| {
        let severity = error.parsed_severity();
        severity == Some(Severity::Error) && error.code().code().starts_with("40")
    })
}

/// An error with its causes.
pub(crate) fn described(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("PostgreSQL says: {} ({})", error.message(), error.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
