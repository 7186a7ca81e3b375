//! One checked tool: its contract, its documents, its examples and its digests.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{Code, Contract, Digest, canonical_bytes};
use dialect::{Strictness, ToolSource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::environment::EnvironmentId;

/// A tool that passed every check.
#[derive(Debug, Clone)]
pub struct Tool {
    pub contract: Contract,
    /// What the model reads.
    pub summary: String,
    /// What people read.
    pub documentation: String,
    pub examples: Vec<Example>,
    pub handler: Handler,
    pub features: Features,
    /// The form or widget: `ui_feature` of a module's item, or the content of `ui.json`.
    pub ui: Option<Value>,
    /// The names a form may submit to.
    pub ui_handlers: Vec<String>,
    /// The position among all tools of modules, from 1: by file, then by item.
    /// A tool that is a directory has 0; see [`crate::Registry::in_order`].
    pub order: u32,
    pub digests: Digests,
    /// The code that a host loads, read when the registry was built. A JavaScript handler has
    /// itself and its imports; Python handlers share all Python files of the tools directory.
    pub code: Arc<Code>,
}

/// The digests represent the code, which a registry from a file does not have.
impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        let Tool {
            contract,
            summary,
            documentation,
            examples,
            handler,
            features,
            ui,
            ui_handlers,
            order,
            digests,
            code: _,
        } = self;
        *contract == other.contract
            && *summary == other.summary
            && *documentation == other.documentation
            && *examples == other.examples
            && *handler == other.handler
            && *features == other.features
            && *ui == other.ui
            && *ui_handlers == other.ui_handlers
            && *order == other.order
            && *digests == other.digests
    }
}

impl Tool {
    /// A built-in tool, made from its schema alone; none if the schema is not a contract.
    pub fn from_schema(schema: &Value) -> Option<Self> {
        let contract: Contract = serde_json::from_value(schema.clone()).ok()?;
        let digest = Digest::of(&canonical_bytes(schema));
        Some(Self {
            summary: contract.description.clone(),
            documentation: contract.description.clone(),
            examples: Vec::new(),
            handler: Handler { kind: HandlerKind::Native, path: String::new(), environment: None },
            features: Features::default(),
            ui: None,
            ui_handlers: Vec::new(),
            order: 0,
            digests: Digests {
                schema: digest,
                summary: digest,
                doc: digest,
                handler: digest,
                shared: None,
            },
            code: Arc::default(),
            contract,
        })
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.features.0.contains(&feature)
    }

    /// The text for every model: the summary, not the contract's `description`.
    pub fn for_model(&self) -> &str {
        self.summary.trim()
    }

    /// The tool as input for the dialect compiler.
    pub fn source(&self) -> ToolSource<'_> {
        ToolSource {
            name: self.contract.tool_id.as_str(),
            description: self.for_model(),
            parameters: &self.contract.parameters,
            strict: Strictness::Wanted,
        }
    }

    /// The item's name in its module; none for a directory.
    pub fn item_name(&self) -> Option<&str> {
        self.handler.path.split_once('#').map(|(_, name)| name)
    }
}

/// The features of a tool besides its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    /// A function that a model may call; without it the tool is a form or a status line.
    Callable,
    /// The function takes `metadata`.
    Metadata,
    /// The function yields chunks.
    Streaming,
    /// A condition says whether it is offered now.
    Conditional,
    /// It reports a status for the dashboard.
    Status,
    /// It cleans up after an answer.
    Cleanup,
}

impl Feature {
    pub fn as_str(self) -> &'static str {
        match self {
            Feature::Callable => "callable",
            Feature::Metadata => "metadata",
            Feature::Streaming => "streaming",
            Feature::Conditional => "conditional",
            Feature::Status => "status",
            Feature::Cleanup => "cleanup",
        }
    }
}

/// The features of one tool. A directory tool is only callable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Features(pub BTreeSet<Feature>);

impl Default for Features {
    fn default() -> Self {
        Features(BTreeSet::from([Feature::Callable]))
    }
}

impl Features {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What runs when the tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    pub kind: HandlerKind,
    /// Below the tools directory, with `/`; an item of a module is `core/calculator.py#add`.
    /// Empty for a native handler.
    pub path: String,
    /// The Python packages it needs.
    pub environment: Option<EnvironmentId>,
}

impl Handler {
    /// The file that holds the handler, without the name of an item.
    pub fn file(&self) -> &str {
        self.path.split_once('#').map_or(self.path.as_str(), |(file, _)| file)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerKind {
    JavaScript,
    Python,
    /// A Rust function of this program, found by the tool's id.
    Native,
}

/// A JSON example of `doc.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The heading above it, or its number.
    pub title: String,
    pub kind: ExampleKind,
    pub value: Value,
    /// Its first line in `doc.md`.
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExampleKind {
    /// Arguments that fit.
    Arguments,
    /// Returned data.
    Result,
    /// Arguments that must be refused.
    Invalid,
}

/// The digests of a tool that the lock records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    pub schema: Digest,
    pub summary: Digest,
    pub doc: Digest,
    /// The handler and every file beside it.
    pub handler: Digest,
    /// What it can load from elsewhere: shared modules, modules of other tools, installed
    /// packages. None if there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<Digest>,
}

impl Digests {
    /// One digest of the whole tool, which approvals are bound to.
    pub fn whole(&self) -> Digest {
        let Digests { schema, summary, doc, handler, shared } = self;
        let mut digester = contract::Digester::default();
        for part in [schema, summary, doc, handler].into_iter().chain(shared) {
            digester.part(part.to_string().as_bytes());
        }
        digester.finish()
    }
}
