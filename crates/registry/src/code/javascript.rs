//! What a JavaScript handler can load: itself, and every file it names in an import.
//!
//! The text is not parsed. Every quoted `./…` or `../…` that names a file counts, so this
//! is never less than what the statements import; the host provides nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::Code;

use super::{Loaded, Sources};

/// The module that is the same in every tools directory; a file of that name is not read.
const OWN_MODULE: &str = "_core/error-types.js";
/// How many files one handler can import; further ones are not loaded.
const MODULES_MAX: usize = 200;

/// The code of the handler `file`, and the part of it outside the handler's own folder.
pub(crate) fn javascript(file: &str, sources: &Sources) -> (Code, Loaded) {
    let own = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
    let mut loaded = Loaded::default();
    let mut waiting = vec![file.to_owned()];
    while let Some(name) = waiting.pop() {
        if found.len() > MODULES_MAX || found.contains_key(&name) {
            continue;
        }
        let Some(bytes) = sources.get(&name) else { continue };
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            waiting.extend(named(text).filter_map(|specifier| resolved(folder, specifier)));
        }
        if !name.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')) {
            loaded.add(&name, &bytes);
        }
        found.insert(name, bytes);
    }
    (Code::new(found), loaded)
}

/// Every quoted relative path of a text.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().filter(|(_, c)| matches!(c, '\'' | '"')).filter_map(|(at, quote)| {
        let rest = &text[at + 1..];
        let is_relative = rest.starts_with("./") || rest.starts_with("../");
        let end = rest.find(['\n', quote]).filter(|_| is_relative)?;
        Some(&rest[..end])
    })
}

/// The name of the file below the tools directory, if it can be one of the author's modules.
fn resolved(folder: &str, specifier: &str) -> Option<String> {
    let is_module = specifier.ends_with(".js") || specifier.ends_with(".mjs");
    if !is_module || specifier.contains(['\\', '\0']) {
        return None;
    }
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in specifier.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/")).filter(|name| name != OWN_MODULE)
}
