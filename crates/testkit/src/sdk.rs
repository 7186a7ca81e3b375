//! Request bodies against the providers' own Python types, where those can be installed.
//!
//! In: lines of `{wire, body}`, as [`crate::provider::FakeProvider::bodies`] gives them. Out: a
//! [`Verdict`]. The SDKs live below `target`, installed once at pinned versions; where that
//! fails, the check is skipped and says so in one line.

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::quiet::quiet;

/// The versions whose types the check was written against.
const PACKAGES: [&str; 3] = ["anthropic==2.8.*", "openai==3.49.*", "google-genai==3.1.*"];

/// What the SDKs' types say about some bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All fit; the table says how many.
    Fit(String),
    /// Some do not; the table, then what is wrong with which line.
    Misfit(String),
    /// Nobody was asked.
    Skipped(String),
}

/// Asks the types of `anthropic`, `openai` and `google-genai`, with unknown fields forbidden.
pub fn check_bodies(lines: &str) -> Verdict {
    let python = match install() {
        Ok(python) => python,
        Err(why) => {
            let skipped = format!("bodies were not held against the SDKs' types: {why}");
            tell(&skipped);
            return Verdict::Skipped(skipped);
        }
    };
    match run(&python, lines) {
        Ok(output) if output.status.success() => Verdict::Fit(text(&output)),
        Ok(output) => Verdict::Misfit(text(&output)),
        Err(error) => Verdict::Misfit(format!("{} cannot be run: {error}", python.display())),
    }
}

#[expect(clippy::print_stderr, reason = "a skipped check must be seen in the test's output")]
fn tell(line: &str) {
    eprintln!("{line}");
}

/// The interpreter that has the packages. One process installs, the others wait for it.
fn install() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/sdk");
    let said = |error: io::Error| format!("{}: {error}", root.display());
    fs::create_dir_all(&root).map_err(said)?;
    let lock = File::create(root.join("lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    let (venv, stamp) = (root.join("venv"), root.join("installed"));
    let python = venv.join("bin/python3");
    let wanted = PACKAGES.join(" ");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && python.exists() {
        return Ok(python);
    }
    succeed(quiet("python3").args(["-m", "venv"]).arg(&venv), "`python3 -m venv` failed")?;
    let mut pip = quiet(venv.join("bin/pip"));
    pip.args(["install", "--quiet", "--no-compile", "--retries", "1", "--timeout", "10"]);
    succeed(pip.args(PACKAGES), "`pip install` of the SDKs failed")?;
    fs::write(&stamp, wanted).map_err(said)?;
    Ok(python)
}

fn succeed(command: &mut Command, otherwise: &str) -> Result<(), String> {
    let done = command.status().is_ok_and(|status| status.success());
    if done { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn run(python: &Path, lines: &str) -> io::Result<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/check_bodies.py");
    let mut command = quiet(python);
    command.arg(script);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // The script reads all of it before it writes anything.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(lines.as_bytes())?;
    }
    child.wait_with_output()
}

fn text(output: &Output) -> String {
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    [of(&output.stdout), of(&output.stderr)].join("\n").trim().to_owned()
}
