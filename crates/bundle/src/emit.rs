//! The text of a bundle.
//!
//! A module becomes a function that runs once and returns the exports; importing is calling it:
//!
//! ```js
//! // chat/log.js
//! export const $chat_log = $once(() => {
//! const { h } = $dom();
//! …
//! return { render };
//! });
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::Wait;
use crate::chunk::{Chunk, Chunks, Kind};
use crate::graph::Graph;
use crate::module::{Export, Exported, Import, Module, Replacement, relative};

const ONCE: &str = "const $once = (run, exports) => () => (exports ??= run());\n";

pub(crate) fn text(chunk: &Chunk, chunks: &Chunks, graph: &Graph, wait: Option<Wait>) -> String {
    let mut text = imports(chunk, chunks, wait);
    text.push_str(ONCE);
    if let Some(Wait { module, function }) = wait {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "await {}().{function}();", wrapper(module));
    }
    for module in &chunk.modules {
        let name = wrapper(&module.path);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "// {}\nexport const {name} = $once(() => {{", module.path);
        body(module, chunk, chunks, graph, &mut text);
        let exports = module.exports.iter().map(property).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "return {{ {exports} }};\n}});");
    }
    if chunk.kind == Kind::Entry {
        let names = chunk.root.exports.iter().map(|export| export.name.as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "export const {{ {names} }} = {}();", wrapper(chunk.name()));
    }
    text
}

/// The name of a module in bundles: `$chat_log` for `chat/log.js`.
pub(crate) fn wrapper(path: &str) -> String {
    let stem = path.strip_suffix(".js").unwrap_or(path);
    let name = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("${}", name.collect::<String>())
}

/// What comes from other bundles.
fn imports(chunk: &Chunk, chunks: &Chunks, wait: Option<Wait>) -> String {
    let mut needed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let targets = chunk.modules.iter().flat_map(|module| module.needs());
    let targets = targets.map(|(target, _)| target.path.as_str());
    for path in targets.chain(wait.map(|wait| wait.module)) {
        match chunks.home(path) {
            Some(home) if home != chunk.name() => {
                needed.entry(home).or_default().insert(wrapper(path));
            }
            Some(_) | None => {}
        }
    }
    let lines = needed.into_iter().map(|(home, names)| {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        format!("import {{ {names} }} from \"{}\";\n", relative(chunk.name(), home))
    });
    lines.collect()
}

/// The text of a module with everything replaced.
fn body(module: &Module, chunk: &Chunk, chunks: &Chunks, graph: &Graph, text: &mut String) {
    let mut at = 0;
    for edit in &module.edits {
        text.push_str(&module.text[at..edit.place.start]);
        at = edit.place.end;
        match &edit.to {
            Replacement::Nothing => {}
            Replacement::Import(index) => text.push_str(&import(&module.imports[*index])),
            Replacement::Load(target) => {
                let is_known = graph.modules.contains_key(&target.path);
                let home = chunks.home(&target.path).filter(|_| is_known);
                let file = relative(chunk.name(), home.unwrap_or(&target.path));
                let _ = write!(text, "import(\"{file}\")");
                if home.is_some() {
                    let _ = write!(text, ".then(($) => $.{}())", wrapper(&target.path));
                }
            }
            Replacement::Address => {
                let file = relative(chunk.name(), &module.path);
                let _ = write!(text, "new URL(\"{file}\", import.meta.url).href");
            }
        }
    }
    text.push_str(&module.text[at..]);
}

/// An import as a constant.
fn import(import: &Import) -> String {
    let module = format!("{}()", wrapper(&import.from.path));
    let names = import.names.iter().map(|one| pair(&one.name, &one.local));
    let names = names.collect::<Vec<_>>().join(", ");
    match (&import.namespace, names.is_empty()) {
        (Some(name), _) => format!("const {name} = {module};"),
        (None, true) => format!("{module};"),
        (None, false) => format!("const {{ {names} }} = {module};"),
    }
}

/// An export in the object that the module returns.
fn property(export: &Export) -> String {
    match &export.value {
        Exported::Local(local) => pair(&export.name, local),
        Exported::From(target, name) => {
            format!("{}: {}().{name}", export.name, wrapper(&target.path))
        }
    }
}

fn pair(name: &str, local: &str) -> String {
    if name == local { name.to_owned() } else { format!("{name}: {local}") }
}
