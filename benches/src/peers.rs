//! The peers to compare with: installed once below `target`, if possible.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

/// The folder of the peers.
pub(crate) struct Peers {
    folder: PathBuf,
    scripts: PathBuf,
}

impl Peers {
    pub(crate) fn open() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().context("the workspace is above the benches")?;
        let peers = Peers { folder: root.join("target/peers"), scripts: here.join("peers") };
        std::fs::create_dir_all(&peers.folder)?;
        Ok(peers)
    }

    /// A Python with these packages, in an environment of this name. None if they cannot be
    /// installed; the next run tries again.
    pub(crate) fn python(&self, name: &str, packages: &[&str]) -> Option<Python> {
        let folder = self.folder.join(name);
        let (path, complete) = (folder.join("bin/python3"), folder.join("complete"));
        if !complete.exists() {
            if !path.exists() {
                succeeds(quiet("python3").args(["-m", "venv"]).arg(&folder))?;
            }
            succeeds(quiet(folder.join("bin/pip")).args(["install", "--quiet"]).args(packages))?;
            std::fs::write(complete, packages.join("\n")).ok()?;
        }
        Some(Python { path, scripts: self.scripts.clone() })
    }

    /// Node with these packages; the last one shows whether they are installed.
    pub(crate) fn node(&self, packages: &[&str]) -> Option<Node> {
        let name = |package: &&str| match package.rsplit_once('@') {
            Some((name, _version)) if !name.is_empty() => name.to_owned(),
            Some(_) | None => (*package).to_owned(),
        };
        let last = packages.last().map(name)?;
        if !self.folder.join("node_modules").join(last).exists() {
            let mut npm = quiet("npm");
            npm.args(["install", "--no-fund", "--no-audit", "--silent", "--prefix"]);
            succeeds(npm.arg(&self.folder).args(packages))?;
        }
        Some(Node { folder: self.folder.clone(), scripts: self.scripts.clone() })
    }

    pub(crate) fn script(&self, name: &str) -> PathBuf {
        self.scripts.join(name)
    }
}

/// A Python with packages.
pub(crate) struct Python {
    path: PathBuf,
    scripts: PathBuf,
}

impl Python {
    /// A script of ours, ready to be started.
    pub(crate) fn script(&self, name: &str) -> Command {
        let mut command = quiet(&self.path);
        command.arg(self.scripts.join(name));
        command
    }

    /// Runs a script of ours that prints seconds.
    pub(crate) fn seconds(&self, script: &str, argument: &Path) -> Option<Duration> {
        seconds(self.script(script).arg(argument))
    }
}

/// Node with packages.
pub(crate) struct Node {
    folder: PathBuf,
    scripts: PathBuf,
}

impl Node {
    /// A script of ours, ready to be started.
    pub(crate) fn script(&self, name: &str) -> Option<Command> {
        // Node finds packages beside the script, so the script goes to the packages.
        let copy = self.folder.join(name);
        std::fs::copy(self.scripts.join(name), &copy).ok()?;
        let mut command = quiet("node");
        command.arg(copy);
        Some(command)
    }

    /// Runs a script of ours that prints seconds.
    pub(crate) fn seconds(&self, script: &str, argument: &Path) -> Option<Duration> {
        seconds(self.script(script)?.arg(argument))
    }
}

fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the peers are programs of their own")]
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn succeeds(command: &mut Command) -> Option<()> {
    command.status().ok()?.success().then_some(())
}

fn seconds(command: &mut Command) -> Option<Duration> {
    figures(command)?.first().copied().map(Duration::from_secs_f64)
}

/// The numbers that a script prints; none if it fails.
pub(crate) fn figures(command: &mut Command) -> Option<Vec<f64>> {
    let output =
        command.stdout(Stdio::piped()).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().map(|figure| figure.parse().ok()).collect()
}
