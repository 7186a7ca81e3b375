//! MCP servers that people add on the page of `ghosthand serve`.
//!
//! In: the store, the sealer of its secrets, the engine. Out: a [`server::Extension`] with the
//! operations, and a host that runs the tools ([`AddedHost`]). Must hold: a tool is offered only
//! with the definition that the operator accepted; a header, a variable or a token is written
//! only sealed, opens only for the address it was given for, and is in no answer, log or fault;
//! a call for one owner never carries the login of another.
//!
//! Start at [`McpWeb::extension`], then `added_servers.rs`: everything that changes a server;
//! `live_server.rs`: one server while it is used.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod added_servers;
mod fault;
mod host;
mod live_server;
mod login_routes;
mod logins;
mod new_server;
mod review;
mod routes;
mod sealed_login;
mod server_lines;
mod stored_server;

use std::sync::Arc;

use include_dir::{Dir, include_dir};
use server::{Assets, Extension, Operation, Page};

pub use crate::added_servers::{AddedServers, AddedServersSetup};
pub use crate::fault::McpWebFault;
pub use crate::host::{AddedHost, ServerSet};
pub use crate::server_lines::{ConfiguredServer, ConfiguredServers, ToolLine};
pub use crate::stored_server::{CommandLine, ResolveCommand};

use crate::logins::Logins;

static PAGE: Dir<'static> = include_dir!("$OUT_DIR/page");

/// What the operations need.
pub struct McpWeb {
    pub servers: AddedServers,
    /// The servers of the settings files, which are only shown.
    pub configured: Arc<dyn ConfiguredServers>,
    /// Who may add servers; none if everybody on this machine is the operator.
    pub operator: Option<String>,
}

/// What all handlers share.
#[derive(Clone)]
pub(crate) struct McpState {
    servers: AddedServers,
    configured: Arc<dyn ConfiguredServers>,
    operator: Option<String>,
    logins: Arc<Logins>,
}

impl McpWeb {
    /// The operations below `/api/mcp-servers`, and the page that a login returns to.
    pub fn extension(self) -> Extension {
        let Self { servers, configured, operator } = self;
        let state = McpState { servers, configured, operator, logins: Arc::default() };
        Extension {
            operations: operations().into_iter().map(|one| one.with_state(state.clone())).collect(),
            public_pages: vec![Page { path: logins::RETURN_PATH, file: "mcp/logged_in.html" }],
            assets: Some(Assets { folder: "mcp", files: &PAGE }),
            ..Extension::default()
        }
    }
}

fn operations() -> Vec<Operation<McpState>> {
    vec![
        Operation::get("/api/mcp-servers", routes::list)
            .summary(
                "The MCP servers: all for the operator, those with a login of their own for others",
            )
            .answer::<server_lines::ServerList>(),
        Operation::put("/api/mcp-servers/{name}", routes::keep)
            .summary("Add an MCP server, or change one that was added here; it is tried first")
            .body::<new_server::GivenServer>(r#"{"address":"https://mcp.example/mcp"}"#)
            .answer::<routes::KeptServer>(),
        Operation::delete("/api/mcp-servers/{name}", routes::remove)
            .summary("Remove an MCP server that was added here, with its secrets and logins")
            .status(204),
        Operation::post("/api/mcp-servers/{name}/look", routes::look)
            .summary("Ask a server for its tools, and compare them with the accepted ones")
            .body::<server::Empty>("{}")
            .answer::<review::Review>(),
        Operation::post("/api/mcp-servers/{name}/accept", routes::accept)
            .summary("Accept exactly these tools of a server, as they were shown")
            .status(204)
            .body::<routes::AcceptedTools>(r#"{"tools":[]}"#),
        Operation::post("/api/mcp-servers/{name}/login", login_routes::begin)
            .summary("Begin a login at a server; the browser goes to `link` and comes back")
            .body::<server::Empty>("{}")
            .answer::<login_routes::LoginLink>(),
        Operation::delete("/api/mcp-servers/{name}/login", login_routes::end)
            .summary("Delete the caller's login at a server")
            .status(204),
        Operation::post("/api/mcp-login", login_routes::finish)
            .summary("Finish a login with the query that the browser came back with")
            .body::<login_routes::LoginQuery>(r#"{"query":"code=1&state=2"}"#)
            .answer::<login_routes::LoggedIn>(),
    ]
}
