//! Which bundle has which module.
//!
//! Bundles are asked in order: the shared one, those of the entries, then those of the parts
//! that are loaded later, the largest first. A module is in the first bundle that needs it, so
//! a bundle imports only from earlier ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Graph, below, mounted};
use crate::module::Module;
use crate::{Bundles, Shared};

/// All bundles of a page.
pub(crate) struct Chunks<'g> {
    chunks: Vec<Chunk<'g>>,
    /// The bundle of each module, by their paths.
    homes: BTreeMap<&'g str, &'g str>,
}

/// One bundle; it is named after its root.
pub(crate) struct Chunk<'g> {
    pub root: &'g Module,
    /// In the order in which they can run.
    pub modules: Vec<&'g Module>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of another crate, and written by it.
    Outside,
    /// Its root runs when it is loaded.
    Entry,
    /// Its modules run when they are asked for.
    Part,
}

impl Chunk<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.root.path
    }
}

impl<'g> Chunks<'g> {
    pub(crate) fn new(graph: &'g Graph, bundles: &Bundles) -> Self {
        let mut chunks = Self { chunks: Vec::new(), homes: BTreeMap::new() };
        if let Some(Shared { folder, entry }) = &bundles.shared {
            chunks.add(graph, &mounted(folder, entry), Kind::Outside);
        }
        for entry in bundles.entries {
            chunks.add(graph, &mounted(&bundles.own, entry), Kind::Entry);
        }
        for part in parts(graph, bundles) {
            chunks.add(graph, part, Kind::Part);
        }
        chunks
    }

    /// Adds a bundle with what no earlier one has, if that is anything.
    fn add(&mut self, graph: &'g Graph, root: &str, kind: Kind) {
        let mut modules = graph.closure(root);
        modules.retain(|module| !self.homes.contains_key(module.path.as_str()));
        let Some(root) = modules.last().copied().filter(|last| last.path == root) else { return };
        self.homes.extend(modules.iter().map(|one| (one.path.as_str(), root.path.as_str())));
        self.chunks.push(Chunk { root, modules, kind });
    }

    /// The bundles that this build writes.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Chunk<'g>> {
        self.chunks.iter().filter(|chunk| chunk.kind != Kind::Outside)
    }

    /// The name of the bundle that has a module; none if another crate has the module.
    pub(crate) fn home(&self, path: &str) -> Option<&'g str> {
        self.homes.get(path).copied()
    }
}

/// The modules that ours load with `import()`: the one that leads to most comes first.
fn parts<'g>(graph: &'g Graph, bundles: &Bundles) -> Vec<&'g str> {
    let ours = graph.modules.values().filter(|one| below(&bundles.own, &one.path).is_some());
    let loaded: BTreeSet<_> =
        ours.flat_map(Module::loads).map(|(target, _)| &target.path).collect();
    let mut parts: Vec<_> = loaded.into_iter().map(String::as_str).collect();
    parts.sort_by_key(|path| std::cmp::Reverse(graph.closure(path).len()));
    parts
}
