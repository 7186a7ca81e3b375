//! The defaults for the contract of a module's tool.
//!
//! A file written for Ghostpad has no contract. The defaults are cautious about effects and
//! rarely require approval, because the sandbox already confines the tool:
//!
//! | | default | if the category is given |
//! | --- | --- | --- |
//! | `category` | `action` | |
//! | `side_effects` | `writes`; `read_only` if the file uses no service | see below |
//! | `idempotent` | `false` | `retrieval` and `utility`: `true` |
//! | `capabilities` | `kv = ["*"]` if the file uses the key-value store, otherwise none | |
//! | `requires_confirmation` | `true` if it writes and reaches `net`, `files` or `secrets` | |
//! | `allowed_modes` | `["text"]`: it was written for a chat that is read | |
//! | `latency_budget_ms`, `timeout_ms` | 3000 and 60000 | |
//! | `version` | `0.0.0`: the author has no versions | |
//!
//! A `retrieval` tool has the side effects `read_only`, a `utility` has `none`. A file that
//! uses no service can change nothing.
//!
//! So a tool that keeps everything inside the conversation runs without approval, and one
//! that can change something outside needs it, until its author says otherwise.

use contract::{Category, KeyPrefix, SideEffects};
use serde_json::{Value, json};

pub(crate) const VERSION: &str = "0.0.0";
pub(crate) const LATENCY_BUDGET_MS: u32 = 3_000;
pub(crate) const TIMEOUT_MS: u32 = 60_000;

pub(crate) fn category() -> Category {
    Category::Action
}

/// `uses` are the services that the file imports; without any, and without capabilities, a tool
/// in the sandbox can change nothing.
pub(crate) fn side_effects(
    category: Option<Category>,
    uses: &[String],
    has_capabilities: bool,
) -> SideEffects {
    match category {
        Some(Category::Retrieval) => SideEffects::ReadOnly,
        Some(Category::Utility) => SideEffects::None,
        None if uses.is_empty() && !has_capabilities => SideEffects::ReadOnly,
        Some(Category::Action) | None => SideEffects::Writes,
    }
}

pub(crate) fn idempotent(category: Option<Category>) -> bool {
    match category {
        Some(Category::Retrieval | Category::Utility) => true,
        Some(Category::Action) | None => false,
    }
}

pub(crate) fn allowed_modes() -> Value {
    json!(["text"])
}

/// The keys that a tool may use, from what its file imports. A tool without effects has none.
pub(crate) fn kv(uses: &[String], side_effects: Option<SideEffects>) -> Option<Value> {
    let imports = uses.iter().any(|service| service == "kv");
    (imports && side_effects != Some(SideEffects::None)).then(|| json!([KeyPrefix::EVERY]))
}

/// Whether a person must approve first: only if something outside can change.
pub(crate) fn requires_confirmation(
    side_effects: Option<SideEffects>,
    capabilities: &Value,
) -> bool {
    let opens = |kind: &str| {
        capabilities.get(kind).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
    };
    side_effects == Some(SideEffects::Writes) && ["net", "files", "secrets"].into_iter().any(opens)
}
