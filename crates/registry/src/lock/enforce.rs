//! Enforces the lock: a tool that differs from its lock entry does not run.
//!
//! In: a lock and a registry. Out: the registry without the tools that differ, each with its
//! changes. Tools that no longer exist are ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::ToolId;

use crate::build::Build;
use crate::diff::{ChangeWeight, ChangedPart, diff};
use crate::excluded::ExcludedTool;
use crate::fault::{Faults, SourceLocation};
use crate::lock::Lock;
use crate::registry::Registry;
use crate::source::File;
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
            let place = |part| SourceLocation::whole(&format!("{root}/{}", file_of(tool, part)));
            let mut faults = Faults::default();
            let own = changes.iter().filter(|change| change.tool == id.as_str());
            for change in own.filter(|change| change.weight != ChangeWeight::Advice) {
                faults.not_as_locked(place(&change.part), &change.sentence);
            }
            if faults.is_empty() {
                let shared = changes.iter().find(|change| change.tool.is_empty());
                match shared {
                    Some(change) => faults.not_as_locked(place(&change.part), &change.sentence),
                    None => {
                        let sentence = format!("`{id}` was locked by an older version");
                        faults.not_as_locked(place(&ChangedPart::Tool), &sentence);
                    }
                }
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
            let file = self.get(id.as_str())?.handler.file();
            ExcludedTool::new(id.as_str(), format!("{root}/{file}"), faults)
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

/// The file below the tools directory that holds a part of a tool. A module is one file.
fn file_of(tool: &Tool, part: &ChangedPart) -> String {
    let handler = tool.handler.file();
    let folder = handler.rsplit_once('/').map(|(folder, _)| folder);
    let folder = folder.filter(|_| tool.item_name().is_none());
    let beside = |name: &str| match folder {
        Some(folder) => format!("{folder}/{name}"),
        None => handler.to_owned(),
    };
    match part {
        ChangedPart::Contract => beside(File::Schema.name()),
        ChangedPart::Summary => beside(File::Summary.name()),
        ChangedPart::Documentation => beside(File::Doc.name()),
        ChangedPart::Shared(Some(file)) => file.clone(),
        ChangedPart::Tool | ChangedPart::Handler | ChangedPart::Shared(None) => handler.to_owned(),
    }
}
