//! `cargo xtask chaos`: builds the program, then kills its server with writes and chats in flight.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use testkit::chaos::{self, Plan};

const KILLS: u32 = 300;

/// Prints the table; any finding is an error.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let (plan, program) = plan(words)?;
    let program = program.map_or_else(|| build(root), Ok)?;
    let folder = root.join(format!("target/chaos-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let report = chaos::run(&program, &folder, &plan)
        .with_context(|| format!("the trial is in {}", folder.display()))?;
    say(&format!("{report}"));
    if report.findings.is_empty() {
        fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    for finding in &report.findings {
        say(finding);
    }
    bail!("{} findings; what was left is in {}", report.findings.len(), folder.display())
}

/// `[--kills N] [--seed N] [--program FILE]`
fn plan(words: &[String]) -> Result<(Plan, Option<PathBuf>)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let (mut kills, mut seed, mut program) = (KILLS, now, None);
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("`{}` wants a value", pair.concat()) };
        match name.as_str() {
            "--kills" => kills = value.parse().context("--kills is a number")?,
            "--seed" => seed = value.parse().context("--seed is a number")?,
            "--program" => program = Some(fs::canonicalize(value).context("--program is a file")?),
            _ => bail!("`{name}` is none of --kills, --seed and --program"),
        }
    }
    Ok((Plan::new(kills, seed), program))
}

/// As `make run` builds it.
fn build(root: &Path) -> Result<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "it is what a person types")]
    let mut cargo = Command::new("cargo");
    // What cargo says of this task itself would make it build others anew.
    let own = std::env::vars_os().map(|(name, _)| name);
    for name in own.filter(|name| {
        name.to_string_lossy().starts_with("CARGO_MANIFEST_")
            || name.to_string_lossy().starts_with("CARGO_PKG_")
    }) {
        cargo.env_remove(name);
    }
    let built = cargo.args(["build", "--quiet", "-p", "cli"]).current_dir(root);
    ensure!(built.status().context("`cargo` cannot be started")?.success(), "it does not build");
    let program = root.join("target/debug/ghosthand");
    ensure!(program.is_file(), "there is no {}", program.display());
    Ok(program)
}

#[expect(clippy::print_stdout, reason = "a tool of the workshop prints what it found")]
fn say(line: &str) {
    println!("{line}");
}
