//! MCP clients and servers for the tests beside this folder, and the projects that they use.

pub(crate) mod client;
pub(crate) mod conformance_project;
pub(crate) mod fixtures;
pub(crate) mod http_server;
pub(crate) mod oauth_server;
pub(crate) mod token_proxy;
