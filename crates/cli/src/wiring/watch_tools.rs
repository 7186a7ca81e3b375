//! Reloads the tools when files change.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::Engine;
use mcp::client::MCP_HANDLER_PREFIX;
use registry::{Registry, Tool};

use crate::config::Config;
use crate::render::left_out;
use crate::render::printer::{Printer, dim};
use crate::wiring::read_tools::{LockMode, read_to_run};

/// A tools directory and its last known state.
pub(crate) struct ToolWatcher {
    dir: PathBuf,
    config: Config,
    seen: u64,
}

/// Deeper folders are not watched.
const DEPTH_MAX: usize = 8;
const FILES_MAX: usize = 100_000;
/// The polling interval of servers.
const LOOK: Duration = Duration::from_secs(1);

impl ToolWatcher {
    pub(crate) fn new(dir: PathBuf, config: &Config) -> Self {
        let seen = stamp(&dir);
        Self { dir, config: config.clone(), seen }
    }

    /// Reloads the tools whenever a file changes; returns only on a fault.
    pub(crate) async fn keep_fresh(
        mut self,
        engine: &Engine,
        printer: &mut Printer,
    ) -> std::io::Error {
        loop {
            tokio::time::sleep(LOOK).await;
            // Reading modules waits for Python.
            if let Err(fault) = tokio::task::block_in_place(|| self.refresh(engine, printer)) {
                return fault;
            }
        }
    }

    /// Reloads the tools if a file has changed. A tool that now has faults is left out and
    /// reported; if the directory cannot be read, the old tools stay.
    pub(crate) fn refresh(
        &mut self,
        engine: &Engine,
        printer: &mut Printer,
    ) -> std::io::Result<()> {
        let now = stamp(&self.dir);
        if now == self.seen {
            return Ok(());
        }
        self.seen = now;
        match read_to_run(&self.dir, LockMode::of(&self.config), &self.config) {
            Ok((build, _)) => {
                let before = engine.registry().lease().excluded().to_vec();
                let now = build.registry.excluded().to_vec();
                let mut version = None;
                engine.registry().update(|newest| {
                    let registry = build.registry.with(imported(newest));
                    version = Some(registry.version().clone());
                    registry
                });
                let version = version.unwrap_or_else(|| engine.registry().version());
                printer.message(dim(format!("tools reloaded: {version}")))?;
                let news: Vec<_> = now.into_iter().filter(|one| !before.contains(one)).collect();
                left_out::lines(&news).into_iter().try_for_each(|line| printer.message(line))
            }
            Err(fault) => {
                printer.message(format!("cannot reload the tools; the old ones stay: {fault}"))
            }
        }
    }
}

/// The tools of MCP servers, which are not in the directory.
fn imported(registry: &Registry) -> Vec<Tool> {
    let imported =
        registry.tools().filter(|tool| tool.handler.path.starts_with(MCP_HANDLER_PREFIX));
    imported.map(|tool| Tool::clone(tool)).collect()
}

/// A hash of all file sizes and times.
fn stamp(dir: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut files = 0;
    walk(dir, 0, &mut files, &mut hasher);
    hasher.finish()
}

fn walk(dir: &Path, depth: usize, files: &mut usize, hasher: &mut DefaultHasher) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let skipped = name.to_string_lossy().starts_with('.') || name == "__pycache__";
        let Ok(metadata) = entry.metadata() else { continue };
        if skipped || depth > DEPTH_MAX || *files > FILES_MAX {
            continue;
        }
        *files += 1;
        if metadata.is_dir() {
            walk(&entry.path(), depth + 1, files, hasher);
        } else {
            (entry.path(), metadata.len(), metadata.modified().ok()).hash(hasher);
        }
    }
}
