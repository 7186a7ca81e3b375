//! `ghosthand mcp serve`: serves the tools to MCP clients, over stdio or HTTP.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use axum::Router;
use clap::Args;
use contract::Digest;
use mcp::server::http::{HttpOptions, router};
use mcp::server::{
    Approvals, McpServer, McpServerFault, McpServerOptions, Principal, ToolExposure, serve_stdio,
};
use server::{ServerLimits, serve_router};
use tokio::net::TcpListener;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::{EngineArgs, project_of};
use crate::wiring::listen::{check_open, parse_address};
use crate::wiring::local_token::LocalToken;
use crate::wiring::runtime::on_runtime;
use crate::wiring::watch_tools::ToolWatcher;

/// Serve the tools to an MCP client
///
/// Uses standard input and output, or HTTP with --listen. Calls pass the same policy, approvals
/// and ledger as everywhere else.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Listen for HTTP on this address, as in `127.0.0.1:7300`; the path is `/mcp`
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// Another host name to accept
    #[arg(long, value_name = "NAME", requires = "listen")]
    host: Vec<String>,
    /// An additional allowed origin, as in `https://app.example:443`
    #[arg(long, value_name = "ORIGIN", requires = "listen")]
    origin: Vec<String>,
    /// Serve without a token: every program and user on this machine can call the tools. Only
    /// on loopback addresses
    #[arg(long, requires = "listen")]
    no_token: bool,
    /// The project folder, with `ghosthand.toml`, `tools` and the store
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Offer three tools that find, describe and call the others, to save context
    #[arg(long)]
    facade: bool,
    /// Ask for approvals in the terminal or on the page, never in the client
    #[arg(long)]
    ask_here: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

impl ServeArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            if let Some(project) = &self.project {
                let shown = || format!("`{}` cannot be entered", project.display());
                std::env::set_current_dir(project).with_context(shown)?;
            }
            let config = Config::load()?;
            if let Some(address) = self.listen {
                check_open(address, !self.no_token || !config.tokens.is_empty())?;
            }
            let (engine, store, _) =
                self.engine.open_for_server(&config, Box::new(|hosts| hosts))?;
            let approvals = if self.ask_here { Approvals::Elsewhere } else { Approvals::AtClient };
            let exposure = if self.facade { ToolExposure::Facade } else { ToolExposure::EveryTool };
            let tools = self.engine.tools_dir(&config);
            let project = Some(project_of(&tools)?);
            let options =
                McpServerOptions { approvals, exposure, project, ..McpServerOptions::machine() };
            let door = McpServer::open(engine.clone(), store, options).await.map_err(not_opened)?;
            if self.listen.is_none() && std::io::stdin().is_terminal() {
                printer.message("waiting for an MCP client on standard input; Ctrl-C exits")?;
                printer.message("`ghosthand mcp install HOST` registers it in an MCP host")?;
            }
            let listener = match self.listen {
                None => None,
                Some(address) => {
                    let (hosts, origins) = (self.host.clone(), self.origin.clone());
                    let (tokens, own) = self.tokens(&config)?;
                    let options = HttpOptions { tokens, hosts, origins };
                    let listener = bind(address, printer).await?;
                    if let Some(LocalToken { file, .. }) = own {
                        let file = file.display();
                        printer.message(format!(
                            "clients send `Authorization: Bearer` with the token in {file}"
                        ))?;
                    }
                    Some((listener, options))
                }
            };
            let serve = async {
                match listener {
                    None => serve_stdio(door.clone(), interrupted())
                        .await
                        .map_err(|fault| Failure::user(fault, "start it from an MCP client")),
                    Some((listener, options)) => {
                        listen(door.clone(), listener, options).await;
                        Ok(())
                    }
                }
            };
            let watcher = ToolWatcher::new(tools, &config);
            tokio::select! {
                served = serve => served?,
                fault = watcher.keep_fresh(&engine, printer) => return Err(fault.into()),
            }
            door.drain().await;
            Ok(ExitStatus::Success)
        })
    }

    /// The configured tokens; without any, the local token, unless --no-token is given. It is
    /// unknown who uses a client with the local token, so approvals are not asked there.
    fn tokens(
        &self,
        config: &Config,
    ) -> Result<(BTreeMap<Digest, Principal>, Option<LocalToken>), Failure> {
        let named = tokens(config)?;
        if !named.is_empty() || self.no_token {
            return Ok((named, None));
        }
        let own = LocalToken::beside(&self.engine.store_file(config), "mcp-token")?;
        let digest = Digest::of(own.token.secret().as_bytes());
        Ok(([(digest, Principal::anonymous())].into(), Some(own)))
    }
}

/// The failure for a server that cannot start.
pub(in crate::commands) fn not_opened(fault: McpServerFault) -> Failure {
    let fix = match fault {
        McpServerFault::Library(_) => "correct them; `ghosthand check` reports them too",
        McpServerFault::Key(_) | McpServerFault::Store(_) | McpServerFault::Transport(_) => {
            "check the store with `ghosthand store check`"
        }
    };
    Failure::user(fault, fix)
}

async fn bind(address: SocketAddr, printer: &mut Printer) -> Result<TcpListener, Failure> {
    let listener = crate::wiring::listen::bind(address).await?;
    printer.message(format!("MCP at http://{}/mcp", server::reachable(listener.local_addr()?)))?;
    Ok(listener)
}

async fn listen(door: McpServer, listener: TcpListener, options: HttpOptions) {
    let app = Router::new().nest_service("/mcp", router(door, options));
    serve_router(listener, app, ServerLimits::machine(), interrupted()).await;
}

/// The principals, by the digests of their tokens.
fn tokens(config: &Config) -> Result<BTreeMap<Digest, Principal>, Failure> {
    #[expect(clippy::disallowed_methods, reason = "secrets are read here")]
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let known = config.tokens.iter().map(|(name, text)| {
        let (token, principal) = text.resolve(name, &variable)?;
        Ok((Digest::of(token.as_bytes()), principal))
    });
    known.collect()
}

async fn interrupted() {
    // Without signal support it ends with its client.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
