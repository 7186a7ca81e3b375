//! One checked tool: its contract, its documents, its examples and its digests.

use contract::{Contract, Digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub contract: Contract,
    /// What the model reads.
    pub summary: String,
    /// What people read.
    pub documentation: String,
    pub examples: Vec<Example>,
    pub handler: Handler,
    pub features: Features,
    pub digests: Digests,
}

impl Tool {
    pub fn has(&self, feature: Feature) -> bool {
        self.features.0.contains(&feature)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    Callable,
    Metadata,
    Streaming,
    Conditional,
    Status,
    Cleanup,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Features(pub std::collections::BTreeSet<Feature>);

impl Default for Features {
    fn default() -> Self {
        Features(std::collections::BTreeSet::from([Feature::Callable]))
    }
}

/// What runs when the tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    pub kind: HandlerKind,
    /// Below the tools directory, with `/`; empty for a native handler.
    pub path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerKind {
    JavaScript,
    Python,
    /// A Rust function of this program, found by the tool's id.
    Native,
}

/// A JSON example out of `doc.md`.
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
    /// Data that comes back.
    Result,
    /// Arguments that must be refused.
    Invalid,
}

/// What the lock records of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    pub schema: Digest,
    pub summary: Digest,
    pub doc: Digest,
    /// The handler and every file beside it.
    pub handler: Digest,
}

impl Digests {
    /// One digest of the whole tool: what approvals are bound to.
    pub fn whole(&self) -> Digest {
        let Digests { schema, summary, doc, handler } = self;
        let mut digester = contract::Digester::default();
        for part in [schema, summary, doc, handler] {
            digester.part(part.to_string().as_bytes());
        }
        digester.finish()
    }
}
