//! Turns a validator's error into a sentence that a model or an author can act on.
//!
//! In: one validation error. Out: [`Complaint`]s: where, what is wrong, and what would
//! fit. Must hold: quoted values are short, because they come from a model and go back
//! into its context.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::schema::subschemas::joined;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Complaint {
    /// JSON pointer into the value.
    pub pointer: String,
    /// The schema keyword that was broken.
    pub keyword: String,
    /// What is wrong and what would fit, without the place.
    pub message: String,
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.pointer.is_empty() { "the arguments" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

/// Sentences for one error. An unexpected or missing property is reported at its own location.
pub(crate) fn complain(error: &ValidationError<'_>, schema: &Value) -> Vec<Complaint> {
    let place = error.instance_path().to_string();
    let keyword = error.kind().keyword().to_owned();
    let at =
        |pointer: String, message: String| Complaint { pointer, keyword: keyword.clone(), message };
    let kind = error.kind();
    if let ValidationErrorKind::AdditionalProperties { unexpected }
    | ValidationErrorKind::UnevaluatedProperties { unexpected } = kind
    {
        let known = known_names(error, schema);
        let unknown = |name: &String| at(joined(&place, name), unknown_name(name, &known));
        return unexpected.iter().map(unknown).collect();
    }
    if let ValidationErrorKind::Required { property: Value::String(name) } = kind {
        return vec![at(joined(&place, name), "is required but missing".to_owned())];
    }
    vec![at(place, sentence(kind, error.instance()))]
}

fn sentence(kind: &ValidationErrorKind, value: &Value) -> String {
    use ValidationErrorKind as Kind;
    let found_value = value;
    let value = quote(value);
    match kind {
        Kind::Type { kind } => format!("{}; it must be {}", as_kind(found_value), type_names(kind)),
        Kind::Enum { options } => format!("{value} is not one of {}", options_list(options)),
        Kind::Constant { expected_value } => format!("{value} must be {}", quote(expected_value)),
        Kind::Minimum { limit } => format!("{value} is less than the minimum of {limit}"),
        Kind::Maximum { limit } => format!("{value} is more than the maximum of {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{value} must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("{value} must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("{value} is not a multiple of {multiple_of}"),
        Kind::MinLength { limit } => {
            format!("{value} is too short; use at least {}", characters(*limit))
        }
        Kind::MaxLength { limit } => {
            format!("{value} is too long; use at most {}", characters(*limit))
        }
        Kind::MinItems { limit } => format!("has too few items; give at least {limit}"),
        Kind::MaxItems { limit } => format!("has too many items; give at most {limit}"),
        Kind::AdditionalItems { limit } => format!("has too many items; give at most {limit}"),
        Kind::MinProperties { limit } => format!("has too few properties; give at least {limit}"),
        Kind::MaxProperties { limit } => format!("has too many properties; give at most {limit}"),
        Kind::UniqueItems => "has the same item twice; each may appear once".to_owned(),
        Kind::Contains => "has no item that fits the required form".to_owned(),
        Kind::Pattern { pattern } => format!("{value} does not match the pattern `{pattern}`"),
        Kind::Format { format } => {
            format!("{value} is not a valid {format}{}", format_example(format))
        }
        Kind::FalseSchema => "is not allowed here".to_owned(),
        Kind::Not { .. } => format!("{value} has a form that is not allowed here"),
        Kind::AnyOf { context } => {
            format!("{value} fits none of the allowed forms{}", nearest(context))
        }
        Kind::OneOfNotValid { context } => {
            format!("{value} fits none of the allowed forms{}", nearest(context))
        }
        Kind::OneOfMultipleValid { .. } => {
            format!("{value} fits more than one form, but must fit exactly one")
        }
        Kind::PropertyNames { error } => {
            format!("has a property name that is not allowed: {error}")
        }
        Kind::UnevaluatedItems { .. } => "has items that the schema does not name".to_owned(),
        Kind::Referencing(error) => format!("a reference does not resolve: {error}"),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("matching {value} against the pattern takes too long")
        }
        Kind::Required { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::UnevaluatedProperties { .. } => "has a property that does not fit".to_owned(),
        Kind::ContentEncoding { .. } | Kind::ContentMediaType { .. } | Kind::FromUtf8 { .. } => {
            "is not encoded as the schema requires".to_owned()
        }
        Kind::Custom { message, .. } => message.clone(),
    }
}

fn unknown_name(name: &str, known: &[&str]) -> String {
    match known {
        [] => format!("`{}` is unknown; leave it out", short(name)),
        known => {
            let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("`{}` is unknown; leave it out, or use one of {list}", short(name))
        }
    }
}

/// The property names that the schema around the failing keyword declares.
fn known_names<'a>(error: &ValidationError<'_>, schema: &'a Value) -> Vec<&'a str> {
    let keyword = error.schema_path().to_string();
    let around = keyword.rsplit_once('/').map_or("", |(around, _)| around);
    let names = schema.pointer(around).and_then(|schema| schema.get("properties"));
    let names = names.and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
    names.map(String::as_str).take(20).collect()
}

/// The complaint of the nearest branch, as the end of a sentence.
fn nearest(branches: &[Vec<ValidationError<'static>>]) -> String {
    match nearest_branch(branches) {
        Some(complaint) => format!("; the nearest: {complaint}"),
        None => String::new(),
    }
}

/// The complaint of the branch whose error is deepest; at equal depth, of one whose type fits.
fn nearest_branch(branches: &[Vec<ValidationError<'static>>]) -> Option<Complaint> {
    let rank = |errors: &Vec<ValidationError<'static>>| {
        let first = errors.first()?;
        let depth = errors.iter().map(|error| error.instance_path().iter().count()).max()?;
        let typed = !matches!(first.kind(), ValidationErrorKind::Type { .. });
        Some((depth, typed, std::cmp::Reverse(errors.len())))
    };
    let best = branches.iter().max_by_key(|errors| rank(errors))?.first()?;
    complain(best, &Value::Null).into_iter().next()
}

/// For an error of a union: the complaint of its nearest branch.
pub(crate) fn nearest_of(error: &ValidationError<'_>) -> Option<Complaint> {
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        error.kind()
    else {
        return None;
    };
    nearest_branch(context)
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => with_article(&one.to_string()),
        TypeKind::Multiple(many) => {
            let names: Vec<_> = many.iter().map(|one| with_article(&one.to_string())).collect();
            names.join(" or ")
        }
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" => "a list".to_owned(),
        name if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}

fn characters(count: u64) -> String {
    if count == 1 { "1 character".to_owned() } else { format!("{count} characters") }
}

fn format_example(format: &str) -> &'static str {
    match format {
        "date-time" => ", as in `2026-03-01T09:00:00Z`",
        "date" => ", as in `2026-03-01`",
        "time" => ", as in `09:00:00Z`",
        "email" => ", as in `ana@example.org`",
        "uri" => ", as in `https://example.org/a`",
        "uuid" => ", as in `3f2b8c1e-5d4a-4c6b-9e8f-1a2b3c4d5e6f`",
        "ipv4" => ", as in `192.0.2.1`",
        "ipv6" => ", as in `2001:db8::1`",
        _ => "",
    }
}

fn options_list(options: &Value) -> String {
    const SHOWN_MAX: usize = 12;
    let Value::Array(options) = options else { return quote(options) };
    // If all are strings, no quotes are needed.
    let texts = options.iter().all(Value::is_string);
    let shown = |option: &Value| match option.as_str().filter(|_| texts) {
        Some(text) => format!("`{}`", short(text)),
        None => quote(option),
    };
    let mut list: Vec<_> = options.iter().take(SHOWN_MAX).map(shown).collect();
    if options.len() > SHOWN_MAX {
        list.push(format!("{} more", options.len() - SHOWN_MAX));
    }
    list.join(", ")
}

/// A value as JSON, with its type.
fn as_kind(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}` is a string", quoted_text(text)),
        Value::Number(_) => format!("`{value}` is a number"),
        Value::Bool(_) => format!("`{value}` is a boolean"),
        Value::Null => "it is null".to_owned(),
        Value::Array(_) => "it is a list".to_owned(),
        Value::Object(_) => "it is an object".to_owned(),
    }
}

/// A text in quotation marks, escaped as in JSON.
fn quoted_text(text: &str) -> String {
    Value::String(short(text)).to_string()
}

/// A value in backticks, truncated for use in a sentence. A string that looks like another
/// JSON value, such as "5", is shown with its quotation marks.
fn quote(value: &Value) -> String {
    match value {
        Value::String(text) if serde_json::from_str::<Value>(text).is_ok() => {
            format!("`{}`", quoted_text(text))
        }
        Value::String(text) if text.trim() != text || text.is_empty() => {
            format!("`{}`", quoted_text(text))
        }
        Value::String(text) => format!("`{}`", short(text)),
        Value::Object(_) => "the object".to_owned(),
        Value::Array(_) => "the list".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
    }
}

fn short(text: &str) -> String {
    const SHOWN_MAX: usize = 60;
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
