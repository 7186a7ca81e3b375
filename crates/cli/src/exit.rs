//! How a command ends: success, or a failure sorted by who acts next, and the exit code.
//!
//! 0: success; 1: problems in your files, or a refused call; 2: wrong usage, a command line that
//! could not work in any project; 70: internal error. A closed pipe is not a failure.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use crate::render::printer::Printer;

/// The end of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Success,
    /// The command has reported problems in the user's files.
    Faults,
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    what: anyhow::Error,
    fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The user's files or what the arguments name in them.
    User,
    /// The command line itself.
    Usage,
    /// Our error, or the machine's.
    Internal,
}

pub(crate) type CommandResult = Result<ExitStatus, Failure>;

impl Failure {
    /// A failure that the user can fix; `fix` says how.
    pub(crate) fn user(what: impl Into<anyhow::Error>, fix: impl Into<String>) -> Self {
        Self { kind: Kind::User, what: what.into(), fix: Some(fix.into()) }
    }

    pub(crate) fn message(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::user(anyhow::Error::msg(what.into()), fix)
    }

    /// A command line that cannot work, whatever the files say; `fix` says what to type. The
    /// parser reports what it can see itself; this is for the rest.
    pub(crate) fn usage(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::message(what, fix) }
    }

    /// The same failure, with its place in front.
    #[must_use]
    pub(crate) fn at(self, place: &str) -> Self {
        let what = anyhow::Error::msg(format!("{place}: {}", self.what));
        Self { what, ..self }
    }

    /// What is wrong, and how to fix it.
    pub(crate) fn into_parts(self) -> (String, String) {
        (self.what.to_string(), self.fix.unwrap_or_default())
    }

    /// Prints the failure of a command that continues.
    pub(crate) fn print(&self, printer: &mut Printer) -> std::io::Result<()> {
        printer.failure(&self.what, self.fix.as_deref())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.what)?;
        self.fix.iter().try_for_each(|fix| write!(f, "; {fix}"))
    }
}

/// Any other error is internal, except paths that are missing or not accessible: the user can fix
/// those.
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

/// The fix for a path error, if the user can fix it.
fn fix_of(kind: ErrorKind) -> Option<&'static str> {
    const FIXES: [(ErrorKind, &str); 8] = [
        (ErrorKind::NotFound, "choose an existing path, or create its folder first"),
        (ErrorKind::PermissionDenied, "choose another path, or change its permissions"),
        (ErrorKind::ReadOnlyFilesystem, "choose a path on a writable disk"),
        (ErrorKind::NotADirectory, "choose another path; part of this one is a file"),
        (ErrorKind::AlreadyExists, "choose another path; this one already exists"),
        (ErrorKind::IsADirectory, "choose a file; this is a folder"),
        (ErrorKind::StorageFull, "free some disk space, or choose another path"),
        (ErrorKind::QuotaExceeded, "free some disk space, or choose another path"),
    ];
    FIXES.iter().find(|(known, _)| *known == kind).map(|(_, fix)| *fix)
}

/// A file that cannot be written.
pub(crate) fn not_written(path: &Path, error: impl Into<anyhow::Error>) -> Failure {
    error.into().context(format!("`{}` cannot be written", path.display())).into()
}

/// A file or folder that cannot be read.
pub(crate) fn not_read(path: &Path, error: impl Into<anyhow::Error>) -> Failure {
    error.into().context(format!("`{}` cannot be read", path.display())).into()
}

/// Creates the folder of a file.
pub(crate) fn make_folder_of(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            std::fs::create_dir_all(folder).map_err(|error| {
                let what = format!("the folder `{}` cannot be created", folder.display());
                anyhow::Error::new(error).context(what).into()
            })
        }
        Some(_) | None => Ok(()),
    }
}

/// Prints a failure, and returns the exit code.
pub(crate) fn code(outcome: CommandResult, printer: &mut Printer) -> ExitCode {
    match outcome {
        Ok(ExitStatus::Success) => ExitCode::SUCCESS,
        Ok(ExitStatus::Faults) => ExitCode::from(1),
        Err(failure) if is_closed_pipe(&failure.what) => ExitCode::SUCCESS,
        Err(failure) => {
            // If printing fails, the exit code still reports it.
            let _ = printer.failure(&failure.what, failure.fix.as_deref());
            match failure.kind {
                Kind::User => ExitCode::from(1),
                Kind::Usage => ExitCode::from(2),
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
