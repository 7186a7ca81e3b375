//! `cargo xtask chaos`: builds the program, then kills its server with writes and chats in flight;
//! `cargo xtask chaos cluster`: the same with three servers on PostgreSQL, and further faults.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use postgres::{PostgresConfig, PostgresOptions, PostgresStore};
use store::{BoxFuture, Store};
use testkit::chaos::cluster::{self, ClusterPlan};
use testkit::chaos::{self, Plan};

const KILLS: u32 = 300;

/// The same for several servers.
const CLUSTER_KILLS: u32 = 500;

/// Prints the table; any finding is an error.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let is_cluster = words.first().is_some_and(|word| word == "cluster");
    let options = options(words.get(usize::from(is_cluster)..).unwrap_or_default())?;
    let program = options.program.map_or_else(|| build(root), Ok)?;
    let folder = root.join(format!("target/chaos-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let place = || format!("the trial is in {}", folder.display());
    let seed = options.seed;
    let findings = match is_cluster {
        true => {
            let mut plan = ClusterPlan::new(options.kills.unwrap_or(CLUSTER_KILLS), seed);
            plan.time_max = options.time_max;
            let report = cluster::run(&program, &folder, &plan, &open).with_context(place)?;
            say(&format!("{report}"));
            report.findings
        }
        false => {
            let plan = Plan::new(options.kills.unwrap_or(KILLS), seed);
            let report = chaos::run(&program, &folder, &plan).with_context(place)?;
            say(&format!("{report}"));
            report.findings
        }
    };
    if findings.is_empty() {
        fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    for finding in &findings {
        say(finding);
    }
    bail!("{} findings; what was left is in {}", findings.len(), folder.display())
}

fn open(address: String) -> BoxFuture<'static, Result<Arc<dyn Store>, String>> {
    Box::pin(async move {
        let config: PostgresConfig = address.parse().map_err(|bad| format!("{bad}"))?;
        let store = PostgresStore::open(&config, PostgresOptions::server()).await;
        store.map(|store| Arc::new(store) as Arc<dyn Store>).map_err(|fault| fault.to_string())
    })
}

struct Options {
    kills: Option<u32>,
    seed: u64,
    program: Option<PathBuf>,
    time_max: Duration,
}

/// `[--kills N] [--seed N] [--minutes N] [--program FILE]`; the minutes are for a cluster
fn options(words: &[String]) -> Result<Options> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut options = Options { kills: None, seed, program: None, time_max: Duration::MAX };
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("`{}` wants a value", pair.concat()) };
        match name.as_str() {
            "--kills" => options.kills = Some(value.parse().context("--kills is a number")?),
            "--seed" => options.seed = value.parse().context("--seed is a number")?,
            "--program" => {
                options.program = Some(fs::canonicalize(value).context("--program is a file")?);
            }
            "--minutes" => {
                let minutes: u64 = value.parse().context("--minutes is a number")?;
                options.time_max = Duration::from_secs(minutes * 60);
            }
            _ => bail!("`{name}` is none of --kills, --seed, --minutes and --program"),
        }
    }
    Ok(options)
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
