//! `tools.lock`: the digests of each tool when it was last approved.
//!
//! The lock has the digests of the whole tool and the contract itself, so that a change can be
//! described. It belongs under version control.

pub(crate) mod enforce;

use std::collections::BTreeMap;
use std::path::Path;

use contract::{Digest, ToolId, canonical_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::environment::EnvironmentId;
use crate::registry::{Registry, RegistryVersion};
use crate::schema_order::sorted;
use crate::tool::{Digests, Features, Tool};

pub const LOCK_FILE: &str = "tools.lock";
const FORMAT: u32 = 1;

/// The record of every tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    format: u32,
    pub registry: RegistryVersion,
    /// The code that tools share.
    pub shared: Digest,
    /// Each shared file that some tool loads; locks of older versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shared_files: BTreeMap<String, Digest>,
    pub tools: BTreeMap<ToolId, LockedTool>,
}

/// One tool as it was approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    pub digest: Digest,
    pub schema: Digest,
    pub summary: Digest,
    pub doc: Digest,
    pub handler: Digest,
    /// The digest of what it loads from outside its own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<Digest>,
    #[serde(default, skip_serializing_if = "Features::is_default")]
    pub features: Features,
    /// The form or widget of a module's tool; that of a directory counts with its handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Digest>,
    /// The Python packages it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentId>,
    /// The contract, to describe what changed.
    pub contract: Value,
}

/// Why a lock file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockFault {
    #[error("the lock file `{path}` cannot be read")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the lock file `{path}` is damaged: {because}")]
    Damaged { path: String, because: String },
    #[error("the lock file `{path}` has format {found}; this program reads format {FORMAT}")]
    Format { path: String, found: u32 },
}

impl Lock {
    pub fn of(registry: &Registry) -> Self {
        let entry =
            |tool: &std::sync::Arc<Tool>| (tool.contract.tool_id.clone(), LockedTool::of(tool));
        Lock {
            format: FORMAT,
            registry: registry.version().clone(),
            shared: registry.shared(),
            shared_files: registry.shared_files().clone(),
            tools: registry.tools().map(entry).collect(),
        }
    }

    /// The bytes of the file: sorted and indented, for reviews.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads the lock; none if it does not exist yet.
    pub fn load(path: &Path) -> Result<Option<Self>, LockFault> {
        let shown = || path.display().to_string();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(LockFault::Unreadable { path: shown(), source }),
        };
        #[derive(Deserialize)]
        struct FormatOnly {
            format: u32,
        }
        let damaged = |error: serde_json::Error| LockFault::Damaged {
            path: shown(),
            because: error.to_string(),
        };
        let FormatOnly { format: found } = serde_json::from_slice(&bytes).map_err(damaged)?;
        match found {
            FORMAT => serde_json::from_slice(&bytes).map(Some).map_err(damaged),
            found => Err(LockFault::Format { path: shown(), found }),
        }
    }
}

impl LockedTool {
    fn of(tool: &Tool) -> Self {
        let Digests { schema, summary, doc, handler, shared } = tool.digests;
        let contract = serde_json::to_value(&tool.contract).unwrap_or_default();
        let form = tool.item_name().and(tool.ui.as_ref());
        LockedTool {
            digest: tool.digests.whole(),
            schema,
            summary,
            doc,
            handler,
            shared,
            features: tool.features.clone(),
            form: form.map(|form| Digest::of(&canonical_bytes(form))),
            environment: tool.handler.environment.clone(),
            contract: sorted(&contract),
        }
    }
}
