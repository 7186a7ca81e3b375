//! The files that a browser loads: embedded in the program, bundled, compressed once.
//!
//! Start at [`static_files`].

pub(crate) mod static_files;

pub(crate) mod bundle;
pub(crate) mod icons;
