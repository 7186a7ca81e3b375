//! MCP tool lists, and the list for an OpenAPI document: any 2020-12 schema.

use serde_json::Value;

use crate::rules::{
    check,
    refusal::Report,
    shape::{self, Edition},
    walk::walk,
    wire::{self, NameRule, WireTool},
};

/// The specification says SHOULD; some clients enforce it (unproven), and renaming is free.
const NAME: NameRule = NameRule {
    first: is_name_char,
    rest: is_name_char,
    chars_max: 128,
    spelled: "^[A-Za-z0-9_.-]{1,128}$",
};

const HINTS: &[&str] = &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

fn is_name_char(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

pub(crate) fn check_tools(report: &mut Report, tools: &Value) {
    let entries = entries(report, tools);
    wire::check_names(report, &entries, &NAME);
    for entry in &entries {
        check_annotations(report, entry);
        match entry.enter_schema(report, "inputSchema") {
            Some(schema) => check_schema(report, schema, Root::Object),
            None => report.refuse("", "schema-missing", "`inputSchema` is required"),
        }
        if let Some(schema) = entry.enter_schema(report, "outputSchema") {
            check_schema(report, schema, Root::Any);
        }
    }
}

pub(crate) fn entries<'a>(report: &mut Report, tools: &'a Value) -> Vec<WireTool<'a>> {
    let items = wire::items(report, tools, "");
    items.into_iter().map(|(pointer, item)| wire::entry(report, item, &pointer)).collect()
}

/// `{name, description, schema}`: only the schema is checked, against 2020-12.
pub(crate) fn check_openapi(report: &mut Report, tools: &Value) {
    for entry in entries(report, tools) {
        report.enter(entry.name, &entry.pointer);
        let Some(schema) = entry.enter_schema(report, "schema") else {
            report.refuse("", "schema-missing", "`schema` is required");
            continue;
        };
        let visits = walk(schema);
        shape::check(report, &visits, Edition::Draft2020);
        check::root_is_object(report, &visits);
    }
}

/// A schema alone, of any type.
pub(crate) fn check_output(report: &mut Report, schema: &Value) {
    check_schema(report, schema, Root::Any);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Object,
    Any,
}

fn check_schema(report: &mut Report, schema: &Value, root: Root) {
    let visits = walk(schema);
    shape::check(report, &visits, Edition::declared(schema));
    if root == Root::Object {
        check::root_is_object(report, &visits);
    }
    // A client must validate and must not fetch, so it cannot use such a schema.
    check::refs_resolve(report, &visits, |_| true, "");
}

fn check_annotations(report: &mut Report, entry: &WireTool<'_>) {
    report.enter(entry.name, &entry.pointer);
    let Some(annotations) = entry.field("annotations") else { return };
    for hint in HINTS {
        if annotations.get(hint).is_some_and(|value| !value.is_boolean()) {
            let message = format!("`{hint}` must be a boolean");
            report.refuse(&format!("/annotations/{hint}"), "annotation", message);
        }
    }
}
