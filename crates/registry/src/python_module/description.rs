//! The descriptions of a module's tool, from its schema and docstring.

use contract::Contract;
use serde_json::Value;

use crate::check::{DESCRIPTION_CHARS_MAX, SUMMARY_CHARS_MAX, SUMMARY_LINES_MAX};
use crate::python_module::ModuleItem;

/// How much of a docstring is kept.
const DOC_CHARS_MAX: usize = 8_000;

/// The description: the schema's, otherwise the first paragraph of the docstring. A form or a
/// status line, which no model reads, has its label or name instead.
pub(crate) fn description(item: &ModuleItem) -> Option<String> {
    let label = item.ui_feature.as_ref().and_then(|ui| ui.get("label")).and_then(Value::as_str);
    let unread = if item.callable { "" } else { label.unwrap_or(&item.name) };
    let schema = item.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let doc = item.doc.as_deref().unwrap_or_default();
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default();
    [schema, paragraph, unread]
        .into_iter()
        .map(str::trim)
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}

/// The description within the providers' limit, and whether it was cut.
pub(crate) fn fitted(description: &str) -> (String, bool) {
    let cut = clip(description, DESCRIPTION_CHARS_MAX);
    let differs = cut != description;
    (cut, differs)
}

/// One to four lines for the prompt.
pub(crate) fn summary(description: &str) -> String {
    let lines: Vec<_> =
        description.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines.iter().take(SUMMARY_LINES_MAX).copied().collect::<Vec<_>>().join("\n");
    clip(&shown, SUMMARY_CHARS_MAX)
}

/// At most this many characters, cut between words, with an ellipsis.
fn clip(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars_max - 1).collect();
    let end = head.rfind(char::is_whitespace).filter(|end| *end > head.len() / 2);
    format!("{}…", head[..end.unwrap_or(head.len())].trim_end())
}

/// The guide for people, with what is known.
pub(crate) fn documentation(contract: &Contract, item: &ModuleItem, file: &str) -> String {
    let mut page = format!("# {}\n\n{}\n", contract.tool_id, contract.description.trim());
    let doc: String = item.doc.as_deref().unwrap_or_default().chars().take(DOC_CHARS_MAX).collect();
    let doc = doc.trim();
    if !doc.is_empty() && doc != contract.description.trim() {
        page += &format!("\n## From the source\n\n```text\n{}\n```\n", doc.replace("```", "'''"));
    }
    let properties = contract.parameters.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
        page += "\n## Arguments\n\n";
        let required = contract.parameters.get("required").and_then(Value::as_array);
        for (name, schema) in properties {
            let needed = required.is_some_and(|list| list.iter().any(|item| item == name));
            let needed = if needed { ", required" } else { "" };
            let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let kind = match schema.get("type") {
                Some(Value::String(kind)) => kind.as_str(),
                _ => "any",
            };
            page += format!("- `{name}` ({kind}{needed}) {}", about.trim()).trim_end();
            page.push('\n');
        }
    }
    // The page is part of the tool's digest: another wording would change every lock.
    page + &format!("\nThis page is made from `{file}`.\n")
}
