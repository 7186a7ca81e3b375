//! What Python handlers can load: all Python files of the tools directory with the data beside
//! them, and for each file what it imports.
//!
//! Import statements are read from the text. A file that loads code in any other way
//! (`importlib`, `exec`, …) may load everything, and is treated so.

mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use contract::Code;

use self::statements::{Import, Imports, imports};
use super::{Loaded, Sources};
use crate::fault::Faults;

/// The maximum size of all Python files of one tools directory with their data.
const FILES_MAX: usize = 5_000;
const BYTES_MAX: usize = 256 << 20;

/// The Python side of a tools directory.
pub(crate) struct Python {
    pub code: Arc<Code>,
    /// The imports of each file, cached.
    imports: Mutex<BTreeMap<String, Arc<Imports>>>,
}

/// Collects the files; `shown` is the tools directory in messages. Unreadable files are
/// left out with a warning: most tools do not need them.
pub(crate) fn python_tree(
    names: &BTreeSet<String>,
    sources: &Sources,
    shown: &str,
    faults: &mut Faults,
) -> Python {
    let mut files = BTreeMap::new();
    let mut bytes = 0;
    let mut left_out = 0;
    for name in names {
        match sources.read(name) {
            Ok(Some(content)) if files.len() < FILES_MAX && bytes + content.len() <= BYTES_MAX => {
                bytes += content.len();
                files.insert(name.clone(), content);
            }
            Ok(Some(_)) => left_out += 1,
            Ok(None) => {}
            Err(fault) => faults.left_out_file(&format!("{shown}/{name}"), &fault),
        }
    }
    if left_out > 0 {
        faults.left_out_files(shown, left_out, FILES_MAX, BYTES_MAX);
    }
    Python { code: Arc::new(Code::new(files)), imports: Mutex::default() }
}

impl Python {
    /// What `file` can load from outside its own files, as determined by `is_own`.
    pub(crate) fn loaded_by(&self, file: &str, is_own: impl Fn(&str) -> bool) -> Loaded {
        let mut loaded = Loaded::default();
        for name in self.reached_from(file) {
            if let Some(bytes) = self.code.get(&name).filter(|_| !is_own(&name)) {
                loaded.add(&name, bytes);
            }
        }
        loaded
    }

    fn reached_from(&self, file: &str) -> BTreeSet<String> {
        let all = || self.code.files().map(|(name, _)| name.to_owned()).collect();
        let mut reached = BTreeSet::new();
        let mut waiting = vec![file.to_owned()];
        while let Some(name) = waiting.pop() {
            if self.code.get(&name).is_none() || !reached.insert(name.clone()) {
                continue;
            }
            let imports = self.imports_of(&name);
            if imports.is_dynamic {
                return all();
            }
            for import in &imports.statements {
                waiting.extend(candidates(&name, import, &self.code));
            }
        }
        let folders: BTreeSet<String> =
            reached.iter().map(|name| folder(name).to_owned()).collect();
        let data = self.code.files().map(|(name, _)| name).filter(|name| !name.ends_with(".py"));
        reached.extend(data.filter(|name| folders.contains(folder(name))).map(str::to_owned));
        reached
    }

    fn imports_of(&self, name: &str) -> Arc<Imports> {
        let mut known = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || Arc::new(imports(self.code.text(name).unwrap_or_default()));
        Arc::clone(known.entry(name.to_owned()).or_insert_with(read))
    }
}

fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The files that one statement of `file` may load, existing or not.
fn candidates(file: &str, import: &Import, code: &Code) -> Vec<String> {
    let mut steps: Vec<&str> = match import.level {
        0 => Vec::new(),
        level => {
            let mut steps: Vec<_> =
                folder(file).split('/').filter(|step| !step.is_empty()).collect();
            steps.truncate(steps.len().saturating_sub(level - 1));
            steps
        }
    };
    let path = import.path.iter().map(String::as_str);
    // `tools` is the directory itself.
    let skipped = usize::from(import.level == 0 && path.clone().next() == Some("tools"));
    steps.extend(path.skip(skipped));
    let mut found = Vec::new();
    for end in 1..=steps.len() {
        let place = steps[..end].join("/");
        found.extend([format!("{place}.py"), format!("{place}/__init__.py")]);
    }
    let place: String = steps.iter().flat_map(|step| [step, "/"]).collect();
    for name in &import.names {
        match name.as_str() {
            "*" => {
                let inside = code
                    .files()
                    .map(|(name, _)| name)
                    .filter(|name| name.ends_with(".py") && format!("{}/", folder(name)) == place);
                found.extend(inside.map(str::to_owned));
            }
            name => {
                found.extend([format!("{place}{name}.py"), format!("{place}{name}/__init__.py")])
            }
        }
    }
    found
}
