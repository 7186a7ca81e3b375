//! Checks request bodies against the providers' own Python types.
//!
//! In: lines of `{wire, body}`, as [`fake_providers::FakeProvider::bodies`] gives them. Out: a
//! [`Verdict`]. The SDKs are the set `model-sdks` of [`crate::packages`].

#[cfg(test)]
mod tests;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Output, Stdio};

use crate::packages;
use crate::quiet::quiet;

/// The result of checking some bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All fit; the table says how many.
    Fit(String),
    /// Some do not; the table, then what is wrong with which line.
    Misfit(String),
}

/// Asks the types of `anthropic`, `openai` and `google-genai`, with unknown fields forbidden.
#[track_caller]
pub fn check_bodies(lines: &str) -> Verdict {
    let python = packages::python("model-sdks");
    match run(&python, lines) {
        Ok(output) if output.status.success() => Verdict::Fit(text(&output)),
        Ok(output) => Verdict::Misfit(text(&output)),
        Err(error) => Verdict::Misfit(format!("{} cannot be run: {error}", python.display())),
    }
}

fn run(python: &Path, lines: &str) -> io::Result<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/check_bodies.py");
    let mut command = quiet(python);
    command.arg(script);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // The script reads all input before it writes.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(lines.as_bytes())?;
    }
    child.wait_with_output()
}

fn text(output: &Output) -> String {
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    [of(&output.stdout), of(&output.stderr)].join("\n").trim().to_owned()
}
