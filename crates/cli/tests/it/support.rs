//! Runs the program, and makes the projects that it runs in.

pub(crate) mod far_server;
pub(crate) mod in_process;
pub(crate) mod model_project;
pub(crate) mod program;
pub(crate) mod terminal;
pub(crate) mod tool_tree;
