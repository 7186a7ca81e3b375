//! How a run ends: who must act next, and the code that says so.
//!
//! 0 is fine, 1 is for the user's files to change, 2 is wrong usage, 70 is our fault.
//! A reader that goes away (a closed pipe) is no fault at all.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use crate::render::printer::Printer;

/// How a command that could do its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Success,
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

pub(crate) type CommandResult = Result<ExitStatus, Failure>;

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

/// Anything else: our own mistakes, and what the machine refuses. A path that is missing, or
/// that this user may not use, is for the user to mend.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let what = error.into();
        let io = what.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
        match io.and_then(|io| fix_of(io.kind())) {
            Some(fix) => Self { kind: Kind::User, what, fix: Some(fix.to_owned()) },
            None => Self { kind: Kind::Internal, what, fix: None },
        }
    }
}

/// What a person can do about a path, if it is theirs to mend.
fn fix_of(kind: ErrorKind) -> Option<&'static str> {
    const FIXES: [(ErrorKind, &str); 8] = [
        (ErrorKind::NotFound, "name a path that is there, or make its folder first"),
        (ErrorKind::PermissionDenied, "name another path, or let this user use this one"),
        (ErrorKind::ReadOnlyFilesystem, "name a path on a disk that can be written"),
        (ErrorKind::NotADirectory, "name another path; this one leads through a file"),
        (ErrorKind::AlreadyExists, "name another path; something else is there already"),
        (ErrorKind::IsADirectory, "name a file; this is a folder"),
        (ErrorKind::StorageFull, "make room on the disk, or name another path"),
        (ErrorKind::QuotaExceeded, "make room on the disk, or name another path"),
    ];
    FIXES.iter().find(|(known, _)| *known == kind).map(|(_, fix)| *fix)
}

/// A file that cannot be written, by its path.
pub(crate) fn not_written(path: &Path, error: impl Into<anyhow::Error>) -> Failure {
    error.into().context(format!("`{}` cannot be written", path.display())).into()
}

/// A file or folder that cannot be read, by its path.
pub(crate) fn not_read(path: &Path, error: impl Into<anyhow::Error>) -> Failure {
    error.into().context(format!("`{}` cannot be read", path.display())).into()
}

/// Makes the folder of a file that is going to be written.
pub(crate) fn make_folder_of(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            std::fs::create_dir_all(folder).map_err(|error| {
                let what = format!("the folder `{}` cannot be made", folder.display());
                anyhow::Error::new(error).context(what).into()
            })
        }
        Some(_) | None => Ok(()),
    }
}

/// Says what went wrong, if anything did, and gives the exit code.
pub(crate) fn code(outcome: CommandResult, printer: &mut Printer) -> ExitCode {
    match outcome {
        Ok(ExitStatus::Success) => ExitCode::SUCCESS,
        Ok(ExitStatus::Faults) => ExitCode::from(1),
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
