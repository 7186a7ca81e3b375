//! Repository tasks: `cargo xtask map|tidy|goldens|smoke|chaos|bfcl|suite`.

mod bfcl;
mod chaos;
mod dialects;
mod goldens;
mod map;
mod schema_suite;
mod smoke;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const HELP: &str = "cargo xtask map      rewrite the generated parts of the documents
cargo xtask tidy     check the rules of the repository
cargo xtask goldens  rewrite the expected reports, then look at `git diff`
cargo xtask smoke    start `make run`, use it over HTTP, stop it
cargo xtask chaos [cluster] [--kills N] [--seed N] [--minutes N] [--program FILE]
                     kill a server with writes and chats in flight, and check what is left;
                     cluster: three servers on PostgreSQL with a standby, and further faults
cargo xtask bfcl [N] run the calls of BFCL, or each Nth, through the dialect compiler
cargo xtask suite D  run the JSON Schema test suite in D through the dialect compiler";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a repository task prints to the terminal")]
            {
                eprintln!("error: {error:#}");
            }
            ExitCode::from(1)
        }
    }
}

fn run() -> Result<()> {
    let root = root()?;
    match std::env::args().nth(1).as_deref() {
        Some("map") => map::write(&root),
        Some("tidy") => tidy::check(&root),
        Some("goldens") => goldens::rewrite(&root),
        Some("smoke") => smoke::run(&root),
        Some("chaos") => {
            let words: Vec<String> = std::env::args().skip(2).collect();
            chaos::run(&root, &words)
        }
        Some("bfcl") => {
            let step = std::env::args().nth(2).map_or(Ok(1), |step| step.parse());
            bfcl::run(&root, step.context("N is a number")?)
        }
        Some("suite") => {
            let dir = std::env::args().nth(2).context("name the directory of one draft's tests")?;
            schema_suite::run(Path::new(&dir))
        }
        _ => bail!("which task?\n{HELP}"),
    }
}

/// The directory of the workspace, two above this crate.
fn root() -> Result<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().and_then(|crates| crates.parent());
    root.map(PathBuf::from).context("the workspace has moved since this was built")
}
