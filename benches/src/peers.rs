//! The neighbours we measure beside: installed once below `target`, by name, where they can be.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

/// Where the neighbours live.
pub(crate) struct Peers {
    folder: PathBuf,
    scripts: PathBuf,
}

const NODE_PACKAGES: [&str; 2] = ["ajv@8", "ajv-formats@3"];
const PYTHON_PACKAGES: [&str; 3] = ["jsonschema", "rfc3339-validator", "pydantic-ai-slim[openai]"];

impl Peers {
    /// Installs what is missing; a neighbour that cannot be had is left out of the table.
    pub(crate) fn install() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().context("the workspace is above the benches")?;
        let peers = Peers { folder: root.join("target/peers"), scripts: here.join("peers") };
        std::fs::create_dir_all(&peers.folder)?;
        if !peers.folder.join("node_modules/ajv-formats").exists() {
            let mut npm = quiet("npm");
            npm.args(["install", "--no-fund", "--no-audit", "--silent", "--prefix"]);
            let _missing = npm.arg(&peers.folder).args(NODE_PACKAGES).status();
        }
        if !peers.python_path().exists() {
            let venv = peers.folder.join("venv");
            let made = quiet("python3").args(["-m", "venv"]).arg(&venv).status();
            if made.is_ok_and(|status| status.success()) {
                let mut pip = quiet(venv.join("bin/pip"));
                let _missing = pip.args(["install", "--quiet"]).args(PYTHON_PACKAGES).status();
            }
        }
        Ok(peers)
    }

    fn python_path(&self) -> PathBuf {
        self.folder.join("venv/bin/python3")
    }

    /// Runs a script of ours with Node; it prints seconds.
    pub(crate) fn node(&self, script: &str, argument: &Path) -> Option<Duration> {
        // Node finds packages beside the script, so the script goes to the packages.
        let copy = self.folder.join(script);
        std::fs::copy(self.scripts.join(script), &copy).ok()?;
        seconds(quiet("node").arg(copy).arg(argument))
    }

    /// Runs a script of ours with Python; it prints seconds.
    pub(crate) fn python(&self, script: &str, argument: &Path) -> Option<Duration> {
        seconds(quiet(self.python_path()).arg(self.scripts.join(script)).arg(argument))
    }
}

fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the neighbours are programs of their own")]
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn seconds(command: &mut Command) -> Option<Duration> {
    let output =
        command.stdout(Stdio::piped()).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().parse().ok().map(Duration::from_secs_f64)
}
