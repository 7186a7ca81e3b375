//! Renders the loss report: how the wire schema of each provider differs from the contract.

use std::path::Path;

use dialect::LossKind;
use mcp::client::MCP_HANDLER_PREFIX;
use registry::{LossLine, LossReport, TargetLosses};

use crate::render::printer::{bold, dim};

/// One line per target: how many tools have which losses.
pub(crate) fn table(report: &LossReport) -> Vec<String> {
    let mut rows = vec![bold(format!(
        "{:<24}{:>7}{:>12}{:>7}{:>10}{:>9}",
        "target", "exact", "re-encoded", "noted", "degraded", "refused"
    ))];
    for losses in &report.targets {
        let TargetLosses { target, exact, reencoded, noted, degraded, refused } = losses;
        rows.push(format!(
            "{target:<24}{:>7}{:>12}{:>7}{:>10}{:>9}",
            blank(*exact),
            blank(*reencoded),
            blank(*noted),
            blank(*degraded),
            blank(*refused)
        ));
    }
    rows
}

/// A count, or a dot for zero.
fn blank(count: usize) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}

/// A short block per tool: fields with the same loss and targets share a line.
pub(crate) fn brief(report: &LossReport, dir: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    for tool in report.lines.chunk_by(|one, next| one.tool == next.tool) {
        rows.push(format!("{}  {}", bold(&tool[0].tool), dim(file(dir, &tool[0]))));
        let mut groups: Vec<(LossKind, &[&str], Vec<String>)> = Vec::new();
        for line in tool {
            let alike = |group: &&mut (LossKind, &[&str], Vec<String>)| {
                group.0 == line.fate && group.1 == line.targets
            };
            match groups.iter_mut().find(alike) {
                Some(group) => group.2.push(field(line)),
                None => groups.push((line.fate, &line.targets, vec![field(line)])),
            }
        }
        for (fate, targets, fields) in groups {
            rows.push(format!("  {:<10}  {}", word(fate), fields.join(", ")));
            rows.push(format!("  {:<10}  {}", "", dim(targets.join(", "))));
        }
    }
    rows
}

/// `/parameters/properties/to/items/format` is `to[].format`.
fn field(line: &LossLine) -> String {
    let mut field = String::new();
    let steps: Vec<_> = line.pointer.split('/').skip(2).collect();
    let mut named = false;
    for step in steps {
        match step {
            "properties" if !named => named = true,
            "items" if !named => field.push_str("[]"),
            step => {
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(&step.replace("~1", "/").replace("~0", "~"));
                named = false;
            }
        }
    }
    match (field.is_empty(), line.fate) {
        (true, _) => line.what.clone(),
        (false, LossKind::Refused) => format!("{field} ({})", line.what),
        (false, LossKind::Reencoded | LossKind::Noted | LossKind::Degraded) => field,
    }
}

/// A block per tool: each loss, its place in the file, and its targets.
pub(crate) fn details(report: &LossReport, dir: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    let mut tool = "";
    for line in &report.lines {
        if line.tool != tool {
            tool = &line.tool;
            rows.push(format!("{}  {}", bold(tool), dim(file(dir, line))));
        }
        rows.extend(detail(line));
    }
    rows
}

fn detail(line: &LossLine) -> [String; 2] {
    let LossLine { tool: _, file: _, fate, pointer, keyword: _, what, targets } = line;
    [
        format!("  {:<10}  #{pointer}: {what}", word(*fate)),
        format!("  {:<10}  {}", "", dim(targets.join(", "))),
    ]
}

fn file(dir: &Path, line: &LossLine) -> String {
    if let Some(server) = line.file.strip_prefix(MCP_HANDLER_PREFIX) {
        return format!("MCP server `{server}`");
    }
    dir.join(&line.file).display().to_string()
}

pub(crate) fn word(fate: LossKind) -> &'static str {
    match fate {
        LossKind::Reencoded => "re-encoded",
        LossKind::Noted => "noted",
        LossKind::Degraded => "degraded",
        LossKind::Refused => "refused",
    }
}
