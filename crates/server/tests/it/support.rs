//! Shared by the tests: a server, a client, and tools with forms.

pub(crate) mod client;
pub(crate) mod form_tools;
pub(crate) mod model_world;
pub(crate) mod test_server;
