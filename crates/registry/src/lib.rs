//! Tool directories and Python modules in; a checked registry, every fault at once, and the lock file out.
//!
//! The modules are in reading order: files are read, checked, collected, written, loaded
//! again, locked and compared. Broken tools are data, not errors: [`read_tools`] returns every
//! valid tool *and* every fault.
//!
//! Start at [`read_tools`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod source;

mod check;
mod code;
mod environment;
mod python_module;

mod fault;

mod build;
mod excluded;
mod registry;
mod tool;

mod loss_report;
mod registry_file;
mod schema_order;

mod exposed;
mod live;

mod diff;
mod lock;

pub use build::{Build, TreeFault, read_tools, read_tools_with};
pub use code::{HandlerCode, HandlerReport};
pub use diff::{Change, ChangeWeight, ChangedPart, count_changes, diff};
pub use environment::{
    BadEnvironmentId, Environment, EnvironmentId, PYTHON_LOCK_FILE, REQUIREMENTS_FILE,
    environment_of,
};
pub use excluded::ExcludedTool;
pub use exposed::exposed_tools;
pub use fault::{Code, Fault, Faults, Severity, SourceLocation};
pub use live::{Lease, LiveRegistry, ReloadFault};
pub use lock::{LOCK_FILE, Lock, LockFault, LockedTool};
pub use loss_report::{LossLine, LossReport, TargetLosses};
pub use python_module::{
    ItemFlags, ModuleFault, ModuleItem, ModuleReader, ModuleReport, SETTINGS_FILE, Signature,
};
pub use registry::{Registry, RegistryVersion};
pub use registry_file::{BuildStamp, LoadFault, REGISTRY_FILE};
pub use source::tree::is_module_folder;
pub use tool::{Digests, Example, ExampleKind, Feature, Features, Handler, HandlerKind, Tool};

#[cfg(test)]
mod tests;
