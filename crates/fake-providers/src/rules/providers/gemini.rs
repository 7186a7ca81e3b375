//! Gemini: declarations with a protobuf schema or with free JSON Schema, over HTTP or Live.
//!
//! `parameters` is decoded into a protobuf message, so an unknown field fails the request
//! ([`proto`]); `parametersJsonSchema` accepts nearly everything and enforces little ([`json`]).

mod json;
mod proto;

use serde_json::Value;

use crate::rules::{
    refusal::Report,
    target::Surface,
    walk::{Visit, walk},
    wire::{self, NameRule, WireTool},
};

const NAME: NameRule = NameRule {
    first: is_first_char,
    rest: is_rest_char,
    chars_max: 128,
    spelled: "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$",
};

const FIELDS: &[&str] = &[
    "name",
    "description",
    "parameters",
    "parametersJsonSchema",
    "response",
    "responseJsonSchema",
    "behavior",
];

const DECLARATIONS_MAX: usize = 512;

/// Up to here realistic enums were accepted; 93 values were not.
const ENUM_VALUES_MAX: usize = 90;
/// Thousands of short synthetic values pass: the limit is on grammar states, not on the count.
/// From this mean length on we call values realistic (unproven).
const ENUM_MEAN_CHARS_MAX: usize = 12;

fn is_first_char(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

fn is_rest_char(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | ':' | '-')
}

pub(crate) fn check_tools(report: &mut Report, tools: &Value, surface: Surface) {
    let entries = entries(report, tools);
    wire::check_names(report, &entries, &NAME);
    for entry in &entries {
        check_entry(report, entry, surface);
    }
    report.leave();
    if entries.len() > DECLARATIONS_MAX {
        let message = format!("{} declarations, the limit is {DECLARATIONS_MAX}", entries.len());
        report.refuse("", "limit-declarations", message);
    }
}

/// The declarations of all groups; a group without them is a built-in such as `googleSearch`.
pub(crate) fn entries<'a>(report: &mut Report, tools: &'a Value) -> Vec<WireTool<'a>> {
    let mut entries = Vec::new();
    for (at, group) in wire::items(report, tools, "") {
        if let Some(declarations) = group.get("functionDeclarations") {
            let under = format!("{at}/functionDeclarations");
            for (pointer, body) in wire::items(report, declarations, &under) {
                entries.push(wire::entry(report, body, &pointer));
            }
        } else if group.get("name").is_some() {
            report.enter("", &at);
            let message = "a declaration belongs inside `functionDeclarations`";
            report.refuse("", "tools-shape", message);
        }
    }
    entries
}

fn check_entry(report: &mut Report, entry: &WireTool<'_>, surface: Surface) {
    wire::check_fields(report, entry, FIELDS);
    for (left, right) in
        [("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")]
    {
        if entry.field(left).is_some() && entry.field(right).is_some() {
            let message = format!("`{left}` and `{right}` exclude each other");
            report.refuse("", "schema-twice", message);
        }
    }
    match (entry.field("behavior").and_then(Value::as_str), surface) {
        (Some("BLOCKING" | "NON_BLOCKING"), Surface::Live) => {}
        _ if entry.field("behavior").is_none() => {}
        _ => report.refuse(
            "/behavior",
            "tool-field",
            "`behavior` is BLOCKING or NON_BLOCKING, Live only",
        ),
    }
    if surface == Surface::Live && entry.field("parametersJsonSchema").is_some() {
        // Contradictory reports: ignored by one account, used by another.
        let message = "Live is only known to read `parameters`";
        report.refuse("/parametersJsonSchema", "live-schema", message);
    }
    if let Some(schema) = entry.enter_schema(report, "parameters") {
        proto::check(report, &walk(schema), Root::Arguments);
    }
    if let Some(schema) = entry.enter_schema(report, "parametersJsonSchema") {
        json::check(report, &walk(schema), Root::Arguments);
    }
    if let Some(schema) = entry.enter_schema(report, "response") {
        proto::check(report, &walk(schema), Root::Answer);
    }
    if let Some(schema) = entry.enter_schema(report, "responseJsonSchema") {
        json::check(report, &walk(schema), Root::Answer);
    }
}

/// What the schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// The arguments of a call: must be an object.
    Arguments,
    /// The result of a call, or the answer: any value.
    Answer,
}

/// `generationConfig`, as far as it describes the answer.
pub(crate) fn check_output(report: &mut Report, config: &Value) {
    if config.get("responseMimeType") != Some(&"application/json".into()) {
        let message = "`responseMimeType` must be \"application/json\"";
        report.refuse("", "output-shape", message);
    }
    match (config.get("responseJsonSchema"), config.get("responseSchema")) {
        (Some(_), Some(_)) => {
            let message = "`responseSchema` and `responseJsonSchema` exclude each other";
            report.refuse("", "schema-twice", message);
        }
        (Some(schema), None) => {
            report.enter("", "/responseJsonSchema");
            json::check(report, &walk(schema), Root::Answer);
        }
        (None, Some(schema)) => {
            report.enter("", "/responseSchema");
            proto::check(report, &walk(schema), Root::Answer);
        }
        (None, None) => report.refuse("", "schema-missing", "there is no schema"),
    }
}

/// Both surfaces compile enums into the same grammar.
fn check_enum(report: &mut Report, visit: &Visit<'_>) {
    let values = visit.list("enum");
    for (index, _) in values.iter().enumerate().filter(|(_, value)| value.as_str() == Some("")) {
        let at = format!("{}/{index}", visit.at("enum"));
        report.refuse(&at, "enum-empty", "an enum value cannot be empty");
    }
    let chars: usize =
        values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
    if values.len() > ENUM_VALUES_MAX && chars > values.len() * ENUM_MEAN_CHARS_MAX {
        let message =
            format!("{} long enum values; beyond {ENUM_VALUES_MAX} they fail", values.len());
        report.refuse(&visit.at("enum"), "limit-enum", message);
    }
}
