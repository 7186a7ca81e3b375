//! Reads tools off the wire: everything around the schema.

use serde_json::Value;

use super::{refusal::Report, target::Mode};

/// One of our tools in a request; the provider's own (such as web search) are not read.
#[derive(Debug)]
pub(crate) struct WireTool<'a> {
    /// Empty if the tool has no name; then it is already refused.
    pub(crate) name: &'a str,
    /// Pointer of the object that holds the name.
    pub(crate) pointer: String,
    pub(crate) body: &'a Value,
}

/// The characters of a name.
pub(crate) struct NameRule {
    pub(crate) first: fn(char) -> bool,
    pub(crate) rest: fn(char) -> bool,
    pub(crate) chars_max: usize,
    pub(crate) spelled: &'static str,
}

impl NameRule {
    pub(crate) fn fits(&self, name: &str) -> bool {
        let mut chars = name.chars();
        chars.next().is_some_and(self.first)
            && chars.all(self.rest)
            && name.chars().count() <= self.chars_max
    }
}

/// The items of a list with their pointers; anything but a list is refused.
pub(crate) fn items<'a>(
    report: &mut Report,
    holder: &'a Value,
    pointer: &str,
) -> Vec<(String, &'a Value)> {
    let Some(list) = holder.as_array() else {
        report.leave();
        report.refuse(pointer, "tools-shape", "tools are sent as a list");
        return Vec::new();
    };
    list.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)).collect()
}

/// The tool whose name is in `body`.
pub(crate) fn entry<'a>(report: &mut Report, body: &'a Value, pointer: &str) -> WireTool<'a> {
    let name = body.get("name").and_then(Value::as_str);
    report.enter(name.unwrap_or_default(), pointer);
    if !body.is_object() {
        report.refuse("", "tools-shape", "a tool is sent as an object");
    } else if name.is_none() {
        report.refuse("", "name", "the tool has no name");
    }
    if let Some(found) = body.get("description").filter(|found| !found.is_string()) {
        let message = format!("the description must be a string, not {found}");
        report.refuse("/description", "description", message);
    }
    WireTool { name: name.unwrap_or_default(), pointer: pointer.to_owned(), body }
}

impl<'a> WireTool<'a> {
    pub(crate) fn field(&self, key: &str) -> Option<&'a Value> {
        self.body.get(key)
    }

    /// The rules for this tool: its own `strict` decides, or `fallback` if it has none.
    pub(crate) fn mode(&self, fallback: Mode) -> Mode {
        match self.field("strict") {
            Some(Value::Bool(true)) => Mode::Strict,
            Some(_) => Mode::Plain,
            None => fallback,
        }
    }

    /// The schema under `key`; from here on refusals are about places inside it.
    pub(crate) fn enter_schema(&self, report: &mut Report, key: &str) -> Option<&'a Value> {
        let schema = self.field(key)?;
        report.enter(self.name, &format!("{}/{key}", self.pointer));
        Some(schema)
    }
}

/// Refuses fields that the provider's tool type does not have.
pub(crate) fn check_fields(report: &mut Report, entry: &WireTool<'_>, known: &[&str]) {
    report.enter(entry.name, &entry.pointer);
    for key in entry.body.as_object().into_iter().flat_map(|body| body.keys()) {
        if !known.contains(&key.as_str()) {
            let message =
                format!("`{key}` is not a field of a tool here; known: {}", known.join(", "));
            report.refuse(&format!("/{}", super::walk::escape(key)), "tool-field", message);
        }
    }
}

/// Refuses a `strict` that is not a boolean.
pub(crate) fn check_strict_flag(report: &mut Report, entry: &WireTool<'_>) {
    report.enter(entry.name, &entry.pointer);
    if entry.field("strict").is_some_and(|flag| !flag.is_boolean() && !flag.is_null()) {
        report.refuse("/strict", "tool-field", "`strict` must be true or false");
    }
}

/// Refuses names that break the rule or appear twice.
pub(crate) fn check_names(report: &mut Report, entries: &[WireTool<'_>], rule: &NameRule) {
    for (index, entry) in entries.iter().enumerate() {
        report.enter(entry.name, &entry.pointer);
        if entry.field("name").is_some() && !rule.fits(entry.name) {
            let message = format!("the name must match {}", rule.spelled);
            report.refuse("/name", "name", message);
        }
        if entries[..index].iter().any(|earlier| earlier.name == entry.name) {
            report.refuse("", "name-unique", format!("two tools are named `{}`", entry.name));
        }
    }
}
