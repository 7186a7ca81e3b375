//! Makes imported tools ask before they write: `tools import` sets that in `tools.toml`, where the
//! operator can change it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use contract::SideEffects;
use files::write_atomically;
use registry::{Build, Feature, SETTINGS_FILE, Tool};

use crate::exit::Failure;

const SETTING: &str = "requires_confirmation";

const HEAD: &str = "\
# These tools are imported and write something, so each call needs approval.
# Set `requires_confirmation = false` for those that you trust.
";

/// Adds the setting for every imported tool that would write without approval; returns their ids.
///
/// Existing settings in `tools.toml` stay: they are the decision of the operator.
pub(super) fn ask_before_writing(
    build: &Build,
    imported: &BTreeSet<&str>,
    into: &Path,
) -> Result<Vec<String>, Failure> {
    let mut by_folder: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
    let order = build.registry.in_order();
    for tool in order.iter().filter(|tool| imported.contains(tool.handler.file())) {
        if writes_unasked(tool) {
            let file = tool.handler.file();
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            by_folder.entry(folder).or_default().push(tool);
        }
    }
    let mut asking = Vec::new();
    for (folder, tools) in by_folder {
        let path = into.join(folder).join(SETTINGS_FILE);
        let there = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                let what = anyhow::Error::new(error);
                let what = what.context(format!("`{}` cannot be read", path.display()));
                return Err(Failure::user(what, "check that you can read it"));
            }
        };
        let names: Vec<_> = tools.iter().filter_map(|tool| tool.item_name()).collect();
        let Some(text) = with_setting(&there, &names) else { continue };
        write_atomically(&path, text.as_bytes())
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
        asking.extend(tools.iter().map(|tool| tool.contract.tool_id.to_string()));
    }
    Ok(asking)
}

/// Automatic tools cannot ask, and tools without a function run by hand only.
fn writes_unasked(tool: &Tool) -> bool {
    let contract = &tool.contract;
    contract.side_effects == SideEffects::Writes
        && !contract.requires_confirmation
        && !contract.auto
        && tool.has(Feature::Callable)
}

/// The file with the setting added for tools that lack it; `None` if none does, or if the file
/// cannot be parsed.
fn with_setting(there: &str, names: &[&str]) -> Option<String> {
    let existing: toml::Table = there.parse().ok()?;
    let mut text = there.to_owned();
    let mut is_changed = false;
    for name in names {
        let line = format!("{SETTING} = true\n");
        match existing.get(*name).and_then(toml::Value::as_table) {
            Some(table) if table.contains_key(SETTING) => continue,
            Some(_) => {
                // Below the heading, if that is a line.
                let heading = [format!("[{name}]"), format!("[{}]", quoted(name))];
                let at = text.split_inclusive('\n').scan(0, |end, line| {
                    *end += line.len();
                    Some((*end, line.trim()))
                });
                let at = at.into_iter().find(|(_, line)| heading.iter().any(|head| head == line));
                let Some((end, _)) = at else { continue };
                text.insert_str(end, &line);
            }
            None => {
                if !text.contains(HEAD) {
                    let gap = if text.is_empty() { "" } else { "\n" };
                    text.push_str(&format!("{gap}{HEAD}"));
                }
                text.push_str(&format!("\n[{}]\n{line}", key(name)));
            }
        }
        is_changed = true;
    }
    is_changed.then_some(text)
}

/// A name as a TOML key.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

fn quoted(name: &str) -> String {
    toml::Value::String(name.to_owned()).to_string()
}

#[cfg(test)]
mod tests;
