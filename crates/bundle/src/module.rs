//! One module as it was written: its text, what it imports and exports, and what a bundle has
//! to replace in it.

use std::ops::Range;

/// A parsed module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    /// Below `/assets/`, such as `chat/log.js`.
    pub path: String,
    /// Where it is on disk, for faults.
    pub file: String,
    pub text: String,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// Sorted by place; they do not overlap.
    pub edits: Vec<Edit>,
}

/// `import { name as local } from "./other.js"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub from: Target,
    pub line: usize,
    pub names: Vec<Imported>,
    /// `import * as local`.
    pub namespace: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Imported {
    pub name: String,
    pub local: String,
}

/// The module that another names: as it was written, and as a path below `/assets/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub written: String,
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Export {
    pub name: String,
    pub line: usize,
    pub value: Exported,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exported {
    /// A name of the module itself.
    Local(String),
    /// A name of another module: `export { name } from "./other.js"`.
    From(Target, String),
}

/// What a bundle replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub place: Range<usize>,
    pub line: usize,
    pub to: Replacement,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replacement {
    Nothing,
    /// The import with this index.
    Import(usize),
    /// `import("./other.js")`.
    Load(Target),
    /// `import.meta.url`.
    Address,
}

impl Module {
    /// Every module that runs before this one, with the line that asks for it.
    pub(crate) fn needs(&self) -> impl Iterator<Item = (&Target, usize)> {
        let imports = self.imports.iter().map(|import| (&import.from, import.line));
        let exports = self.exports.iter().filter_map(|export| match &export.value {
            Exported::From(from, _) => Some((from, export.line)),
            Exported::Local(_) => None,
        });
        imports.chain(exports)
    }

    /// Every module that this one loads later.
    pub(crate) fn loads(&self) -> impl Iterator<Item = (&Target, usize)> {
        self.edits.iter().filter_map(|edit| match &edit.to {
            Replacement::Load(target) => Some((target, edit.line)),
            Replacement::Nothing | Replacement::Import(_) | Replacement::Address => None,
        })
    }

    pub(crate) fn has_export(&self, name: &str) -> bool {
        self.exports.iter().any(|export| export.name == name)
    }
}

impl Target {
    /// What `written` means in the module at `path`; none if it is not a relative path, or leads
    /// out of `/assets/`.
    pub(crate) fn resolve(path: &str, written: &str) -> Option<Self> {
        if !written.starts_with("./") && !written.starts_with("../") {
            return None;
        }
        let mut parts: Vec<_> = path.split('/').collect();
        parts.pop();
        for part in written.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        Some(Self { written: written.to_owned(), path: parts.join("/") })
    }
}

/// How the file at `to` is written in the file at `from`; both are below `/assets/`.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.split('/').collect(), to.split('/').collect());
    let folders = from.len().min(to.len()) - 1;
    let same = (0..folders).take_while(|&at| from[at] == to[at]).count();
    let up = "../".repeat(from.len() - 1 - same);
    let start = if up.is_empty() { "./" } else { up.as_str() };
    format!("{start}{}", to[same..].join("/"))
}
