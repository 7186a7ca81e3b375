//! Runs handlers: JavaScript in sandboxed children of our own binary, Python in sandboxed
//! interpreters, and native Rust.
//!
//! In: a [`policy::Job`], which requires an approved call. Out: a [`policy::HandlerOutcome`], at the
//! latest shortly after the time limit, whatever the handler does.
//!
//! - [`js`]: the JavaScript host. A small pool of children, a fresh isolate for every call.
//! - [`python`]: the Python host. A forked interpreter for each file and owner.
//! - [`native`]: handlers that are Rust functions of this program.
//! - [`spawn`]: starts every child of this program, in a [`sandbox`].
//!
//! Must hold: a handler reaches only its [`policy::Services`]; no child outlives us; a call that
//! has used a service never runs a second time.
//!
//! `main` of the binary must call [`child_main`] first.

mod child;
pub mod js;
pub mod native;
mod protocol;
pub mod python;
mod run_handler;
pub mod sandbox;
mod scratch_dir;
pub mod spawn;

pub use js::worker::WorkerLimits;
pub use js::{JsHost, JsHostConfig};
pub use native::{NativeContext, NativeHost};
pub use protocol::meter::FloodLimits;
pub use python::{PyHost, PyHostConfig};
pub use run_handler::{Finished, HandlerRun, Repeat};
pub use sandbox::doctor::doctor;
pub use scratch_dir::{private_base, user_id};
pub use spawn::child_main;
