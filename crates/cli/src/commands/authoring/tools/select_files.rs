//! Selects the files of an import: modules, and the files they import.
//!
//! A module is a `.py` file with `TOOLS`. With it come the files it imports, the
//! `requirements.txt` and fixtures beside it, and the files the person names; nothing else. A
//! `tools.toml` is not copied: the operator decides what a tool may do. Hidden names, links,
//! caches and environments are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::exit::{Failure, not_read};

const ENTRIES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 12;
const FILES_MAX: usize = 500;
const MODULE_BYTES_MAX: u64 = 1 << 20;

/// The files of a folder, with `/` between names: selected and skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub modules: Vec<String>,
    /// Files that modules import, and files that belong to them.
    pub beside: Vec<String>,
    pub left: Vec<String>,
}

impl Selection {
    /// Selects from a folder; `with` names additional files.
    pub(super) fn of(root: &Path, with: &[String]) -> Result<Self, Failure> {
        let all = list(root)?;
        let mut sources: BTreeMap<&str, String> = BTreeMap::new();
        for name in all.iter().filter(|name| name.ends_with(".py")) {
            let path = root.join(name);
            let small = path.metadata().is_ok_and(|found| found.len() <= MODULE_BYTES_MAX);
            // Only text can be a module.
            let text = if small { std::fs::read_to_string(&path).ok() } else { None };
            sources.insert(name, text.unwrap_or_default());
        }
        let is_module = |name: &str, text: &str| {
            !name.split('/').any(|part| part.starts_with('_')) && assigns_tools(text)
        };
        let modules: BTreeSet<&str> =
            sources.iter().filter(|(name, text)| is_module(name, text)).map(|(n, _)| *n).collect();
        let mut taken = modules.clone();
        let mut open: Vec<&str> = modules.iter().copied().collect();
        while let Some(name) = open.pop() {
            let text = sources.get(name).map_or("", String::as_str);
            for file in imported(name, text) {
                if let Some((found, _)) = sources.get_key_value(file.as_str())
                    && taken.insert(found)
                {
                    open.push(found);
                }
            }
        }
        let companions: BTreeSet<String> = modules.iter().flat_map(|name| beside(name)).collect();
        taken.extend(all.iter().map(String::as_str).filter(|name| companions.contains(*name)));
        for wanted in with {
            match all.iter().find(|name| *name == wanted) {
                Some(found) => {
                    taken.insert(found);
                }
                None => {
                    let what = format!("there is no file `{wanted}` in `{}`", root.display());
                    let fix = "give its path below the folder; hidden files are not copied";
                    return Err(Failure::message(what, fix));
                }
            }
        }
        if taken.len() > FILES_MAX {
            let what = format!("{} files would be copied; the limit is {FILES_MAX}", taken.len());
            return Err(Failure::message(what, "choose only the folder of the tools"));
        }
        let left = all.iter().filter(|name| !taken.contains(name.as_str())).cloned().collect();
        let beside = taken.difference(&modules).map(|name| (*name).to_owned()).collect();
        Ok(Self { modules: modules.into_iter().map(str::to_owned).collect(), beside, left })
    }

    /// Without some modules, and without the files that only they need.
    pub(super) fn without(self, root: &Path, broken: &BTreeSet<String>) -> Self {
        let Selection { mut modules, mut beside, mut left } = self;
        modules.retain(|name| !broken.contains(name));
        let source = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
        let mut needed: BTreeSet<String> = BTreeSet::new();
        let mut open = modules.clone();
        while let Some(name) = open.pop() {
            for file in imported(&name, &source(&name)).into_iter().chain(self::beside(&name)) {
                if beside.contains(&file) && needed.insert(file.clone()) {
                    open.push(file);
                }
            }
        }
        let code = |name: &String| name.ends_with(".py") || name.ends_with("fixtures.json");
        let (stays, gone): (Vec<_>, Vec<_>) =
            beside.drain(..).partition(|name| needed.contains(name) || !code(name));
        left.extend(gone);
        left.extend(broken.iter().cloned());
        left.sort();
        Selection { modules, beside: stays, left }
    }
}

/// Every plain file below a folder.
fn list(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut seen = 0_usize;
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        let listing = match std::fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(error) if depth == 0 => return Err(not_read(&folder, error)),
            // Unreadable folders are skipped.
            Err(_) => continue,
        };
        for entry in listing.flatten() {
            seen += 1;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let stays = name.starts_with('.') || name == "__pycache__" || name == "node_modules";
            let ours = ["tools.lock", "python.lock", "tool_registry.json"].contains(&name.as_str());
            if stays || kind.is_symlink() || (prefix.is_empty() && ours) {
                continue;
            }
            if kind.is_file() {
                found.push(format!("{prefix}{name}"));
            } else if kind.is_dir() && depth < DEPTH_MAX && !path.join("pyvenv.cfg").exists() {
                folders.push((path, format!("{prefix}{name}/"), depth + 1));
            }
        }
        if seen > ENTRIES_MAX {
            let what = format!("`{}` has more than {ENTRIES_MAX} files", root.display());
            return Err(Failure::message(what, "choose only the folder of the tools"));
        }
    }
    found.sort();
    Ok(found)
}

/// Is `TOOLS` given a value at the top of the file?
fn assigns_tools(text: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix("TOOLS")
            .is_some_and(|rest| rest.trim_start().starts_with(['=', ':', '+']))
    })
}

/// The files beside a module that belong to it.
fn beside(module: &str) -> Vec<String> {
    let folder = module.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let stem = module.trim_end_matches(".py");
    vec![
        format!("{folder}requirements.txt"),
        "requirements.txt".to_owned(),
        format!("{stem}.fixtures.json"),
    ]
}

/// The files that the imports of a module may refer to, existing or not.
fn imported(module: &str, text: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut statement = String::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if statement.is_empty() && !(line.starts_with("import ") || line.starts_with("from ")) {
            continue;
        }
        statement.push(' ');
        statement.push_str(line.trim_end_matches('\\'));
        let open = statement.contains('(') && !statement.contains(')');
        if !open && !line.ends_with('\\') {
            meant(module, statement.trim(), &mut files);
            statement.clear();
        }
    }
    files
}

/// `import a.b, c` and `from ..x import y, z`.
fn meant(module: &str, statement: &str, files: &mut BTreeSet<String>) {
    let names = |list: &str| -> Vec<String> {
        let list = list.replace(['(', ')'], " ");
        let first = |part: &str| part.split_whitespace().next().map(str::to_owned);
        list.split(',').filter_map(first).collect()
    };
    if let Some(list) = statement.strip_prefix("import ") {
        names(list).iter().for_each(|name| put("", name, files));
        return;
    }
    let rest = statement.strip_prefix("from ").unwrap_or_default();
    let Some((source, list)) = rest.split_once(" import ") else { return };
    let source = source.trim();
    let dots = source.chars().take_while(|c| *c == '.').count();
    let mut folder: Vec<&str> = module.split('/').collect();
    folder.truncate(folder.len().saturating_sub(dots));
    let folder = if dots == 0 { String::new() } else { folder.join(".") };
    let inside = source.trim_start_matches('.');
    let mut whole = vec![folder.as_str(), inside];
    whole.retain(|part| !part.is_empty());
    let whole = whole.join(".");
    put("", &whole, files);
    names(list).iter().for_each(|name| put(&whole, name, files));
}

/// The file of `a.b.c`, and its packages.
fn put(within: &str, name: &str, files: &mut BTreeSet<String>) {
    let whole = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
    let steps: Vec<_> = whole.strip_prefix("tools.").unwrap_or(&whole).split('.').collect();
    for end in 1..=steps.len() {
        let place = steps[..end].join("/");
        files.insert(format!("{place}/__init__.py"));
        if end == steps.len() {
            files.insert(format!("{place}.py"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_with_what_they_import_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            ("a.py", "from .lib import words\nimport shared.text as t  # and more\nTOOLS = []\n"),
            ("lib/__init__.py", ""),
            ("lib/words.py", "from . import (\n    deep,\n)\n"),
            ("lib/deep.py", ""),
            ("lib/unused.py", ""),
            ("shared/text.py", ""),
            ("deep/b.py", "from ..lib.words import x\nTOOLS: list = []\n"),
            ("deep/b.fixtures.json", "{}"),
            ("deep/tools.toml", ""),
            ("deep/data.csv", "1"),
            ("script.py", "print('TOOLS = 1')\n"),
            ("id_rsa", "secret"),
            (".hidden.py", "TOOLS = []\n"),
            (".git/x.py", "TOOLS = []\n"),
            ("_off/x.py", "TOOLS = []\n"),
        ];
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = Selection::of(dir.path(), &["deep/data.csv".to_owned()]).unwrap();
        assert_eq!(found.modules, ["a.py", "deep/b.py"]);
        let beside = [
            "deep/b.fixtures.json",
            "deep/data.csv",
            "lib/__init__.py",
            "lib/deep.py",
            "lib/words.py",
            "shared/text.py",
        ];
        assert_eq!(found.beside, beside);
        assert_eq!(
            found.left,
            ["_off/x.py", "deep/tools.toml", "id_rsa", "lib/unused.py", "script.py"]
        );
        let without = found.without(dir.path(), &BTreeSet::from(["a.py".to_owned()]));
        assert_eq!(without.modules, ["deep/b.py"]);
        assert!(!without.beside.contains(&"shared/text.py".to_owned()), "{without:?}");
        assert!(without.beside.contains(&"lib/deep.py".to_owned()), "{without:?}");
        assert!(Selection::of(dir.path(), &["no.csv".to_owned()]).is_err());
    }
}
