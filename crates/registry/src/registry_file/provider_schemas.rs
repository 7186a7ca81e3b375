//! The wire entries of one tool: the `providerSchemas` of the registry file.

use std::collections::BTreeMap;

use dialect::{Target, ToolSet, target};
use serde_json::Value;

use crate::tool::{Feature, Tool};

/// The names in the registry file, and their targets.
const PROVIDERS: [(&str, &str); 3] =
    [("anthropic", "anthropic"), ("openai", "openai-chat"), ("geminiNative", "gemini-parameters")];

/// The wire entry of a tool for each provider that supports it; none if no model can call it.
pub(crate) fn provider_schemas(tool: &Tool) -> BTreeMap<String, Value> {
    if !tool.has(Feature::Callable) {
        return BTreeMap::new();
    }
    let set = ToolSet::read(&[tool.source()]);
    let spelled = |(name, target): (&str, &'static Target)| {
        let wire = set.compile(target).tools.pop()?.wire;
        Some((name.to_owned(), wire))
    };
    let known = PROVIDERS.iter().filter_map(|(name, of)| Some((*name, target(of)?)));
    known.filter_map(spelled).collect()
}
