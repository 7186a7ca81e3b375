//! `ghosthand mcp serve`: the tools for an MCP client, by pipe or over HTTP.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use axum::Router;
use clap::Args;
use contract::Digest;
use mcp::serve::http::{HttpOptions, router};
use mcp::serve::{Approvals, Door, DoorFault, DoorOptions, Offer, Principal, serve_stdio};
use server::{ServerLimits, serve_router};
use tokio::net::TcpListener;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::{EngineArgs, project_of};
use crate::wiring::listen::parse_address;
use crate::wiring::local_token::LocalToken;
use crate::wiring::runtime::on_runtime;
use crate::wiring::watch_tools::Watched;

/// Offer the tools to an MCP client
///
/// On standard input and output, unless an address is given. Calls pass the same policy,
/// approvals and ledger as everywhere else.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Serve HTTP at this address instead, as in `127.0.0.1:7300`; the path is `/mcp`
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// A name under which the address is reached, beside this machine's own
    #[arg(long, value_name = "NAME", requires = "listen")]
    host: Vec<String>,
    /// A page that may call, beside those of this machine, as in `https://app.example:443`
    #[arg(long, value_name = "ORIGIN", requires = "listen")]
    origin: Vec<String>,
    /// Ask nobody for a token: every program and every user of this machine may then call the
    /// tools. Only at this machine's own address
    #[arg(long, requires = "listen")]
    no_token: bool,
    /// The project's folder: `ghosthand.toml`, `tools` and the store are looked for there
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Offer three tools that find, describe and call the others, to keep a model's context small
    #[arg(long)]
    facade: bool,
    /// Never ask in the client: a person agrees in the terminal or on the page
    #[arg(long)]
    ask_here: bool,
    #[command(flatten)]
    desk: EngineArgs,
}

impl ServeArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            if let Some(project) = &self.project {
                let shown = || format!("`{}` cannot be entered", project.display());
                std::env::set_current_dir(project).with_context(shown)?;
            }
            let config = Config::load()?;
            let (desk, store, _) = self.desk.open_inbox(&config)?;
            let approvals = if self.ask_here { Approvals::Elsewhere } else { Approvals::AtClient };
            let offer = if self.facade { Offer::Facade } else { Offer::EveryTool };
            let tools = self.desk.tools_dir(&config);
            let project = Some(project_of(&tools)?);
            let options = DoorOptions { approvals, offer, project, ..DoorOptions::machine() };
            let door = Door::open(desk.clone(), store, options).await.map_err(not_opened)?;
            if self.listen.is_none() && std::io::stdin().is_terminal() {
                printer.say("waiting for an MCP client on standard input; Ctrl-C ends it")?;
                printer.say("`ghosthand mcp install HOST` makes a host start it")?;
            }
            let listener = match self.listen {
                None => None,
                Some(address) => {
                    let (hosts, origins) = (self.host.clone(), self.origin.clone());
                    let (tokens, own) = self.tokens(&config)?;
                    let options = HttpOptions { tokens, hosts, origins };
                    let listener = bind(address, &options, printer).await?;
                    if let Some(LocalToken { file, .. }) = own {
                        let file = file.display();
                        printer.say(format!(
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
            tokio::select! {
                served = serve => served?,
                fault = Watched::new(tools, &config).keep_fresh(&desk, printer) => return Err(fault.into()),
            }
            door.rest().await;
            Ok(ExitStatus::Success)
        })
    }

    /// The tokens of the settings; without any, this machine's own one, unless nobody is to be
    /// asked. Nobody knows who sits at a client with that one, so nobody is asked there.
    fn tokens(
        &self,
        config: &Config,
    ) -> Result<(BTreeMap<Digest, Principal>, Option<LocalToken>), Failure> {
        let named = tokens(config)?;
        if !named.is_empty() || self.no_token {
            return Ok((named, None));
        }
        let own = LocalToken::beside(&self.desk.store_file(config), "mcp-token")?;
        let digest = Digest::of(own.token.secret().as_bytes());
        Ok(([(digest, Principal::nobody_known())].into(), Some(own)))
    }
}

/// Why a door stays shut, and what to do.
pub(in crate::commands) fn not_opened(fault: DoorFault) -> Failure {
    let fix = match fault {
        DoorFault::Library(_) => "correct them; `ghosthand check` says the same",
        DoorFault::Key(_) | DoorFault::Store(_) | DoorFault::Transport(_) => "look at the store",
    };
    Failure::user(fault, fix)
}

async fn bind(
    address: SocketAddr,
    options: &HttpOptions,
    printer: &mut Printer,
) -> Result<TcpListener, Failure> {
    if !address.ip().is_loopback() && options.tokens.is_empty() {
        let what = format!("{address} can be reached from other machines, and there is no token");
        let fix = "leave --no-token out, or listen at 127.0.0.1";
        return Err(Failure::message(what, fix));
    }
    let listener = crate::wiring::listen::bind(address).await?;
    printer.say(format!("MCP at http://{}/mcp", server::reachable(listener.local_addr()?)))?;
    Ok(listener)
}

async fn listen(door: Door, listener: TcpListener, options: HttpOptions) {
    let app = Router::new().nest_service("/mcp", router(door, options));
    serve_router(listener, app, ServerLimits::machine(), interrupted()).await;
}

/// Who may come in, by the digests of their tokens.
fn tokens(config: &Config) -> Result<BTreeMap<Digest, Principal>, Failure> {
    #[expect(clippy::disallowed_methods, reason = "this is the edge where secrets come in")]
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let known = config.tokens.iter().map(|(name, text)| {
        let (token, principal) = text.resolve(name, &variable)?;
        Ok((Digest::of(token.as_bytes()), principal))
    });
    known.collect()
}

async fn interrupted() {
    // Without signals it ends when its client does.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
