//! Python modules: one file, a `TOOLS` list, several tools.
//!
//! In: the names of the files, and a [`ModuleReader`] that imports them in a sandbox and
//! reports their content. Out: checked tools, like those of directories. Must hold: the
//! registry imports nothing itself, so that it is a function of the files and the reports; a
//! broken file is a fault, and the others load.
//!
//! Start at [`read`]; `defaults.rs` fills in what an author omits.

mod check;
mod defaults;
mod description;
mod draft;
mod id;
mod locate;
mod parameters;
mod read;
mod settings;
mod signature;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::code::{HandlerCode, HandlerReport};
use crate::environment::EnvironmentId;

pub(crate) use locate::find_word;
pub(crate) use read::read;
pub use settings::SETTINGS_FILE;

/// Imports module files and reports their content. It runs untrusted code.
pub trait ModuleReader: Send + Sync {
    /// One report for each file; `files` are below `tools_dir`, with `/`.
    fn read(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport>;

    /// Whether the packages of this environment are installed. Files that need an environment
    /// that is not installed are not read.
    fn has_environment(&self, tools_dir: &Path, id: &EnvironmentId) -> bool {
        let _ = (tools_dir, id);
        true
    }

    /// Compiles handlers and follows their imports, without running anything: one report for
    /// each. Without a compiler, only their text is checked.
    fn check_handlers(&self, tools_dir: &Path, handlers: &[HandlerCode]) -> Vec<HandlerReport> {
        let _ = tools_dir;
        handlers.iter().map(|_| HandlerReport::Unchecked { because: String::new() }).collect()
    }
}

/// The content of one file. A file without `TOOLS` has no items and no fault.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// As requested: `core/calculator.py`.
    pub file: String,
    /// `core.calculator`
    #[serde(default)]
    pub module: String,
    #[serde(default)]
    pub items: Vec<ModuleItem>,
    /// The services it imports: `kv`, `personas`, `messages`, `ai`.
    #[serde(default)]
    pub uses: Vec<String>,
    /// Why the file cannot be read.
    #[serde(default)]
    pub fault: Option<ModuleFault>,
    /// The entries of `TOOLS` that could not be read; the others are in `items`.
    #[serde(default)]
    pub item_faults: Vec<ModuleFault>,
}

/// One entry of `TOOLS`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModuleItem {
    pub order: usize,
    /// The line of the item or its function; 0 if unknown.
    #[serde(default)]
    pub line: usize,
    #[serde(default)]
    pub name: String,
    /// `name`, `description` and `parameters` as the author wrote them.
    #[serde(default)]
    pub schema: Value,
    /// Whether there is a function.
    #[serde(default)]
    pub callable: bool,
    #[serde(default)]
    pub flags: ItemFlags,
    #[serde(default)]
    pub signature: Option<Signature>,
    /// Known keys of the item, and unknown ones; null for a function under such a key.
    #[serde(default)]
    pub settings: Map<String, Value>,
    #[serde(default)]
    pub doc: Option<String>,
    #[serde(default)]
    pub ui_feature: Option<Value>,
    #[serde(default)]
    pub ui_handlers: Vec<String>,
}

/// The flags of an item, by the keys it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of the reader's report")]
#[serde(default)]
pub struct ItemFlags {
    pub metadata: bool,
    pub streaming: bool,
    pub auto: bool,
    pub one_time: bool,
    pub conditional: bool,
    pub status: bool,
    pub cleanup: bool,
    pub ui: bool,
}

/// The parameters of a function, without `metadata`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Signature {
    pub parameters: Vec<String>,
    /// Those without a default.
    pub required: Vec<String>,
    /// Whether it takes any other keyword (`**kwargs`).
    pub var_keyword: bool,
}

/// Why a file could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleFault {
    /// The Python exception, or `timeout`, `crash`, `unavailable`.
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub message: String,
    /// The entry of `TOOLS` that the fault is about, if any, and its name if it has one.
    #[serde(default)]
    pub order: Option<usize>,
    #[serde(default)]
    pub item: Option<String>,
    #[serde(default)]
    pub line: Option<usize>,
    #[serde(default)]
    pub source_line: Option<String>,
    /// For the author; never shown to a model.
    #[serde(default)]
    pub traceback: Option<String>,
}

#[cfg(test)]
mod tests;
