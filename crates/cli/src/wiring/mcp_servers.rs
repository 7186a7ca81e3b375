//! Adds the approved tools of MCP servers to the registry.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use engine::Hosts;
use hosts::sandbox::SandboxPolicy;
use mcp::client::{
    DefinitionChange, Endpoint, MCP_LOCK_FILE, McpHost, McpLock, ServerConfig, import_tools,
    load_seen,
};
use registry::{Registry, Tool};

use crate::config::{Config, McpServerText};
use crate::exit::Failure;

/// The folder of definitions that differ from the approved ones.
pub(crate) fn seen_folder() -> PathBuf {
    crate::config::project::root().join(".ghosthand").join("mcp")
}

/// The file of approved definitions.
pub(crate) fn pin_file() -> PathBuf {
    crate::config::project::root().join(MCP_LOCK_FILE)
}

pub(crate) fn load_pins() -> Result<McpLock, Failure> {
    McpLock::load(&pin_file())
        .map_err(|fault| Failure::user(fault, "restore it, or import the servers again"))
}

/// The changes of a server since its approval, as last seen.
pub(crate) fn held_back(pins: &McpLock, server: &str) -> Vec<DefinitionChange> {
    let Some(now) = load_seen(&seen_folder(), server) else { return Vec::new() };
    let mut shifts = pins.changes(server, &now);
    // Tools that were never approved do not count as changed.
    shifts.retain(|shift| pins.get(server, &shift.tool).is_some());
    shifts
}

/// Resolves a configured server.
pub(crate) fn resolve(config: &Config, name: &str) -> Result<ServerConfig, Failure> {
    let text = config.mcp_servers.get(name).ok_or_else(|| {
        let near = contract::nearest(name, config.mcp_servers.keys().map(String::as_str));
        let fix = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add `[mcp.{name}]` to ghosthand.toml; see docs/guide/mcp.md"),
        };
        Failure::message(format!("there is no MCP server `{name}` in ghosthand.toml"), fix)
    })?;
    resolve_text(config, name, text)
}

/// Resolves a server for this project, with the sandbox of the settings.
pub(crate) fn resolve_text(
    config: &Config,
    name: &str,
    text: &McpServerText,
) -> Result<ServerConfig, Failure> {
    #[expect(clippy::disallowed_methods, reason = "settings are read here")]
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let folder = std::env::current_dir()?.join(crate::config::project::root());
    let folder = folder.canonicalize().unwrap_or(folder);
    let mut server_config = text.resolve(name, &folder, &variable)?;
    if let Endpoint::Program(server) = &mut server_config.endpoint {
        if let Some(store) = config.path("store.file") {
            server.private.push(folder.join(store));
        }
        if server.sandbox == SandboxPolicy::Required {
            server.sandbox = config.sandbox();
        }
    }
    Ok(server_config)
}

/// The approved tools of all servers.
pub(crate) fn imported(config: &Config) -> Result<Vec<Tool>, Failure> {
    if config.mcp_servers.is_empty() {
        return Ok(Vec::new());
    }
    let pins = load_pins()?;
    let of = |server_config: ServerConfig| {
        import_tools(&server_config, pins.of(server_config.name.as_str()), &pins).tools
    };
    Ok(resolvable(config).into_iter().flat_map(of).collect())
}

/// The configured servers. A faulty one is reported and skipped.
fn resolvable(config: &Config) -> Vec<ServerConfig> {
    let resolved = config.mcp_servers.keys().map(|name| resolve(config, name));
    resolved.filter_map(|found| found.inspect_err(|fault| say(&fault.to_string())).ok()).collect()
}

/// Adds the approved tools of all servers to the registry, and a host that runs them.
pub(crate) fn join(
    config: &Config,
    registry: Registry,
    hosts: &mut Hosts,
) -> Result<Registry, Failure> {
    if config.mcp_servers.is_empty() {
        return Ok(registry);
    }
    let otherwise = Arc::clone(&hosts.native);
    let mcp_host = McpHost::new(resolvable(config), load_pins()?, seen_folder(), otherwise);
    let adopted = mcp_host.tools();
    adopted.notes.iter().for_each(|note| say(note));
    for tool in &adopted.tools {
        let id = tool.contract.tool_id.as_str();
        if registry.get(id).is_some() {
            say(&format!("`{id}` is already a local tool; the one of the server is left out"));
        }
    }
    hosts.native = Arc::new(mcp_host);
    Ok(registry.with(adopted.tools))
}

fn say(line: &str) {
    // A closed terminal does not stop the other tools.
    let _ = writeln!(std::io::stderr(), "mcp: {line}");
}
