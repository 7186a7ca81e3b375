//! Gives every tool a unique name that the target accepts.

use std::collections::HashSet;

use super::ToolSource;
use crate::loss::Loss;
use crate::lower::{free_name, plain_text, shortened};
use crate::target::{NameRule, Target};

/// One wire name per tool; none for a tool whose name is a duplicate.
pub(super) struct WireNames {
    pub(super) list: Vec<Option<String>>,
}

impl WireNames {
    /// Legal names are kept, and reserved before any other is created.
    pub(super) fn assign(tools: &[ToolSource<'_>], target: &Target) -> Self {
        let rule = target.names;
        let mut seen = HashSet::new();
        let mut taken: HashSet<String> = HashSet::new();
        let first: Vec<bool> = tools.iter().map(|tool| seen.insert(tool.name)).collect();
        for tool in tools.iter().filter(|tool| rule.takes(tool.name)) {
            taken.insert(tool.name.to_owned());
        }
        let mut list = Vec::with_capacity(tools.len());
        for (tool, first) in tools.iter().zip(first) {
            if !first {
                list.push(None);
            } else if rule.takes(tool.name) {
                list.push(Some(tool.name.to_owned()));
            } else {
                let name = free_name(&legal(tool.name, rule), |name| taken.contains(name));
                taken.insert(name.clone());
                list.push(Some(name));
            }
        }
        Self { list }
    }
}

fn legal(name: &str, rule: NameRule) -> String {
    let plain = shortened(&plain_text(name, &['_', '-']), name);
    match rule {
        NameRule::Identifier
            if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') =>
        {
            shortened(&format!("_{plain}"), name)
        }
        NameRule::Any | NameRule::Plain | NameRule::Identifier | NameRule::Dotted => plain,
    }
}

pub(super) fn twice(name: &str) -> Loss {
    Loss::refused(
        "",
        "name",
        format!("the name `{name}` is already used"),
        "give each tool its own name",
    )
}
