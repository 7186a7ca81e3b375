//! The loss report: for each tool and target, how the wire schema differs from the contract.
//!
//! In: a registry and targets. Out: [`LossReport`]: the location of every difference, by tool,
//! with the targets that share it, and a count per target. Must hold: a tool without a line
//! is exact everywhere.

use std::collections::BTreeMap;

use dialect::{CompiledSet, Loss, LossKind, Target, ToolSet, ToolSource};
use rayon::prelude::*;
use serde::Serialize;

use crate::registry::Registry;

/// The losses of all tools for all targets.
#[derive(Debug, Serialize)]
pub struct LossReport {
    pub targets: Vec<TargetLosses>,
    pub lines: Vec<LossLine>,
}

/// How many tools of one target have which loss; each tool counts by its worst.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct TargetLosses {
    pub target: &'static str,
    pub exact: usize,
    pub reencoded: usize,
    pub noted: usize,
    pub degraded: usize,
    pub refused: usize,
}

/// One difference, and the targets that share it.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct LossLine {
    pub tool: String,
    /// The tool's `schema.json` or module below the tools directory.
    pub file: String,
    pub fate: LossKind,
    /// JSON pointer into the tool's `schema.json`, or into the `schema` of its item.
    pub pointer: String,
    pub keyword: String,
    pub what: String,
    pub targets: Vec<&'static str>,
}

impl Registry {
    /// Compiles the whole set for each target and collects the losses.
    pub fn losses(&self, targets: &[&'static Target]) -> LossReport {
        let set = ToolSet::read(&self.sources());
        let sets: Vec<_> =
            targets.par_iter().map(|target| (target.name, set.compile(target))).collect();
        LossReport {
            targets: sets.iter().map(|(target, set)| count(target, set)).collect(),
            lines: lines(&sets, self),
        }
    }

    /// The tools that a model may be offered, as the dialect compiler reads them.
    pub fn sources(&self) -> Vec<ToolSource<'_>> {
        self.callable().map(|tool| tool.source()).collect()
    }
}

fn count(target: &'static str, set: &CompiledSet) -> TargetLosses {
    let mut counts = TargetLosses { target, refused: set.refused.len(), ..TargetLosses::default() };
    for tool in &set.tools {
        match tool.losses.iter().map(|loss| loss.fate).max() {
            None => counts.exact += 1,
            Some(LossKind::Reencoded) => counts.reencoded += 1,
            Some(LossKind::Noted) => counts.noted += 1,
            Some(LossKind::Degraded) => counts.degraded += 1,
            Some(LossKind::Refused) => counts.refused += 1,
        }
    }
    counts
}

/// Losses with the same key are one line: tool, fate, pointer, keyword, sentence.
type Key = (String, LossKind, String, String, String);

fn lines(sets: &[(&'static str, CompiledSet)], registry: &Registry) -> Vec<LossLine> {
    let mut lines: BTreeMap<Key, Vec<&'static str>> = BTreeMap::new();
    for (target, set) in sets {
        let compiled = set.tools.iter().map(|tool| (&tool.name, &tool.losses));
        let refused = set.refused.iter().map(|tool| (&tool.name, &tool.faults));
        for (tool, losses) in compiled.chain(refused) {
            for Loss { fate, pointer, keyword, what, fix: _ } in losses {
                let pointer = format!("/parameters{pointer}");
                let key = (tool.clone(), *fate, pointer, keyword.clone(), what.clone());
                let targets = lines.entry(key).or_default();
                if !targets.contains(target) {
                    targets.push(target);
                }
            }
        }
    }
    let file = |tool: &str| {
        if let Some(tool) = registry.get(tool).filter(|tool| tool.item_name().is_some()) {
            return tool.handler.file().to_owned();
        }
        let directory = registry.get(tool).and_then(|tool| tool.handler.path.split_once('/'));
        let directory =
            directory.map_or_else(|| tool.replace('_', "-"), |(name, _)| name.to_owned());
        format!("{directory}/schema.json")
    };
    let line = |((tool, fate, pointer, keyword, what), targets): (Key, _)| LossLine {
        file: file(&tool),
        tool,
        fate,
        pointer,
        keyword,
        what,
        targets,
    };
    lines.into_iter().map(line).collect()
}
