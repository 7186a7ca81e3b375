//! Opens the store, and says what to do when that fails.

use store::OpenFault;

use crate::exit::Failure;

/// The failure for a store that cannot be opened.
pub(crate) fn not_opened(fault: OpenFault) -> Failure {
    let fix = match &fault {
        OpenFault::NotAStore { .. } => "name another file with --store; this one was left as it is",
        OpenFault::Newer { .. } => "use the newer program; the store was left as it is",
        OpenFault::Damaged { .. } => "restore a copy; the store was left as it is",
        OpenFault::ReadOnly { .. } => {
            "make the file and its folder writable for this user, or name another with --store"
        }
        OpenFault::Busy { .. } => "end the other program, or try again in a moment",
        OpenFault::Io { .. } => "name the store with --store, and check that this user may use it",
    };
    Failure::user(fault, fix)
}
