//! Opens the store, and says what to do when that fails.

use store::OpenFault;

use crate::exit::Failure;

/// The failure for a store that cannot be opened.
pub(crate) fn not_opened(fault: OpenFault) -> Failure {
    let fix = match &fault {
        OpenFault::NotAStore { .. } => "choose another file with --store; this one was not changed",
        OpenFault::Newer { .. } => "use the newer version; the store was not changed",
        OpenFault::Damaged { .. } => "restore a backup; the store was not changed",
        OpenFault::ReadOnly { .. } => {
            "make the file and its folder writable, or choose another with --store"
        }
        OpenFault::Busy { .. } => "stop the other program, or try again in a moment",
        OpenFault::Io { .. } => "choose a store with --store, and check its permissions",
    };
    Failure::user(fault, fix)
}
