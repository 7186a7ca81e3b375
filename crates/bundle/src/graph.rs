//! All modules that the entries lead to, checked: every import has its module and its name, and
//! no modules import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::fault::{Fault, Faults};
use crate::module::{Exported, Module};
use crate::parse::parse;
use crate::{Bundles, Folder, Shared};

/// Modules by their path below `/assets/`.
pub(crate) struct Graph {
    pub modules: BTreeMap<String, Module>,
}

/// Where the files of a build are.
pub(crate) struct Files<'a> {
    own: &'a Folder,
    shared: Option<&'a Folder>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(bundles: &'a Bundles) -> Self {
        Self { own: &bundles.own, shared: bundles.shared.as_ref().map(|shared| &shared.folder) }
    }

    /// The file of a module.
    fn file(&self, path: &str) -> Option<PathBuf> {
        if let Some(rest) = below(self.own, path) {
            return Some(self.own.path.join(rest));
        }
        let shared = self.shared?;
        Some(shared.path.join(below(shared, path)?))
    }
}

/// The rest of a path that is in a folder.
pub(crate) fn below<'p>(folder: &Folder, path: &'p str) -> Option<&'p str> {
    match folder.mount {
        "" => Some(path),
        mount => path.strip_prefix(mount)?.strip_prefix('/'),
    }
}

/// The path of a folder's file below `/assets/`.
pub(crate) fn mounted(folder: &Folder, file: &str) -> String {
    match folder.mount {
        "" => file.to_owned(),
        mount => format!("{mount}/{file}"),
    }
}

impl Graph {
    /// Reads every module from the entries on.
    pub(crate) fn read(files: &Files, bundles: &Bundles) -> Result<Self, Faults> {
        let mut reading = Reading { files, bundles, modules: BTreeMap::new(), faults: Vec::new() };
        let shared = bundles.shared.as_ref().map(|Shared { folder, entry }| mounted(folder, entry));
        if let Some(shared) = &shared {
            reading.read_from(shared);
        }
        let outside: BTreeSet<String> = reading.modules.keys().cloned().collect();
        for entry in bundles.entries {
            reading.read_from(&mounted(&bundles.own, entry));
        }
        let Reading { modules, mut faults, .. } = reading;
        let graph = Self { modules };
        if let Some(Shared { entry, .. }) = &bundles.shared {
            faults.extend(graph.not_shared(&bundles.own, &outside, entry));
        }
        faults.extend(graph.name_faults());
        faults.extend(graph.same_names());
        match faults.is_empty() {
            true => graph.check_cycles(),
            false => Err(Faults::new(faults)),
        }
    }

    fn not_shared(&self, own: &Folder, outside: &BTreeSet<String>, entry: &str) -> Vec<Fault> {
        let ours = self.modules.values().filter(|module| below(own, &module.path).is_some());
        let targets = ours.flat_map(|module| {
            module.needs().chain(module.loads()).map(move |(target, line)| (module, target, line))
        });
        let bad = targets.filter(|(_, target, _)| {
            let is_read = self.modules.contains_key(&target.path);
            is_read && below(own, &target.path).is_none() && !outside.contains(&target.path)
        });
        bad.map(|(module, target, line)| {
            Fault::not_shared(&module.file, line, &target.written, entry)
        })
        .collect()
    }

    /// Names that are not there, or there twice.
    fn name_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for module in self.modules.values() {
            let file = &module.file;
            for import in &module.imports {
                let Some(from) = self.modules.get(&import.from.path) else { continue };
                let missing = import.names.iter().filter(|one| !from.has_export(&one.name));
                faults.extend(missing.map(|one| {
                    Fault::no_export(file, import.line, &one.name, &import.from.written)
                }));
            }
            let mut seen = BTreeSet::new();
            for export in &module.exports {
                if !seen.insert(&export.name) {
                    faults.push(Fault::exported_twice(file, export.line, &export.name));
                }
                let Exported::From(target, name) = &export.value else { continue };
                let from = self.modules.get(&target.path);
                if from.is_some_and(|from| !from.has_export(name)) {
                    faults.push(Fault::no_export(file, export.line, name, &target.written));
                }
            }
        }
        faults
    }

    fn same_names(&self) -> Vec<Fault> {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        let doubles = self.modules.keys().filter_map(|path| {
            let other = names.insert(crate::emit::wrapper(path), path)?;
            Some(Fault::same_name(&self.modules[path].file, other))
        });
        doubles.collect()
    }

    /// The modules that run before `path` and with it, in that order.
    pub(crate) fn closure(&self, path: &str) -> Vec<&Module> {
        let mut found = Vec::new();
        self.visit(path, &mut BTreeSet::new(), &mut found);
        found
    }

    fn visit<'g>(&'g self, path: &str, seen: &mut BTreeSet<String>, found: &mut Vec<&'g Module>) {
        if !seen.insert(path.to_owned()) {
            return;
        }
        let Some(module) = self.modules.get(path) else { return };
        for (target, _) in module.needs() {
            self.visit(&target.path, seen, found);
        }
        found.push(module);
    }

    fn check_cycles(self) -> Result<Self, Faults> {
        let mut done = BTreeSet::new();
        let faults: Vec<_> = self
            .modules
            .keys()
            .filter_map(|path| self.cycle(path, &mut Vec::new(), &mut done))
            .collect();
        match faults.is_empty() {
            true => Ok(self),
            false => Err(Faults::new(faults)),
        }
    }

    /// The first cycle below `path`.
    fn cycle<'g>(
        &'g self,
        path: &'g str,
        way: &mut Vec<&'g str>,
        done: &mut BTreeSet<&'g str>,
    ) -> Option<Fault> {
        if done.contains(path) {
            return None;
        }
        way.push(path);
        let module = self.modules.get(path)?;
        for (target, line) in module.needs() {
            if let Some(start) = way.iter().position(|one| *one == target.path) {
                let way = [&way[start..], &[target.path.as_str()]].concat().join(" → ");
                done.insert(path);
                return Some(Fault::cycle(&module.file, line, &way));
            }
            if let Some(fault) = self.cycle(&target.path, way, done) {
                done.insert(path);
                return Some(fault);
            }
        }
        way.pop();
        done.insert(path);
        None
    }
}

struct Reading<'a> {
    files: &'a Files<'a>,
    bundles: &'a Bundles,
    modules: BTreeMap<String, Module>,
    faults: Vec<Fault>,
}

impl Reading<'_> {
    fn read_from(&mut self, entry: &str) {
        match self.open(entry) {
            Some((file, text)) => self.read(entry, &file, text),
            None => self.faults.push(Fault::new(entry, 0, "there is no such entry")),
        }
    }

    fn open(&self, path: &str) -> Option<(String, String)> {
        let file = self.files.file(path)?;
        let text = std::fs::read_to_string(&file).ok()?;
        Some((file.display().to_string(), text))
    }

    fn read(&mut self, path: &str, file: &str, text: String) {
        if self.modules.contains_key(path) {
            return;
        }
        let module = match parse(path, file, text) {
            Ok(module) => module,
            Err(faults) => return self.faults.extend(faults),
        };
        self.modules.insert(path.to_owned(), module.clone());
        for (target, line) in module.needs().chain(module.loads()) {
            let folder = target.path.split('/').next().unwrap_or_default();
            let is_loaded = module.loads().any(|(one, _)| one == target);
            if is_loaded && self.bundles.elsewhere.contains(&folder) {
                continue;
            }
            match self.open(&target.path) {
                Some((file, text)) => self.read(&target.path, &file, text),
                None => self.faults.push(Fault::unresolved(file, line, &target.written)),
            }
        }
    }
}
