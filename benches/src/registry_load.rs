//! Loading a built registry of 1,000 tools.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use anyhow::{Result, ensure};
use registry::{BuildStamp, REGISTRY_FILE, Registry, read_tools};

use crate::measure::{against, best_of, ms, python, row, times};
use crate::registry_build::write_tools;

const TOOLS: usize = 1_000;
const TARGET: Duration = Duration::from_millis(20);

pub(crate) fn run() -> Result<()> {
    let dir = tempfile::tempdir()?;
    write_tools(dir.path(), TOOLS)?;
    let stamp = BuildStamp { git_commit: "unknown".into(), build_timestamp: String::new() };
    let path = dir.path().join(REGISTRY_FILE);
    fs::write(&path, read_tools(dir.path(), &BTreeSet::new())?.registry.to_json(&stamp)?)?;
    let (ours, registry) = best_of(20, || Ok(Registry::load(&path)?))?;
    ensure!(registry.len() == TOOLS, "every tool is there");
    row("load a registry of 1,000 tools", &ms(ours), &against(TARGET, ours));
    let (plain, _) =
        best_of(20, || Ok(serde_json::from_slice::<serde_json::Value>(&fs::read(&path)?)?))?;
    row("serde_json into a plain value", &ms(plain), &times(plain, ours));
    match python(PYTHON, &path) {
        Some(time) => row("Python: json.load", &ms(time), &times(time, ours)),
        None => row("Python", "–", "not installed"),
    }
    Ok(())
}

const PYTHON: &str = include_str!("../peers/registry_load.py");
