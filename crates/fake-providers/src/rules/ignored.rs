//! What a provider accepts and then drops or does not enforce, where that is known.

use serde_json::Value;

use super::providers::anthropic;
use super::providers::gemini;
use super::providers::mcp;
use super::providers::ollama;
use super::providers::openai::{self, Api};
use super::{
    refs::{self, Referent},
    refusal::Report,
    target::{Mode, Target},
    walk::{Visit, walk},
};

/// Constraints that a provider accepts but does not enforce.
const CONSTRAINTS: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "nullable",
];

/// Outside strict mode, only Gemini enforces these.
const BOUNDS: &[&str] = &["minimum", "maximum", "minItems", "maxItems"];

const ANNOTATIONS: &[&str] =
    &["$schema", "$id", "$comment", "default", "examples", "readOnly", "writeOnly", "deprecated"];

pub(crate) fn list(report: &mut Report, target: Target, tools: &Value) {
    let silent = &mut Report::default();
    match target {
        Target::Anthropic(fallback) => {
            for entry in anthropic::entries(silent, tools) {
                let Some(schema) = entry.enter_schema(report, "input_schema") else { continue };
                let visits = walk(schema);
                match entry.mode(fallback) {
                    Mode::Plain => {
                        list_keywords(report, &visits, &[CONSTRAINTS, BOUNDS]);
                        list_lost_refs(report, &visits);
                    }
                    Mode::Strict => list_keywords(report, &visits, &[&["nullable"]]),
                }
            }
        }
        Target::OpenAiChat(mode) => list_openai(report, tools, Api::Chat(mode)),
        Target::OpenAiResponses(mode) => list_openai(report, tools, Api::Responses(mode)),
        Target::OpenAiRealtime => list_openai(report, tools, Api::Realtime),
        Target::Gemini(_) => {
            for entry in gemini::entries(silent, tools) {
                // The other field, `parameters`, ignores nothing: unknown fields are refused.
                let Some(schema) = entry.enter_schema(report, "parametersJsonSchema") else {
                    continue;
                };
                let visits = walk(schema);
                list_keywords(report, &visits, &[CONSTRAINTS, ANNOTATIONS, &["patternProperties"]]);
                list_extensions(report, &visits);
            }
        }
        Target::Mcp => {
            for entry in mcp::entries(silent, tools) {
                if let Some(schema) = entry.enter_schema(report, "inputSchema") {
                    list_keywords(report, &walk(schema), &[&["nullable"]]);
                }
            }
        }
        Target::Ollama => ollama::list_dropped(report, tools),
        // A grammar is enforced exactly, or not built at all.
        Target::OpenAiCompatible | Target::OpenApi => {}
    }
}

fn list_openai(report: &mut Report, tools: &Value, api: Api) {
    for entry in openai::entries(&mut Report::default(), tools, "", api) {
        let Some(schema) = entry.enter_schema(report, "parameters") else { continue };
        let keywords: &[&[&str]] = match openai::mode(&entry, api) {
            Mode::Plain => &[CONSTRAINTS, BOUNDS, &["patternProperties"]],
            Mode::Strict => &[&["nullable"]],
        };
        list_keywords(report, &walk(schema), keywords);
    }
}

fn list_keywords(report: &mut Report, visits: &[Visit<'_>], lists: &[&[&str]]) {
    for visit in visits {
        for keyword in lists.iter().copied().flatten().filter(|keyword| visit.has(keyword)) {
            let message = format!("`{keyword}` is accepted and not enforced");
            report.refuse(&visit.at(keyword), "ignored", message);
        }
    }
}

fn list_extensions(report: &mut Report, visits: &[Visit<'_>]) {
    for visit in visits {
        for keyword in visit.keywords().filter(|keyword| keyword.starts_with("x-")) {
            report.refuse(&visit.at(keyword), "ignored", format!("`{keyword}` is ignored"));
        }
    }
}

/// Without strict mode, Anthropic accepts and ignores a reference that does not resolve.
fn list_lost_refs(report: &mut Report, visits: &[Visit<'_>]) {
    for (index, visit) in visits.iter().enumerate() {
        if let Some(Referent::Missing | Referent::Remote) = refs::referent(visits, index) {
            let message = "the reference leads nowhere and is ignored";
            report.refuse(&visit.at("$ref"), "ref-lost", message);
        }
    }
}
