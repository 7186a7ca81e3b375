//! A call as the model made it: a tool by name, with unchecked arguments.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The provider's name for one call; results are paired by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One call as the model made it. `tool` is text: the model may name a tool that does not exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: CallId,
    pub tool: String,
    pub args: Value,
}
