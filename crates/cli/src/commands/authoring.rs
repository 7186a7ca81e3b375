//! Commands for authors of tools: write, check, build, test and lock them, and see what
//! providers get.

pub(super) mod build;
pub(super) mod check;
pub(super) mod decode;
pub(super) mod diff;
pub(super) mod encode;
pub(super) mod faults;
pub(super) mod lock;
pub(super) mod lower;
pub(super) mod new;
pub(super) mod show;
pub(super) mod test;
pub(super) mod tools;
