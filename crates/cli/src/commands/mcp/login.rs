//! `ghosthand mcp login`: logs in to a server with OAuth.

use std::io::{BufRead, IsTerminal};
use std::process::Stdio;
use std::time::Duration;

use clap::Args;
use mcp::client::{Endpoint, Grant, Login, LoginFault, Redirect, ServerConfig};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::mcp_servers::{load_pins, resolve};
use crate::wiring::runtime::on_runtime;

/// Log in to a server
///
/// Opens the browser, waits for you to authorize there, and stores the tokens in a file that only
/// you can read. If the browser runs on another machine, paste the URL it was redirected to.
#[derive(Args)]
pub(super) struct LoginArgs {
    /// The server's name in ghosthand.toml
    server: String,
    /// Print the link instead of opening a browser
    #[arg(long)]
    no_browser: bool,
}

/// How long to wait for the person.
const PERSON_MAX: Duration = Duration::from_secs(600);

impl LoginArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let server_config = resolve(&Config::load()?, &self.server)?;
        let done = on_runtime(async { Ok(self.log_in(&server_config, printer).await) })?;
        done.map_err(|fault| {
            let fix = match &fault {
                LoginFault::NoPkce => "ask the operator of the server to fix this",
                LoginFault::Unreachable(_) => "check that the server is running, and its `url`",
                LoginFault::NotConfigured
                | LoginFault::NoneOffered
                | LoginFault::NotRegistered(_)
                | LoginFault::Refused(_)
                | LoginFault::Failed(_) => "see docs/guide/mcp.md for the settings of a login",
            };
            let what =
                anyhow::Error::new(fault).context(format!("the MCP server `{}`", self.server));
            Failure::user(what, fix)
        })?;
        printer.message(format!("logged in to `{}`", self.server))?;
        if load_pins()?.of(&self.server).next().is_none() {
            printer.message(format!("next: `ghosthand mcp import {}`", self.server))?;
        }
        Ok(ExitStatus::Success)
    }

    async fn log_in(
        &self,
        server_config: &ServerConfig,
        printer: &mut Printer,
    ) -> Result<(), LoginFault> {
        match Login::grant(server_config)? {
            Grant::Program => Login::with_client_credentials(server_config).await,
            Grant::Person => self.ask_person(server_config, printer).await,
        }
    }

    async fn ask_person(
        &self,
        server_config: &ServerConfig,
        printer: &mut Printer,
    ) -> Result<(), LoginFault> {
        let failed = |error: std::io::Error| LoginFault::Failed(error.to_string());
        let port = match &server_config.endpoint {
            Endpoint::Http { oauth, .. } => oauth.as_ref().and_then(|oauth| oauth.redirect_port),
            Endpoint::Program(_) => None,
        };
        let redirect = Redirect::listen(port).await.map_err(failed)?;
        let login = Login::begin(server_config, redirect.address()).await?;
        let say = match std::io::stdin().is_terminal() {
            true => "authorize here; if the browser runs elsewhere, paste the address it ends at:",
            false => "authorize here:",
        };
        printer.message(say).map_err(failed)?;
        printer.data(login.link()).map_err(failed)?;
        if !self.no_browser && !open_browser(login.link()) {
            printer.message("cannot open a browser; open the link yourself").map_err(failed)?;
        }
        let state = login.state().unwrap_or_default();
        let came_back = async {
            tokio::select! {
                answer = redirect.wait(state) => answer,
                answer = pasted() => answer,
            }
        };
        let late = || LoginFault::Failed("not authorized within 10 minutes".to_owned());
        let came_back = tokio::time::timeout(PERSON_MAX, came_back).await.map_err(|_| late())?;
        login.finish(&came_back.map_err(failed)?).await
    }
}

/// The pasted address, if the browser cannot reach us.
async fn pasted() -> std::io::Result<String> {
    let (sender, line) = tokio::sync::oneshot::channel();
    if std::io::stdin().is_terminal() {
        // In a thread: a terminal read cannot be cancelled.
        std::thread::spawn(move || {
            let mut line = String::new();
            if std::io::stdin().lock().read_line(&mut line).is_ok_and(|read| read > 0) {
                let _ = sender.send(line.trim().to_owned());
            }
        });
    }
    match line.await {
        Ok(line) => Ok(line),
        Err(_) => std::future::pending().await,
    }
}

/// Opens a link in the browser; returns whether that started.
fn open_browser(link: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    #[expect(
        clippy::disallowed_methods,
        reason = "it is the user's own browser, and is left to it"
    )]
    let mut command = std::process::Command::new(program);
    command.arg(link);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
