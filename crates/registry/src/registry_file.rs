//! `tool_registry.json`: what a build writes and a program loads.
//!
//! One tool per line, keys in a fixed order: the same tools give the same bytes, except for the
//! time and the commit. A file of another format is refused with a fix, never partly read.

pub(crate) mod provider_schemas;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use contract::{
    AskKind, Capabilities, Category, Contract, Digest, Mode, Reuse, SideEffects, ToolId, Version,
};
use rayon::prelude::*;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::environment::EnvironmentId;
use crate::registry::{Registry, RegistryVersion};
use crate::registry_file::provider_schemas::provider_schemas;
use crate::schema_order::sorted;
use crate::tool::{Digests, Example, Features, Handler, HandlerKind, Tool};

pub const REGISTRY_FILE: &str = "tool_registry.json";

/// The format of the file. It is increased when an older program could misread a newer file.
const FORMAT: u32 = 1;
/// How large a registry file may be.
const BYTES_MAX: u64 = 1 << 30;

/// When and from what a registry was built; not part of the version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildStamp {
    /// The short commit, or `unknown`.
    pub git_commit: String,
    /// RFC 3339, UTC.
    pub build_timestamp: String,
}

/// Why a registry file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    #[error("there is no registry at `{path}`")]
    Missing { path: String },
    #[error("the registry `{path}` cannot be read")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the registry `{path}` is damaged: {because}")]
    Damaged { path: String, because: String },
    #[error("the registry `{path}` has format {found}; this program reads format {FORMAT}")]
    Format { path: String, found: u64 },
}

impl LoadFault {
    /// What the user can do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            LoadFault::Missing { .. } | LoadFault::Damaged { .. } | LoadFault::Format { .. } => {
                "run `ghosthand build`"
            }
            LoadFault::Unreadable { .. } => "check that this user may read the file",
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    format: u32,
    version: &'a RegistryVersion,
    git_commit: &'a str,
    build_timestamp: &'a str,
    shared: Digest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    version: RegistryVersion,
    shared: Digest,
    tools: Vec<FileEntry<IgnoredAny>>,
}

/// One tool in the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "they are the fields of schema.json")]
struct FileEntry<P> {
    tool_id: ToolId,
    version: Version,
    category: Category,
    description: String,
    side_effects: SideEffects,
    idempotent: bool,
    requires_confirmation: bool,
    allowed_modes: Vec<Mode>,
    latency_budget_ms: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Reuse::is_default")]
    reuse: Reuse,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    one_time: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    auto: bool,
    #[serde(default, skip_serializing_if = "Capabilities::is_empty")]
    capabilities: Capabilities,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    asks: Vec<AskKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ui: Option<String>,
    json_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    returns: Option<Value>,
    summary: String,
    documentation: String,
    examples: Vec<Example>,
    handler_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    python_environment: Option<EnvironmentId>,
    #[serde(default, skip_serializing_if = "Features::is_default")]
    features: Features,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    form: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ui_handlers: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    order: u32,
    digests: Digests,
    /// The wire entry for each provider; a program that loads the file compiles its own set.
    provider_schemas: P,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(order: &u32) -> bool {
    *order == 0
}

impl Registry {
    /// The bytes of the registry file.
    pub fn to_json(&self, stamp: &BuildStamp) -> Result<Vec<u8>, serde_json::Error> {
        let head = Head {
            format: FORMAT,
            version: self.version(),
            git_commit: &stamp.git_commit,
            build_timestamp: &stamp.build_timestamp,
            shared: self.shared(),
        };
        let mut out = serde_json::to_vec(&head)?;
        out.pop();
        out.extend_from_slice(b",\"tools\":[");
        let tools: Vec<_> = self.tools().collect();
        let lines: Vec<_> =
            tools.par_iter().map(|tool| serde_json::to_vec(&entry_of(tool))).collect();
        for (index, line) in lines.into_iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
            out.extend(line?);
        }
        out.extend_from_slice(b"\n]}\n");
        Ok(out)
    }

    /// Reads a registry file that a build of this format wrote.
    pub fn load(path: &Path) -> Result<Self, LoadFault> {
        let shown = || path.display().to_string();
        let bytes = match path.metadata().map(|metadata| metadata.len()) {
            Ok(length) if length <= BYTES_MAX => std::fs::read(path),
            Ok(length) => Err(std::io::Error::other(format!("it has {length} bytes"))),
            Err(error) => Err(error),
        };
        let bytes = bytes.map_err(|source| {
            if source.kind() == std::io::ErrorKind::NotFound {
                LoadFault::Missing { path: shown() }
            } else {
                LoadFault::Unreadable { path: shown(), source }
            }
        })?;
        Self::from_json(&bytes, &shown())
    }

    pub(crate) fn from_json(bytes: &[u8], path: &str) -> Result<Self, LoadFault> {
        #[derive(Deserialize)]
        struct FormatOnly {
            format: Option<u64>,
        }
        let damaged = |error: serde_json::Error| LoadFault::Damaged {
            path: path.to_owned(),
            because: error.to_string(),
        };
        // The format comes first, so a file of another format is recognised without reading all of it.
        let format = match serde_json::from_slice::<File>(bytes) {
            Ok(file) if head_format(bytes) == Some(u64::from(FORMAT)) => {
                return registry_of(file, path);
            }
            Ok(_) => head_format(bytes).unwrap_or_default(),
            Err(error) => match serde_json::from_slice::<FormatOnly>(bytes) {
                Ok(FormatOnly { format: Some(found) }) if found == u64::from(FORMAT) => {
                    return Err(damaged(error));
                }
                Ok(FormatOnly { format }) => format.unwrap_or_default(),
                Err(_) => return Err(damaged(error)),
            },
        };
        Err(LoadFault::Format { path: path.to_owned(), found: format })
    }
}

/// The format in the first bytes of the file: `{"format":1,`.
fn head_format(bytes: &[u8]) -> Option<u64> {
    let digits = bytes.strip_prefix(b"{\"format\":")?;
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&digits[..length]).ok()?.parse().ok()
}

fn registry_of(file: File, path: &str) -> Result<Registry, LoadFault> {
    let File { version, shared, tools: entries } = file;
    let count = entries.len();
    let tools: BTreeMap<_, _> = entries
        .into_iter()
        .map(|entry| (entry.tool_id.clone(), Arc::new(tool_of(entry))))
        .collect();
    if tools.len() != count {
        let because = "a tool appears twice".to_owned();
        return Err(LoadFault::Damaged { path: path.to_owned(), because });
    }
    Ok(Registry::loaded(version, tools, shared))
}

fn entry_of(tool: &Tool) -> FileEntry<BTreeMap<String, Value>> {
    let Tool {
        contract,
        summary,
        documentation,
        examples,
        handler,
        features,
        ui: form,
        ui_handlers,
        order,
        digests,
        code: _,
    } = tool.clone();
    let Contract {
        tool_id,
        version,
        description,
        category,
        side_effects,
        idempotent,
        requires_confirmation,
        allowed_modes,
        latency_budget_ms,
        parameters,
        returns,
        timeout_ms,
        reuse,
        one_time,
        auto,
        capabilities,
        asks,
        ui,
    } = contract;
    let sort = |example: Example| Example { value: sorted(&example.value), ..example };
    FileEntry {
        tool_id,
        version,
        category,
        description,
        side_effects,
        idempotent,
        requires_confirmation,
        allowed_modes,
        latency_budget_ms,
        timeout_ms,
        reuse,
        one_time,
        auto,
        capabilities,
        asks,
        ui,
        json_schema: parameters,
        returns,
        summary,
        documentation,
        examples: examples.into_iter().map(sort).collect(),
        handler_path: handler.path,
        python_environment: handler.environment,
        features,
        form: form.as_ref().map(sorted),
        ui_handlers,
        order,
        digests,
        provider_schemas: provider_schemas(tool),
    }
}

fn tool_of(entry: FileEntry<IgnoredAny>) -> Tool {
    let file = entry.handler_path.split('#').next().unwrap_or_default();
    let kind = match file.rsplit_once('.') {
        Some((_, "js")) => HandlerKind::JavaScript,
        Some((_, "py")) => HandlerKind::Python,
        _ => HandlerKind::Native,
    };
    let environment = entry.python_environment;
    Tool {
        contract: Contract {
            tool_id: entry.tool_id,
            version: entry.version,
            description: entry.description,
            category: entry.category,
            side_effects: entry.side_effects,
            idempotent: entry.idempotent,
            requires_confirmation: entry.requires_confirmation,
            allowed_modes: entry.allowed_modes,
            latency_budget_ms: entry.latency_budget_ms,
            parameters: entry.json_schema,
            returns: entry.returns,
            timeout_ms: entry.timeout_ms,
            reuse: entry.reuse,
            one_time: entry.one_time,
            auto: entry.auto,
            capabilities: entry.capabilities,
            asks: entry.asks,
            ui: entry.ui,
        },
        summary: entry.summary,
        documentation: entry.documentation,
        examples: entry.examples,
        handler: Handler { kind, path: entry.handler_path, environment },
        features: entry.features,
        ui: entry.form,
        ui_handlers: entry.ui_handlers,
        order: entry.order,
        digests: entry.digests,
        // The registry file has no code; a program that runs tools reads their files.
        code: Arc::default(),
    }
}
