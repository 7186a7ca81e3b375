//! All checked tools, with one version for their content.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use contract::{Digest, ToolId};
use serde::{Deserialize, Serialize};

use crate::excluded::ExcludedTool;
use crate::tool::{Feature, Tool};

/// The tools of a tree, by id. The same files give the same registry on every machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    version: RegistryVersion,
    tools: BTreeMap<ToolId, Arc<Tool>>,
    shared: Shared,
    /// By name.
    left_out: Arc<[ExcludedTool]>,
}

/// Shared code.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// Of all `_` folders and helpers.
    pub digest: Digest,
    /// Every file that some tool loads from outside its own files.
    pub files: Arc<BTreeMap<String, Digest>>,
}

/// The digest represents the files.
impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

/// `1.0.` and eight hex digits of the content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RegistryVersion(String);

impl RegistryVersion {
    /// The version of a registry without tools.
    pub fn empty() -> Self {
        Self("1.0.00000000".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RegistryVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Registry {
    pub(crate) fn new(tools: BTreeMap<ToolId, Arc<Tool>>, shared: Shared) -> Self {
        let version = version_of(&tools);
        Self { version, tools, shared, left_out: Arc::default() }
    }

    /// The same registry, with its excluded tools.
    pub(crate) fn with_excluded(self, mut left_out: Vec<ExcludedTool>) -> Self {
        left_out.sort_by(|one, other| (&one.name, &one.path).cmp(&(&other.name, &other.path)));
        Self { left_out: left_out.into(), ..self }
    }

    /// A registry without tools.
    pub fn empty() -> Self {
        let digest = contract::Digester::default().finish();
        Self::new(BTreeMap::new(), Shared { digest, files: Arc::default() })
    }

    /// A registry from a file: the version is the one that the build wrote.
    pub(crate) fn loaded(
        version: RegistryVersion,
        tools: BTreeMap<ToolId, Arc<Tool>>,
        shared: Digest,
    ) -> Self {
        let shared = Shared { digest: shared, files: Arc::default() };
        Self { version, tools, shared, left_out: Arc::default() }
    }

    pub fn version(&self) -> &RegistryVersion {
        &self.version
    }

    pub fn shared(&self) -> Digest {
        self.shared.digest
    }

    /// Every file that some tool loads from outside its own files, with its digest. Empty in a registry
    /// that was loaded from a file.
    pub fn shared_files(&self) -> &BTreeMap<String, Digest> {
        &self.shared.files
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Tool>> {
        self.tools.get(id)
    }

    /// The tools that have faults: they are not part of the registry otherwise.
    pub fn excluded(&self) -> &[ExcludedTool] {
        &self.left_out
    }

    /// The excluded tool with this name, if no valid tool has it.
    pub fn left_out_as(&self, name: &str) -> Option<&ExcludedTool> {
        let exact = || self.left_out.iter().find(|one| one.name == name);
        let meant = || self.left_out.iter().find(|one| one.is_called(name));
        match self.get(name) {
            Some(_) => None,
            None => exact().or_else(meant),
        }
    }

    /// The tools in the order of their ids.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// The tools in the order of registration: directories by id, then the items of
    /// modules by file and position. Auto tools run in this order.
    pub fn in_order(&self) -> Vec<&Arc<Tool>> {
        let mut tools: Vec<_> = self.tools().collect();
        tools.sort_by_key(|tool| tool.order);
        tools
    }

    /// The same registry with only one tool.
    pub fn only(&self, id: &ToolId) -> Registry {
        let tools = self.tools.get_key_value(id).into_iter();
        let tools = tools.map(|(id, tool)| (id.clone(), Arc::clone(tool))).collect();
        Registry::new(tools, self.shared.clone())
    }

    /// The same registry without these tools.
    pub(crate) fn without(&self, ids: &BTreeSet<ToolId>) -> Registry {
        let remaining = self.tools.iter().filter(|(id, _)| !ids.contains(*id));
        let remaining = remaining.map(|(id, tool)| (id.clone(), Arc::clone(tool))).collect();
        Registry {
            left_out: Arc::clone(&self.left_out),
            ..Registry::new(remaining, self.shared.clone())
        }
    }

    /// The same registry with only some of its tools.
    #[must_use]
    pub fn retained(&self, keep: impl Fn(&Tool) -> bool) -> Registry {
        let dropped = self.tools().filter(|tool| !keep(tool));
        self.without(&dropped.map(|tool| tool.contract.tool_id.clone()).collect())
    }

    /// The same registry with additional tools; existing tools are kept.
    #[must_use]
    pub fn with(self, others: impl IntoIterator<Item = Tool>) -> Registry {
        let mut tools = self.tools;
        for tool in others {
            tools.entry(tool.contract.tool_id.clone()).or_insert_with(|| Arc::new(tool));
        }
        Registry { left_out: self.left_out, ..Registry::new(tools, self.shared) }
    }

    /// The tools a model may be offered: those with a function to call.
    pub fn callable(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools().filter(|tool| tool.has(Feature::Callable))
    }

    pub fn len(&self) -> usize {
        self.tools.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The summaries for a system prompt.
    pub fn summaries(&self) -> String {
        let line = |tool: &Arc<Tool>| {
            let Tool { contract, summary, .. } = tool.as_ref();
            format!("**{}** ({}): {}\n", contract.tool_id, contract.category, summary)
        };
        self.callable().map(line).collect()
    }
}

/// The hash of what the model sees of each tool: id, version, schema, summary.
/// Each part is included by its own digest over canonical text.
fn version_of(tools: &BTreeMap<ToolId, Arc<Tool>>) -> RegistryVersion {
    if tools.is_empty() {
        return RegistryVersion::empty();
    }
    let mut digester = contract::Digester::default();
    for (id, tool) in tools {
        digester.part(id.as_str().as_bytes());
        digester.part(tool.contract.version.to_string().as_bytes());
        digester.part(tool.digests.schema.to_string().as_bytes());
        digester.part(tool.digests.summary.to_string().as_bytes());
    }
    RegistryVersion(format!("1.0.{}", digester.finish().short()))
}
