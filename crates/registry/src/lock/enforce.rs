//! Enforces the lock: a tool that differs from its lock entry does not run.
//!
//! In: a lock and a registry. Out: the registry without the tools that differ, each with its
//! changes. Tools that no longer exist are ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::ToolId;

use crate::build::Build;
use crate::diff::{ChangeWeight, diff};
use crate::excluded::ExcludedTool;
use crate::fault::{Faults, SourceLocation};
use crate::lock::Lock;
use crate::registry::Registry;
use crate::tool::Tool;

impl Registry {
    /// The faults of each tool that differs from the lock. `root` is the tools directory in
    /// messages.
    pub(crate) fn against(&self, lock: &Lock, root: &str) -> BTreeMap<ToolId, Faults> {
        let other = |tool: &&Arc<Tool>| {
            let locked = lock.tools.get(&tool.contract.tool_id);
            locked.is_none_or(|locked| locked.digest != tool.digests.whole())
        };
        let changed: Vec<_> = self.tools().filter(other).collect();
        if changed.is_empty() {
            return BTreeMap::new();
        }
        let changes = diff(lock, self);
        let faults = |tool: &Arc<Tool>| {
            let id = &tool.contract.tool_id;
            let place = SourceLocation::whole(&path(tool, root));
            let mut faults = Faults::default();
            let own = changes.iter().filter(|change| change.tool == id.as_str());
            for change in own.filter(|change| change.weight != ChangeWeight::Advice) {
                faults.not_as_locked(place.clone(), &change.sentence);
            }
            if faults.is_empty() {
                let shared = changes.iter().find(|change| change.tool.is_empty());
                let older = || format!("`{id}` was locked by an older version");
                let sentence = shared.map_or_else(older, |change| change.sentence.clone());
                faults.not_as_locked(place, &sentence);
            }
            (id.clone(), faults)
        };
        changed.into_iter().map(faults).collect()
    }

    /// The registry without the tools that differ from the lock.
    #[must_use]
    pub fn restricted_to(self, lock: &Lock, root: &str) -> Registry {
        let changed = self.against(lock, root);
        if changed.is_empty() {
            return self;
        }
        let waiting = changed.iter().filter_map(|(id, faults)| {
            let path = path(self.get(id.as_str())?, root);
            ExcludedTool::new(id.as_str(), path, faults)
        });
        let left_out: Vec<_> = self.excluded().iter().cloned().chain(waiting).collect();
        self.without(&changed.into_keys().collect()).with_excluded(left_out)
    }
}

impl Build {
    /// Adds a warning for every difference from the lock.
    pub fn compare(&mut self, lock: &Lock, root: &str) {
        for (_, faults) in self.registry.against(lock, root) {
            self.faults.append(faults);
        }
        self.faults.sort();
    }
}

/// The tool's own file, as faults show it.
fn path(tool: &Tool, root: &str) -> String {
    let file = tool.handler.path.split('#').next().unwrap_or_default();
    format!("{root}/{file}")
}
