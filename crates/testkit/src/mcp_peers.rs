//! Programs that nobody here wrote: MCP servers, clients and the conformance suite, and a
//! judge of OpenAPI documents, where they can be installed.
//!
//! They live below `target`, installed once at pinned versions; where that fails, whoever
//! needs them is told, and skips in one line.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::quiet::quiet;

const NODE_PACKAGES: [&str; 8] = [
    "node@22.23.3",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "zod@4",
];
const PYTHON_PACKAGES: [&str; 4] =
    ["mcp==2.3.0", "mcp-server-time", "mcp-server-git", "openapi-spec-validator==0.9.0"];

/// The folder with `node_modules`, or why there is none.
pub fn node() -> Result<PathBuf, String> {
    let root = folder("node")?;
    let _lock = locked(&root)?;
    let wanted = NODE_PACKAGES.join(" ");
    let program = root.join("node_modules/node/bin/node");
    if is_installed(&root, &wanted) && program.exists() {
        return Ok(root);
    }
    fs::write(root.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")
        .map_err(|error| error.to_string())?;
    let mut npm = quiet("npm");
    npm.current_dir(&root).args(["install", "--no-audit", "--no-fund", "--fetch-retries=1"]);
    succeed(npm.args(NODE_PACKAGES), "`npm install` of the MCP packages failed")?;
    if !program.exists() {
        return Err("npm gave no Node 22".to_owned());
    }
    stamp(&root, &wanted)
}

/// The folder of a Python environment, or why there is none.
pub fn python() -> Result<PathBuf, String> {
    let root = folder("python")?;
    let _lock = locked(&root)?;
    let wanted = PYTHON_PACKAGES.join(" ");
    if is_installed(&root, &wanted) && root.join("venv/bin/mcp-server-time").exists() {
        return Ok(root);
    }
    let venv = root.join("venv");
    succeed(quiet("python3").args(["-m", "venv"]).arg(&venv), "`python3 -m venv` failed")?;
    // Not `bin/pip`: in a folder that was copied, that one installs into the folder it came from.
    let mut pip = quiet(venv.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "10"]);
    succeed(pip.args(PYTHON_PACKAGES), "`pip install` of the MCP packages failed")?;
    stamp(&root, &wanted)
}

fn folder(name: &str) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp").join(name);
    fs::create_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))
}

/// One process installs, the others wait for it.
fn locked(root: &Path) -> Result<File, String> {
    let lock = File::create(root.join("lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    Ok(lock)
}

fn is_installed(root: &Path, wanted: &str) -> bool {
    fs::read_to_string(root.join("installed")).is_ok_and(|found| found == wanted)
}

fn stamp(root: &Path, wanted: &str) -> Result<PathBuf, String> {
    fs::write(root.join("installed"), wanted).map_err(|error| error.to_string())?;
    Ok(root.to_owned())
}

fn succeed(command: &mut Command, otherwise: &str) -> Result<(), String> {
    let done = command.status().is_ok_and(|status| status.success());
    if done { Ok(()) } else { Err(otherwise.to_owned()) }
}
