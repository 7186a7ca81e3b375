//! A run against AG-UI's own client, where that can be installed.
//!
//! In: the address of a server, and what the user says. Out: what the client made of the
//! run; it checks the order and the fields of every event. The package lives below
//! `target`, installed once at a pinned version; where that fails, the check is skipped and
//! says so in one line.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::quiet::quiet;

const PACKAGE: &str = "@ag-ui/client@1.0.0";
const SCRIPT: &str = "agui.mjs";

/// What the client says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// A line of JSON: `runs` with the types of their events, `messages`, `state`.
    Through(String),
    /// The client refused something, or the server did.
    Broken(String),
    /// Nobody was asked.
    Skipped(String),
}

/// Runs the client; it waits for the server, so this blocks its thread.
pub fn run_client(url: &str, text: &str) -> Ran {
    let folder = match install() {
        Ok(folder) => folder,
        Err(why) => {
            let skipped = format!("no AG-UI client was run: {why}");
            tell(&skipped);
            return Ran::Skipped(skipped);
        }
    };
    let mut node = quiet("node");
    node.current_dir(folder).args([SCRIPT, url, text]);
    match node.stdout(Stdio::piped()).stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() => {
            Ran::Through(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => Ran::Broken(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Ran::Broken(format!("node cannot be run: {error}")),
    }
}

#[expect(clippy::print_stderr, reason = "a skipped check must be seen in the test's output")]
fn tell(line: &str) {
    eprintln!("{line}");
}

/// The folder that has the package. One process installs, the others wait for it.
fn install() -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../../target/agui");
    let said = |error: io::Error| format!("{}: {error}", root.display());
    fs::create_dir_all(&root).map_err(said)?;
    let lock = File::create(root.join("lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    fs::copy(here.join("node").join(SCRIPT), root.join(SCRIPT)).map_err(said)?;
    let stamp = root.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == PACKAGE) {
        return Ok(root);
    }
    let mut npm = quiet("npm");
    npm.current_dir(&root).args(["install", "--no-audit", "--no-fund", "--prefix", "."]);
    npm.args(["--fetch-retries", "1", "--fetch-timeout", "10000", PACKAGE]);
    let done = npm.status().is_ok_and(|status| status.success());
    if !done {
        return Err(format!("`npm install {PACKAGE}` failed"));
    }
    fs::write(&stamp, PACKAGE).map_err(said)?;
    Ok(root)
}
