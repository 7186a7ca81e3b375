//! Runs handlers: JavaScript in sandboxed children of our own binary, Python in sandboxed
//! interpreters, and native Rust.
//!
//! In: a [`policy::Job`], which only an approved call can be. Out: a [`policy::HandlerOutcome`], at the
//! latest shortly after the time limit, whatever the handler does.
//!
//! - [`js`]: the JavaScript host. A small pool of children, a fresh state for every call.
//! - [`python`]: the Python host. A forked interpreter for each file and owner.
//! - [`native`]: handlers that are Rust functions of this program.
//! - [`spawn`]: the one way this program starts a child, and [`sandbox`]: the fence around it.
//!
//! Must hold: a handler reaches nothing but its [`policy::Services`]; no child outlives us;
//! a call that has asked for a service never runs a second time.
//!
//! `main` of the binary must call [`child_main`] before anything else.

mod child;
pub mod js;
mod meter;
pub mod native;
mod private;
pub mod python;
mod run;
pub mod sandbox;
pub mod spawn;
mod wire;
mod worker;

pub use js::{JsHost, JsHostConfig};
pub use meter::Flood;
pub use native::{NativeContext, NativeHost};
pub use private::{private_base, user_number};
pub use python::{PyHost, PyHostConfig};
pub use run::{Finished, HandlerRun, Repeat};
pub use sandbox::doctor::doctor;
pub use spawn::child_main;
pub use worker::WorkerLimits;
