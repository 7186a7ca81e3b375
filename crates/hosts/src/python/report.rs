//! The description of a file of tools, made by a worker after importing it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Its path below the tools folder.
    pub file: String,
    /// Its module name: `core.calculator`.
    pub module: String,
    /// The readable entries of its `TOOLS`.
    pub items: Vec<Item>,
    /// The services it imports: `ai`, `kv`, `messages`, `personas`.
    pub uses: Vec<String>,
    /// Why the file cannot be read at all.
    pub fault: Option<ImportFault>,
    /// The entries of its `TOOLS` that cannot be read.
    #[serde(default)]
    pub item_faults: Vec<ImportFault>,
}

/// One entry of `TOOLS`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its index in the list.
    pub order: u32,
    pub line: Option<u32>,
    pub name: String,
    pub schema: Value,
    /// Whether it has a function; without one it only displays something.
    pub callable: bool,
    pub flags: Flags,
    pub signature: Signature,
    pub settings: Settings,
    pub doc: Option<String>,
    pub ui_feature: Value,
    /// The names of its form handlers.
    pub ui_handlers: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "eight independent facts, as JSON has them")]
pub struct Flags {
    /// Its function takes `metadata`.
    pub metadata: bool,
    pub streaming: bool,
    pub auto: bool,
    pub one_time: bool,
    pub conditional: bool,
    pub status: bool,
    pub cleanup: bool,
    pub ui: bool,
}

/// The parameters that the model fills, without those that the host fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    pub parameters: Vec<String>,
    pub required: Vec<String>,
    /// It accepts any other name as well.
    pub var_keyword: bool,
}

/// Fields of an entry besides Ghostpad's own; not validated yet.
pub type Settings = serde_json::Map<String, Value>;

/// Why a file or one of its entries is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFault {
    /// `syntax`, `import`, `raised`, `exited`, `memory`, `hung`, `crashed`, `unreadable`, `item`
    /// (an entry of `TOOLS`, or `TOOLS` is not a list), `host` (no worker available).
    pub kind: String,
    pub message: String,
    /// The index of the entry in `TOOLS`, and its name if it has one.
    #[serde(default)]
    pub order: Option<u32>,
    #[serde(default)]
    pub item: Option<String>,
    pub line: Option<u32>,
    pub source_line: Option<String>,
    pub traceback: Option<String>,
}
