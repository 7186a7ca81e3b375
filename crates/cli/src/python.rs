//! Python tools: settings, one host per environment, module reading, package installation.

pub(crate) mod settings;

pub(crate) mod environment;
pub(crate) mod hosts;
pub(crate) mod module_reader;
