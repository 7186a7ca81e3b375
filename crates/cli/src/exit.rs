//! How a run ends: who must act next, and the code that says so.
//!
//! 0 is fine, 1 is for the user's files to change, 2 is wrong usage, 70 is our fault.
//! A reader that goes away (a closed pipe) is no fault at all.

use std::io::ErrorKind;
use std::process::ExitCode;

use crate::printer::Printer;

/// How a command that could do its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Good,
    /// The command has said what is wrong with the user's files.
    Faults,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    what: anyhow::Error,
    fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The files or the names that the user gave.
    User,
    /// Ours, or the machine's.
    Internal,
}

pub(crate) type Outcome = Result<Ending, Failure>;

impl Failure {
    /// Something the user can mend; `fix` says how.
    pub(crate) fn user(what: impl Into<anyhow::Error>, fix: impl Into<String>) -> Self {
        Self { kind: Kind::User, what: what.into(), fix: Some(fix.into()) }
    }

    pub(crate) fn message(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::user(anyhow::Error::msg(what.into()), fix)
    }

    /// Says what is wrong, where the command goes on all the same.
    pub(crate) fn tell(&self, printer: &mut Printer) -> std::io::Result<()> {
        printer.failure(&self.what, self.fix.as_deref())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.what)?;
        self.fix.iter().try_for_each(|fix| write!(f, "; {fix}"))
    }
}

/// Anything else: full disks, lost permissions, our own mistakes.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { kind: Kind::Internal, what: error.into(), fix: None }
    }
}

/// Says what went wrong, if anything did, and gives the exit code.
pub(crate) fn code(outcome: Outcome, printer: &mut Printer) -> ExitCode {
    match outcome {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Faults) => ExitCode::from(1),
        Err(failure) if is_closed_pipe(&failure.what) => ExitCode::SUCCESS,
        Err(failure) => {
            // If even this cannot be said, the code still can.
            let _ = printer.failure(&failure.what, failure.fix.as_deref());
            match failure.kind {
                Kind::User => ExitCode::from(1),
                Kind::Internal => ExitCode::from(70),
            }
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
