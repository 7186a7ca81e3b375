//! What a file of tools holds, as the worker describes it after it has imported the file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Its path below the tools folder.
    pub file: String,
    /// The same as Python names it: `core.calculator`.
    pub module: String,
    /// The entries of its `TOOLS` that could be read.
    pub items: Vec<Item>,
    /// The services it imports: `ai`, `kv`, `messages`, `personas`.
    pub uses: Vec<String>,
    /// Why nothing of the file can be read.
    pub fault: Option<ImportFault>,
    /// The entries of its `TOOLS` that could not be read.
    #[serde(default)]
    pub item_faults: Vec<ImportFault>,
}

/// One entry of `TOOLS`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its place in the list.
    pub order: u32,
    pub line: Option<u32>,
    pub name: String,
    pub schema: Value,
    /// Whether there is a function; without one it only shows something.
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

/// The parameters that the model fills; what the host fills in is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    pub parameters: Vec<String>,
    pub required: Vec<String>,
    /// It takes any other name as well.
    pub var_keyword: bool,
}

/// What an item says about itself beside Ghostpad's own fields; not looked at yet.
pub type Settings = serde_json::Map<String, Value>;

/// Why a file, or one of its items, is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFault {
    /// `syntax`, `import`, `raised`, `exited`, `memory`, `hung`, `crashed`, `unreadable`,
    /// `item` (one entry of `TOOLS`, or no list), `host` (no worker to be had).
    pub kind: String,
    pub message: String,
    /// The place of the entry in `TOOLS`, and its name if it says one.
    #[serde(default)]
    pub order: Option<u32>,
    #[serde(default)]
    pub item: Option<String>,
    pub line: Option<u32>,
    pub source_line: Option<String>,
    pub traceback: Option<String>,
}
