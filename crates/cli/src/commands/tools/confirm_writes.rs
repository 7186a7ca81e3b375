//! Tools that came from elsewhere ask before they write: `tools import` says so in `tools.toml`,
//! where whoever runs them takes it back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use contract::SideEffects;
use registry::{Build, Feature, SETTINGS_FILE, Tool, write_atomically};

use crate::exit::Failure;

const SETTING: &str = "requires_confirmation";

const HEAD: &str = "\
# These tools came from elsewhere and write something, so a person is asked each time.
# Write `requires_confirmation = false` for those that you trust.
";

/// Writes the setting for every imported tool that would write unasked. Gives their ids.
///
/// What `tools.toml` says already stays: it is the word of whoever runs the tools.
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
                return Err(Failure::user(what, "check that this user may read it"));
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

/// An auto tool runs before every answer and cannot ask; what is only shown runs by hand.
fn writes_unasked(tool: &Tool) -> bool {
    let contract = &tool.contract;
    contract.side_effects == SideEffects::Writes
        && !contract.requires_confirmation
        && !contract.auto
        && tool.has(Feature::Callable)
}

/// The file with the setting for those tools of which it says nothing; nothing if it says
/// something of all of them, or cannot be read.
fn with_setting(there: &str, names: &[&str]) -> Option<String> {
    let said: toml::Table = there.parse().ok()?;
    let mut text = there.to_owned();
    let mut is_changed = false;
    for name in names {
        let line = format!("{SETTING} = true\n");
        match said.get(*name).and_then(toml::Value::as_table) {
            Some(table) if table.contains_key(SETTING) => continue,
            Some(_) => {
                // Below the heading, if it stands on a line of its own.
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

/// A name as TOML writes it before `]`.
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
