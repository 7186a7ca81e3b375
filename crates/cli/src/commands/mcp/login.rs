//! `ghosthand mcp login`: a person lets us use a server in their name.

use std::io::{BufRead, IsTerminal};
use std::process::Stdio;
use std::time::Duration;

use clap::Args;
use mcp::import::{Grant, Login, LoginFault, Neighbour, Reach, Redirect};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::mcp_servers::{load_pins, resolve};
use crate::wiring::runtime::on_runtime;

/// Log in to a server that wants it
///
/// Opens a link in the browser, waits until you have agreed there, and keeps the tokens in a
/// file that only you can read. Where the browser runs on another machine, paste the address
/// that it ends at.
#[derive(Args)]
pub(super) struct LoginArgs {
    /// The server's name in the settings
    server: String,
    /// Print the link and open nothing
    #[arg(long)]
    no_browser: bool,
}

/// How long a person may take.
const PERSON_MAX: Duration = Duration::from_secs(600);

impl LoginArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let neighbour = resolve(&Config::load()?, &self.server)?;
        let done = on_runtime(async { Ok(self.log_in(&neighbour, printer).await) })?;
        done.map_err(|fault| {
            let fix = match &fault {
                LoginFault::NoPkce => "only whoever runs the server can mend this",
                LoginFault::Unreachable(_) => "check that the server runs, and its `url`",
                LoginFault::NotConfigured
                | LoginFault::NoneOffered
                | LoginFault::NotRegistered(_)
                | LoginFault::Refused(_)
                | LoginFault::Failed(_) => "docs/mcp.md says what may stand in its settings",
            };
            let what =
                anyhow::Error::new(fault).context(format!("the MCP server `{}`", self.server));
            Failure::user(what, fix)
        })?;
        printer.say(format!("logged in to `{}`", self.server))?;
        if load_pins()?.of(&self.server).next().is_none() {
            printer.say(format!("next: `ghosthand mcp import {}`", self.server))?;
        }
        Ok(ExitStatus::Success)
    }

    async fn log_in(&self, neighbour: &Neighbour, printer: &mut Printer) -> Result<(), LoginFault> {
        match Login::grant(neighbour)? {
            Grant::Program => Login::by_itself(neighbour).await,
            Grant::Person => self.ask_person(neighbour, printer).await,
        }
    }

    async fn ask_person(
        &self,
        neighbour: &Neighbour,
        printer: &mut Printer,
    ) -> Result<(), LoginFault> {
        let failed = |error: std::io::Error| LoginFault::Failed(error.to_string());
        let port = match &neighbour.reach {
            Reach::Address { oauth, .. } => oauth.as_ref().and_then(|oauth| oauth.redirect_port),
            Reach::Program(_) => None,
        };
        let redirect = Redirect::listen(port).await.map_err(failed)?;
        let login = Login::begin(neighbour, redirect.address()).await?;
        let say = match std::io::stdin().is_terminal() {
            true => "agree here; if the browser runs elsewhere, paste the address that it ends at:",
            false => "agree here:",
        };
        printer.say(say).map_err(failed)?;
        printer.data(login.link()).map_err(failed)?;
        if !self.no_browser && !open_browser(login.link()) {
            printer.say("no browser could be opened; follow the link yourself").map_err(failed)?;
        }
        let state = login.state().unwrap_or_default();
        let came_back = async {
            tokio::select! {
                answer = redirect.wait(state) => answer,
                answer = pasted() => answer,
            }
        };
        let late = || LoginFault::Failed("nobody agreed within 10 minutes".to_owned());
        let came_back = tokio::time::timeout(PERSON_MAX, came_back).await.map_err(|_| late())?;
        login.finish(&came_back.map_err(failed)?).await
    }
}

/// The address that a person pastes, where the browser cannot come back by itself.
async fn pasted() -> std::io::Result<String> {
    let (sender, line) = tokio::sync::oneshot::channel();
    if std::io::stdin().is_terminal() {
        // A thread of its own: nothing can end a read from a terminal but the program's end.
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

/// Opens a link of the web. Did that begin?
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
