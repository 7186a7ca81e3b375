//! Runs AG-UI's own client.
//!
//! In: the address of a server, and the user's message. Out: the client's view of the run; it
//! checks the order and the fields of every event. The client is the set `agui` of
//! [`crate::packages`].

use std::path::Path;
use std::process::Stdio;

use crate::packages;
use crate::quiet::quiet;

const SCRIPT: &str = "agui.mjs";

/// The result of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// A line of JSON: `runs` with the types of their events, `messages`, `state`.
    Through(String),
    /// The client refused something, or the server did.
    Broken(String),
}

/// Runs the client; blocks the thread.
#[track_caller]
pub fn run_client(url: &str, text: &str) -> Ran {
    let folder = packages::folder("agui");
    // Node finds packages beside the script, so the script goes to the packages.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("node").join(SCRIPT);
    if let Err(error) = std::fs::copy(&script, folder.join(SCRIPT)) {
        return Ran::Broken(format!("{} cannot be copied: {error}", script.display()));
    }
    let mut node = quiet(packages::node());
    node.current_dir(folder).args([SCRIPT, url, text]);
    match node.stdout(Stdio::piped()).stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() => {
            Ran::Through(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => Ran::Broken(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Ran::Broken(format!("node cannot be run: {error}")),
    }
}
