//! OpenAI Chat Completions, Responses and Realtime: one schema language in three envelopes.

mod limits;
mod strict;

use serde_json::Value;

use crate::rules::{
    check,
    pattern::Feature,
    refusal::Report,
    shape::{self, Edition},
    target::Mode,
    walk::{Place, Visit, walk},
    wire::{self, NameRule, WireTool},
};

/// The envelope of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    /// `{type, function: {name, …}}`; without `strict` a tool is not strict.
    Chat(Mode),
    /// `{type, name, …}`; without `strict` the server guesses, so it must be there.
    Responses(Mode),
    /// As Responses, but there is no `strict` at all.
    Realtime,
}

const NAME: NameRule = NameRule {
    first: is_name_char,
    rest: is_name_char,
    chars_max: 64,
    spelled: "^[a-zA-Z0-9_-]{1,64}$",
};

const NAMESPACE: NameRule = NameRule { chars_max: 128, spelled: "^[a-zA-Z0-9_-]{1,128}$", ..NAME };

const CHAT_FIELDS: &[&str] = &["name", "description", "parameters", "strict"];
const REALTIME_FIELDS: &[&str] = &["type", "name", "description", "parameters"];
const RESPONSES_FIELDS: &[&str] = &[
    "type",
    "name",
    "description",
    "parameters",
    "strict",
    "defer_loading",
    "allowed_callers",
    "output_schema",
    "async",
];

/// Under these a schema adds to another one, and may require what that one declares.
const REFINING: &[&str] =
    &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

const MAY_BE_BOOLEAN: &[&str] = &[
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
];

fn is_name_char(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

pub(crate) fn check_tools(report: &mut Report, tools: &Value, api: Api) {
    check_list(report, tools, "", api);
    let Some(list) = tools.as_array() else { return };
    let deferred = list.iter().any(|tool| tool.get("defer_loading") == Some(&true.into()));
    let searched = list.iter().any(|tool| tool.get("type") == Some(&"tool_search".into()));
    if matches!(api, Api::Responses(_)) && deferred && !searched {
        report.leave();
        report.refuse("", "tool-search", "deferred tools need a `tool_search` entry");
    }
}

fn check_list(report: &mut Report, tools: &Value, pointer: &str, api: Api) {
    for (at, group) in wire::items(report, tools, pointer) {
        if group.get("type") == Some(&"namespace".into()) && matches!(api, Api::Responses(_)) {
            let namespace = wire::entry(report, group, &at);
            wire::check_names(report, &[namespace], &NAMESPACE);
            let inner = group.get("tools").unwrap_or(&Value::Null);
            check_list(report, inner, &format!("{at}/tools"), api);
        }
    }
    let entries = entries(report, tools, pointer, api);
    wire::check_names(report, &entries, &NAME);
    for entry in &entries {
        check_entry(report, entry, api);
    }
}

/// The function tools of a list; other kinds are the provider's, a missing kind is refused.
pub(crate) fn entries<'a>(
    report: &mut Report,
    tools: &'a Value,
    pointer: &str,
    api: Api,
) -> Vec<WireTool<'a>> {
    let mut entries = Vec::new();
    for (at, item) in wire::items(report, tools, pointer) {
        report.enter("", &at);
        match (item.get("type").and_then(Value::as_str), api) {
            (None, _) => report.refuse("", "tool-type", "`type` must be \"function\""),
            (Some("function"), Api::Chat(_)) => {
                let inner = item.get("function").unwrap_or(&Value::Null);
                let holder = if inner.is_null() { at } else { format!("{at}/function") };
                entries.push(wire::entry(report, inner, &holder));
            }
            (Some("function"), Api::Responses(_) | Api::Realtime) => {
                entries.push(wire::entry(report, item, &at));
            }
            (Some(_), _) => {}
        }
    }
    entries
}

fn check_entry(report: &mut Report, entry: &WireTool<'_>, api: Api) {
    let fields = match api {
        Api::Chat(_) => CHAT_FIELDS,
        Api::Responses(_) => RESPONSES_FIELDS,
        Api::Realtime => REALTIME_FIELDS,
    };
    wire::check_fields(report, entry, fields);
    wire::check_strict_flag(report, entry);
    if let Api::Responses(_) = api {
        if !entry.field("strict").is_some_and(Value::is_boolean) {
            let message = "`strict` must be true or false; left out, the server guesses";
            report.refuse("", "strict-explicit", message);
        }
        if entry.field("parameters").is_none() {
            report.refuse("", "schema-missing", "`parameters` is a required key");
        }
    }
    // No schema means no arguments.
    match entry.enter_schema(report, "parameters") {
        None | Some(Value::Null) => {}
        Some(schema) => check_schema(report, schema, mode(entry, api)),
    }
}

/// The rules that the server applies to this tool.
pub(crate) fn mode(entry: &WireTool<'_>, api: Api) -> Mode {
    match api {
        Api::Chat(fallback) | Api::Responses(fallback) => entry.mode(fallback),
        Api::Realtime => Mode::Plain,
    }
}

fn check_schema(report: &mut Report, schema: &Value, mode: Mode) {
    let visits = walk(schema);
    check_plain(report, &visits);
    if mode == Mode::Strict {
        strict::check(report, &visits);
        limits::check(report, &visits);
    }
}

fn check_plain(report: &mut Report, visits: &[Visit<'_>]) {
    shape::check(report, visits, Edition::Draft2020);
    check::root_is_object(report, visits);
    check::root_without(report, visits, &["oneOf", "anyOf", "allOf", "enum", "const", "not"]);
    // Unproven; an empty `properties` costs nothing.
    if visits.first().is_some_and(|root| root.schema.is_object() && !root.has("properties")) {
        report.refuse("", "root-properties", "the root object needs `properties`");
    }
    // Remote and dangling references are unproven; there is no use in sending one.
    check::refs_resolve(report, visits, |_| true, "");
    for visit in visits {
        check::array_has_items(report, visit);
        check::without(report, visit, &["prefixItems"]);
        check::pattern_without(report, visit, &[Feature::Lookaround]);
        // Unproven, both: a ghost can be declared, `true` can be written `{}`. A branch may refine
        // what was declared around it.
        if !matches!(visit.place, Place::Under(keyword) if REFINING.contains(&keyword)) {
            check::required_is_declared(report, visit);
        }
        check::not_boolean(report, visit, MAY_BE_BOOLEAN);
    }
}

/// `response_format` of Chat (the inner object has the name) or `text.format` of Responses.
pub(crate) fn check_output(report: &mut Report, format: &Value, api: Api) {
    let holder = match (api, format.get("type").and_then(Value::as_str)) {
        (Api::Realtime, _) => {
            report.refuse("", "output-unsupported", "Realtime has no structured output");
            return;
        }
        (_, Some("text" | "json_object")) => return,
        (Api::Chat(_), Some("json_schema")) => "/json_schema",
        (Api::Responses(_), Some("json_schema")) => "",
        (Api::Chat(_) | Api::Responses(_), _) => {
            report.refuse("", "output-shape", "`type` must be \"json_schema\"");
            return;
        }
    };
    let Some(body) = format.pointer(holder) else {
        report.refuse("", "output-shape", "`json_schema` is required");
        return;
    };
    let entry = wire::entry(report, body, holder);
    wire::check_names(report, std::slice::from_ref(&entry), &NAME);
    wire::check_strict_flag(report, &entry);
    match entry.enter_schema(report, "schema") {
        Some(schema) => check_schema(report, schema, mode(&entry, api)),
        None => report.refuse("", "schema-missing", "`schema` is required"),
    }
}
