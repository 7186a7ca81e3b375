//! MCP at `/mcp` of `ghosthand serve`, and the programs that may use it.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use engine::Engine;
use mcp::server::http::inner_router;
use mcp::server::{Approvals, McpServer, McpServerOptions, Principal};
use server::{BodyArrives, BodyLimit, Caller, Extension, Program, ServerLimits};
use store::Store;

use crate::commands::mcp::not_opened;
use crate::config::Config;
use crate::exit::Failure;

/// Mounts MCP on the engine of the page. Clients that cannot ask a person get the address of the
/// page. They are offered the prompts and resources of the project too.
pub(super) async fn open(
    engine: Engine,
    store: Arc<dyn Store>,
    page: &str,
    project: PathBuf,
    limits: &ServerLimits,
) -> Result<(McpServer, Extension), Failure> {
    let page = Some(format!("{page}#approvals"));
    let options = McpServerOptions { page, project: Some(project), ..McpServerOptions::machine() };
    let door = McpServer::open(engine, store, options).await.map_err(not_opened)?;
    let service = inner_router(door.clone()).layer(from_fn(as_principal));
    let body_limit = BodyLimit {
        arrives: BodyArrives::Whole,
        path: "/mcp",
        bytes_max: limits.body_bytes_max.saturating_mul(2),
        time_max: limits.body_time_max,
    };
    let extension = Extension {
        router: Router::new().nest_service("/mcp", service),
        body_limits: vec![body_limit],
        ..Extension::default()
    };
    Ok((door, extension))
}

/// Turns the authenticated caller into the MCP principal.
async fn as_principal(mut request: Request, next: Next) -> Response {
    request.extensions_mut().remove::<Principal>();
    if let Some(caller) = request.extensions().get::<Caller>().cloned() {
        let approvals = match caller.asks_a_person() {
            true => Approvals::AtClient,
            false => Approvals::Elsewhere,
        };
        let Caller { name, owner, tools, .. } = caller;
        request.extensions_mut().insert(Principal { name, client: owner, tools, approvals });
    }
    next.run(request).await
}

/// The sections `[mcp_tokens.NAME]`: programs with their own tokens and tools.
pub(super) fn programs(config: &Config) -> Result<Vec<Program>, Failure> {
    #[expect(clippy::disallowed_methods, reason = "secrets are read here")]
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let known = config.tokens.iter().map(|(name, text)| {
        let (secret, principal) = text.resolve(name, &variable)?;
        let Principal { name, client, tools, approvals } = principal;
        let asks_a_person = approvals == Approvals::AtClient;
        Ok(Program { name, owner: client, secret, tools, asks_a_person })
    });
    known.collect()
}
