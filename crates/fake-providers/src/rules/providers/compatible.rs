//! Compatible servers, by the rules of llama.cpp: every tool becomes a grammar, and what its converter
//! does not know fails the whole request.
//!
//! Written from that converter and from a running server of November 2026. The rules for patterns
//! are those of the grammar they end in: the text between the anchors is copied piece by piece.

use serde_json::Value;

use crate::rules::providers::openai::{self, Api};
use crate::rules::{
    check,
    refusal::Report,
    target::Mode,
    walk::{Visit, walk},
    wire,
};

const FIELDS: &[&str] = &["name", "description", "parameters", "strict"];

/// More repetitions than this are refused.
const COUNT_MAX: u64 = 2_000;

const KNOWN_BY: &[&str] =
    &["type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref", "properties", "items", "pattern"];

/// Escapes that a grammar supports, besides the characters of a regular expression.
const ESCAPES: &str = "trnxuU\\\"^$.[]()|{}*+?";

pub(crate) fn check_tools(report: &mut Report, tools: &Value) {
    for entry in openai::entries(report, tools, "", Api::Chat(Mode::Plain)) {
        wire::check_fields(report, &entry, FIELDS);
        if let Some(schema) = entry.enter_schema(report, "parameters") {
            let visits = walk(schema);
            check::root_is_object(report, &visits);
            check_schema(report, &visits);
        }
    }
}

pub(crate) fn check_output(report: &mut Report, format: &Value) {
    match format.pointer("/json_schema/schema") {
        Some(schema) => {
            report.enter("", "/json_schema/schema");
            check_schema(report, &walk(schema));
        }
        None if format.get("type") == Some(&"json_object".into()) => {}
        None => report.refuse("", "schema-missing", "`json_schema.schema` is required"),
    }
}

fn check_schema(report: &mut Report, visits: &[Visit<'_>]) {
    check::refs_resolve(report, visits, |reference| reference.starts_with("#/"), "#/…");
    for visit in visits {
        check::not_boolean(report, visit, &["additionalProperties"]);
        if visit.keywords().next().is_some() {
            check::says_one_of(report, visit, KNOWN_BY);
        }
        for keyword in ["minLength", "maxLength", "minItems", "maxItems"] {
            if visit.get(keyword).and_then(Value::as_u64).is_some_and(|count| count > COUNT_MAX) {
                let message = format!("`{keyword}` counts further than {COUNT_MAX}");
                report.refuse(&visit.at(keyword), "count", message);
            }
        }
        if visit.is_type("integer") {
            for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
                let beyond =
                    |bound: &Value| bound.as_f64().is_some_and(|bound| bound.abs() > 9.3e18);
                if visit.get(keyword).is_some_and(|bound| bound.as_i64().is_none() && beyond(bound))
                {
                    report.refuse(&visit.at(keyword), "bound", "the bound has more than 64 bits");
                }
            }
        }
        if let Some(pattern) = visit.text("pattern")
            && let Err(message) = check_pattern(pattern)
        {
            report.refuse(&visit.at("pattern"), "pattern", message);
        }
    }
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    let body = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    let body = body.ok_or("the pattern must start with '^' and end with '$'")?;
    let mut letters = body.chars().peekable();
    let mut repeatable = false;
    let mut class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let escaped = letters.next().ok_or("the pattern ends in a lone backslash")?;
                let known = if class { "trnxuU\\\"[]" } else { ESCAPES };
                if !known.contains(escaped) {
                    return Err(format!("a grammar does not know the escape \\{escaped}"));
                }
                // The repeat would apply to the whole text before it.
                if !class && letters.peek().is_some_and(|next| "*+?{".contains(*next)) {
                    return Err(format!("a repeat behind \\{escaped}"));
                }
                repeatable = true;
            }
            '[' if !class => class = true,
            ']' if class => (class, repeatable) = (false, true),
            _ if class => {}
            '(' => {
                if letters.next_if_eq(&'?').is_some() && letters.next_if_eq(&':').is_none() {
                    return Err("only plain groups are known".to_owned());
                }
                repeatable = false;
            }
            '|' => repeatable = false,
            '*' | '+' | '?' | '{' if !repeatable => {
                return Err("there is nothing to repeat".to_owned());
            }
            '^' | '$' => return Err("anchors are allowed only at the ends".to_owned()),
            _ => repeatable = true,
        }
    }
    Ok(())
}
