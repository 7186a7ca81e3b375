//! Our own JavaScript modules.
//!
//! `boot` runs when an isolate is prepared. The others load when a handler first touches one of
//! their names, so that it pays only for what it uses.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::compile::compile_own;

/// The module that handlers import as `../_core/error-types.js`.
pub(crate) const ERROR_TYPES: &str = "_core/error-types.js";
pub(crate) const BOOT: &str = "ghosthand:boot";

const SOURCES: [(&str, &str); 12] = [
    (BOOT, include_str!("prelude/boot.js")),
    (ERROR_TYPES, include_str!("prelude/error-types.js")),
    ("ghosthand:abort", include_str!("prelude/abort.js")),
    ("ghosthand:base64", include_str!("prelude/base64.js")),
    ("ghosthand:clone", include_str!("prelude/clone.js")),
    ("ghosthand:console", include_str!("prelude/console.js")),
    ("ghosthand:crypto", include_str!("prelude/crypto.js")),
    ("ghosthand:encoding", include_str!("prelude/encoding.js")),
    ("ghosthand:failure", include_str!("prelude/failure.js")),
    ("ghosthand:fetch", include_str!("prelude/fetch.js")),
    ("ghosthand:timers", include_str!("prelude/timers.js")),
    ("ghosthand:url", include_str!("prelude/url.js")),
];

pub(crate) fn source(name: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

/// The bytecode of one of our modules, compiled on first use.
pub(crate) fn bytecode(name: &str) -> Option<Arc<[u8]>> {
    type Cell = OnceLock<Option<Arc<[u8]>>>;
    static COMPILED: OnceLock<HashMap<&'static str, Cell>> = OnceLock::new();
    let cells =
        COMPILED.get_or_init(|| SOURCES.iter().map(|(name, _)| (*name, OnceLock::new())).collect());
    cells.get(name)?.get_or_init(|| compile_own(name, source(name)?).ok()).clone()
}

#[cfg(test)]
mod tests;
