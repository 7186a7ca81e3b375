//! The files that a browser loads: embedded in the program and compressed once.
//!
//! Start at [`static_files`].

pub(crate) mod static_files;

mod artifact_frame;
pub(crate) mod icons;
pub(crate) mod mermaid;
mod theme;
pub(crate) mod words;
