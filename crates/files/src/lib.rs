//! Atomic writes and bounded reads.
//!
//! In: a path, and bytes or a limit. Out: a file that is complete or unchanged; bytes that do
//! not exceed the limit. Must hold: a reader, a crash or a full disk never sees half a file; a
//! file that is too large is a fault and is not truncated.

mod atomic;
mod bounded;

pub use atomic::{AtomicFile, write_atomically};
pub use bounded::{ReadFault, read_bounded, read_file, read_regular_file, read_text};
