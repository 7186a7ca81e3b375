//! MCP servers that are added on the page, beside those of the settings files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Engine, Hosts};
use mcp::client::{Endpoint, Grant, LoginState, McpLock, ServerProgram, import_tools};
use mcp_web::{
    AddedHost, AddedServers, AddedServersSetup, CommandLine, ConfiguredServer, ConfiguredServers,
    McpWeb, ResolveCommand, ServerSet, ToolLine,
};
use policy::BoxFuture;
use server::{Extension, LOCAL};

use super::open_providers::sealer;
use crate::config::{Config, McpServerText};
use crate::exit::Failure;
use crate::wiring::engine_setup::WrapHosts;
use crate::wiring::mcp_servers::{held_back, load_pins, resolve, resolve_text};

/// The set of added servers, and what puts their host before the others.
pub(super) fn host() -> (ServerSet, WrapHosts<'static>) {
    let set = ServerSet::default();
    let servers = set.clone();
    let wrap = move |hosts: Hosts| {
        let fallback = hosts.native;
        Hosts { native: Arc::new(AddedHost { servers, fallback }), ..hosts }
    };
    (set, Box::new(wrap))
}

/// Loads the added servers and offers their accepted tools.
pub(super) async fn open(
    engine: &Engine,
    config: &Config,
    store_file: &Path,
    set: ServerSet,
    operator: Option<&str>,
) -> Result<Extension, Failure> {
    let setup = AddedServersSetup {
        engine: engine.clone(),
        store: engine.shared_store(),
        sealer: sealer(store_file)?,
        set,
        commands: commands(config),
        configured: config.mcp_servers.keys().cloned().collect(),
        operator: operator.unwrap_or(LOCAL).to_owned(),
    };
    let opened = AddedServers::open(setup).await;
    let servers = opened.map_err(|fault| {
        let fix = fault.fix();
        Failure::user(fault, fix)
    })?;
    let configured = Arc::new(Configured(config.clone()));
    let operator = operator.map(str::to_owned);
    Ok(McpWeb { servers, configured, operator }.extension())
}

/// Starts commands of the page as those of the settings, always in the sandbox. Without the
/// setting, a login of the page must not be enough to start programs here.
fn commands(config: &Config) -> Option<Arc<ResolveCommand>> {
    if config.get("serve.mcp_commands") != Some("sandbox") {
        return None;
    }
    let config = config.clone();
    Some(Arc::new(move |command: &CommandLine| program(&config, command)))
}

fn program(config: &Config, command: &CommandLine) -> Result<ServerProgram, String> {
    let CommandLine { program, args, network, read, write } = command.clone();
    let paths = |paths: Vec<String>| paths.into_iter().map(PathBuf::from).collect();
    let text = McpServerText {
        command: Some(program.into()),
        args,
        network,
        read: paths(read),
        write: paths(write),
        ..McpServerText::default()
    };
    // The name is only for messages; no variable of ours is filled in.
    let resolved = resolve_text(config, "page", &text).map_err(|fault| fault.to_string())?;
    match resolved.endpoint {
        Endpoint::Program(program) => Ok(program),
        Endpoint::Http { .. } => Err("it is not a command".to_owned()),
    }
}

/// The servers of the settings files.
struct Configured(Config);

impl ConfiguredServers for Configured {
    fn list(&self) -> BoxFuture<'_, Vec<ConfiguredServer>> {
        Box::pin(async {
            let pins = load_pins();
            let mut found = Vec::new();
            for name in self.0.mcp_servers.keys() {
                let one = match &pins {
                    Ok(pins) => self.one(name, pins).await,
                    Err(fault) => Err(fault.to_string()),
                };
                found.push(one.unwrap_or_else(|fault| broken(name, fault)));
            }
            found
        })
    }
}

impl Configured {
    async fn one(&self, name: &str, pins: &McpLock) -> Result<ConfiguredServer, String> {
        let server = resolve(&self.0, name).map_err(|fault| fault.to_string())?;
        let needs_login = match &server.endpoint {
            Endpoint::Http { oauth: Some(oauth), .. } if oauth.grant == Grant::Person => {
                oauth.store.state().await == LoginState::Needed
            }
            Endpoint::Http { .. } | Endpoint::Program(_) => false,
        };
        let tools = import_tools(&server, pins.of(name), pins).tools;
        Ok(ConfiguredServer {
            name: name.to_owned(),
            place: server.shown_place(),
            is_command: matches!(server.endpoint, Endpoint::Program(_)),
            tools: tools.iter().map(ToolLine::of).collect(),
            needs_login,
            held_back: held_back(pins, name).len(),
            fault: None,
        })
    }
}

fn broken(name: &str, fault: String) -> ConfiguredServer {
    ConfiguredServer {
        name: name.to_owned(),
        place: String::new(),
        is_command: false,
        tools: Vec::new(),
        needs_login: false,
        held_back: 0,
        fault: Some(fault),
    }
}
