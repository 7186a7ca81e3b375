//! Joins the JavaScript modules of a page into a few files, when the program is built.
//!
//! In: a folder of ES modules and the modules that a page starts with. Out: a folder with a
//! bundle for each of them, a bundle for each part that is loaded with `import()`, and every
//! other file as it is. Must hold: a module is in one bundle and runs once, when it is first
//! imported, after the modules that it imports; what this crate cannot keep so is a fault that
//! names the file, the line and the fix.
//!
//! Start at [`Bundles::write`], then `graph.rs`: which modules there are; `chunk.rs`: which
//! bundle has which; `emit.rs`: the text of a bundle.

mod chunk;
mod emit;
mod fault;
mod graph;
mod module;
mod output;
mod parse;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use crate::fault::{Fault, Faults};

use crate::chunk::{Chunk, Chunks, Kind};
use crate::graph::{Files, Graph};

/// A folder of page files, and where the server serves it.
#[derive(Debug, Clone)]
pub struct Folder {
    pub path: PathBuf,
    /// Below `/assets/`, such as `cards`; empty for the server's own page.
    pub mount: &'static str,
}

/// What to join.
#[derive(Debug, Clone)]
pub struct Bundles {
    pub own: Folder,
    /// The folder of another crate whose modules ours may import; they stay in its bundles.
    pub shared: Option<Shared>,
    /// The modules that a page, or code of another crate, loads. They run when they are loaded.
    pub entries: &'static [&'static str],
    /// Folders of other crates below `/assets/` that ours may load with `import()`.
    pub elsewhere: &'static [&'static str],
    /// What bundles wait for that a page loads later: the parts, and the entries of a crate
    /// that others load.
    pub later: Option<Wait>,
}

/// An async function that a bundle calls before its modules run.
#[derive(Debug, Clone, Copy)]
pub struct Wait {
    /// Below `/assets/`; a module of the first bundle.
    pub module: &'static str,
    pub function: &'static str,
}

/// Modules of another crate.
#[derive(Debug, Clone)]
pub struct Shared {
    pub folder: Folder,
    /// The entry whose bundle has all modules that others may import.
    pub entry: &'static str,
}

impl Bundles {
    /// Writes the page to `to`, which then holds nothing else.
    ///
    /// # Errors
    ///
    /// Every fault of the modules, or the first file that cannot be read or written.
    pub fn write(&self, to: &Path) -> Result<(), Faults> {
        let files = Files::new(self);
        let graph = Graph::read(&files, self)?;
        let chunks = Chunks::new(&graph, self);
        let bundled: BTreeSet<&str> = graph.modules.keys().map(String::as_str).collect();
        let texts = chunks
            .own()
            .map(|chunk| (chunk.name(), emit::text(chunk, &chunks, &graph, self.wait(chunk))));
        output::write(&self.own, &bundled, texts, to)
    }

    /// What a bundle waits for.
    fn wait(&self, chunk: &Chunk) -> Option<Wait> {
        let is_later = chunk.kind == Kind::Part || self.shared.is_some();
        self.later.filter(|_| is_later)
    }

    /// For a build script: writes the page to the folder `page` in `OUT_DIR`, and ends the
    /// build with all faults if there are any.
    #[expect(clippy::print_stdout, reason = "build scripts speak to cargo this way")]
    pub fn build(&self) {
        let folders = [Some(&self.own), self.shared.as_ref().map(|shared| &shared.folder)];
        for folder in folders.into_iter().flatten() {
            println!("cargo::rerun-if-changed={}", folder.path.display());
        }
        let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
        if let Err(faults) = self.write(&out.join("page")) {
            for fault in faults.list() {
                println!("cargo::error={fault}");
            }
        }
    }
}

#[cfg(test)]
mod tests;
