//! Runs `uv`, or `venv` and `pip`, to install packages into a folder.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use serde::Deserialize;
use tempfile::NamedTempFile;

use super::python_lock::LockedEnvironment;
use crate::exit::Failure;

/// The package installer of this machine.
pub(crate) enum Installer {
    Uv,
    /// `venv` and `pip` of the Python in `PATH`.
    Python,
}

/// Prints the installed packages and versions as JSON.
const LIST: &str = "import importlib.metadata as m, json, platform\n\
    print(json.dumps({'python': platform.python_version(), 'packages': \
    {d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}}))";

#[derive(Deserialize)]
struct Listing {
    python: String,
    packages: BTreeMap<String, String>,
}

impl Installer {
    pub(crate) fn find() -> Self {
        let mut uv = command("uv");
        match uv.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(status) if status.success() => Installer::Uv,
            _ => Installer::Python,
        }
    }

    /// Installs into `folder`, with the locked versions if there are any.
    pub(crate) fn install(
        &self,
        folder: &Path,
        requirements: &[String],
        locked: Option<&LockedEnvironment>,
    ) -> Result<LockedEnvironment, Failure> {
        let wanted = lines(requirements.iter().cloned())?;
        let pinned = locked.into_iter().flat_map(|locked| &locked.packages);
        let pinned = lines(pinned.map(|(name, version)| format!("{name}=={version}")))?;
        let python = python_of(folder);
        let files = [
            "--requirement".into(),
            wanted.path().as_os_str().to_owned(),
            "--constraint".into(),
            pinned.path().as_os_str().to_owned(),
        ];
        let mut install = match self {
            Installer::Uv => {
                run(command("uv").args(["venv", "--quiet", "--python", "python3"]).arg(folder))?;
                let mut install = command("uv");
                install.args(["pip", "install", "--quiet", "--python"]).arg(&python);
                install
            }
            Installer::Python => {
                let mut install = pip(folder, &python)?;
                install.args(["install", "--quiet", "--no-input", "--disable-pip-version-check"]);
                install
            }
        };
        let before = list(&python)?;
        run(install.args(files))?;
        let Listing { python, mut packages } = list(&python)?;
        // A new environment contains pip itself, which is not a requirement.
        packages.retain(|name, version| before.packages.get(name) != Some(version));
        Ok(LockedEnvironment { requirements: requirements.to_vec(), python, packages })
    }
}

/// A new environment and the pip to use: the system pip if it supports `--python`, which is much
/// faster than installing pip into the environment.
fn pip(folder: &Path, python: &Path) -> Result<Command, Failure> {
    let mut probe = command("python3");
    probe.args(["-I", "-c", CAN_INSTALL_ELSEWHERE]).stderr(Stdio::null());
    let mut make = command("python3");
    make.args(["-I", "-m", "venv"]).arg(folder);
    if probe.status().is_ok_and(|status| status.success()) {
        run(make.arg("--without-pip"))?;
        let mut pip = command("python3");
        pip.args(["-I", "-m", "pip", "--python"]).arg(python);
        return Ok(pip);
    }
    run(&mut make)?;
    let mut pip = command(python);
    pip.args(["-I", "-m", "pip"]);
    Ok(pip)
}

/// pip has `--python` since 22.3.
const CAN_INSTALL_ELSEWHERE: &str = "import pip, sys\n\
    sys.exit([int(n) for n in pip.__version__.split('.')[:2]] < [22, 3])";

/// The Python of an environment.
pub(crate) fn python_of(folder: &Path) -> PathBuf {
    match cfg!(windows) {
        true => folder.join("Scripts/python.exe"),
        false => folder.join("bin/python3"),
    }
}

/// A temporary file with one item per line.
fn lines(lines: impl Iterator<Item = String>) -> Result<NamedTempFile, Failure> {
    let mut file = NamedTempFile::with_suffix(".txt")?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    Ok(file)
}

fn list(python: &Path) -> Result<Listing, Failure> {
    let output = command(python).args(["-I", "-c", LIST]).stderr(Stdio::inherit()).output()?;
    let listing = serde_json::from_slice(&output.stdout);
    Ok(listing.with_context(|| format!("`{}` does not list its packages", python.display()))?)
}

/// Runs a program; its output goes to standard error.
fn run(command: &mut Command) -> Result<(), Failure> {
    let program = Path::new(command.get_program()).display().to_string();
    let status = command.stdout(std::io::stderr()).status().map_err(|error| {
        let what = anyhow::Error::new(error).context(format!("`{program}` cannot be started"));
        Failure::user(what, "install Python 3.10 or newer, with `venv`; `uv` is used if available")
    })?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::message(
            format!("the Python packages were not installed: `{program}` ended with {status}"),
            "see its output above; the index is configured in its own settings",
        )),
    }
}

/// A command with the user's environment, without variables that add other packages.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the user asked to install packages, with their own settings"
    )]
    let mut command = Command::new(program);
    for name in ["PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_USER", "PIP_PREFIX"]
    {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}
