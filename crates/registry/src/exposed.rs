//! The tools that are offered to other programs, and their names there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Feature, Registry, Tool};
use contract::Mode;

/// The offered tools by their wire names. Leaves out tools that run automatically, that are for
/// voice only, or that are only a form.
pub fn exposed_tools(registry: &Registry) -> BTreeMap<String, Arc<Tool>> {
    let tools: Vec<_> = registry.tools().filter(|tool| is_offered(tool)).collect();
    let names = wire_names(tools.iter().map(|tool| tool.contract.tool_id.as_str()).collect());
    let named = |tool: &&Arc<Tool>| Some(names.get(tool.contract.tool_id.as_str())?.clone());
    tools.iter().filter_map(|tool| Some((named(tool)?, Arc::clone(tool)))).collect()
}

fn is_offered(tool: &Tool) -> bool {
    let contract = &tool.contract;
    tool.has(Feature::Callable) && !contract.auto && contract.allowed_modes.contains(&Mode::Text)
}

/// Many programs accept no dot in a name, so it becomes `_`. Names stay distinct.
fn wire_names(ids: Vec<&str>) -> BTreeMap<&str, String> {
    let (plain, dotted): (Vec<_>, Vec<_>) = ids.into_iter().partition(|id| !id.contains('.'));
    let mut taken: BTreeSet<String> = plain.iter().map(|id| (*id).to_owned()).collect();
    let mut names: BTreeMap<_, _> = plain.iter().map(|id| (*id, (*id).to_owned())).collect();
    for id in dotted {
        let preferred = id.replace('.', "_");
        let others = (2..).map(|number| format!("{preferred}_{number}"));
        let mut candidates = std::iter::once(preferred.clone()).chain(others);
        let name = candidates.find(|name| !taken.contains(name)).unwrap_or(preferred);
        taken.insert(name.clone());
        names.insert(id, name);
    }
    names
}

#[cfg(test)]
mod tests;
