//! Anthropic Messages: the rules for `tools[]` and `output_config.format`.
//!
//! Without `strict` the schema is checked against the 2020-12 meta-schema and then mostly ignored;
//! with it the language is smaller ([`strict`]) and the request has a budget ([`budget`]).

mod budget;
mod strict;

use serde_json::Value;

use self::budget::Spent;
use crate::rules::{
    check,
    refs::{self, Loops},
    refusal::Report,
    shape::{self, Edition},
    target::Mode,
    walk::{Place, Visit, walk},
    wire::{self, NameRule, WireTool},
};

/// The documentation says 64, the error message 128; 64 satisfies both (unproven).
const NAME: NameRule = NameRule {
    first: is_name_char,
    rest: is_name_char,
    chars_max: 64,
    spelled: "^[a-zA-Z0-9_-]{1,64}$",
};

const TOP_KEY: NameRule = NameRule {
    first: is_key_char,
    rest: is_key_char,
    chars_max: 64,
    spelled: "^[a-zA-Z0-9_.-]{1,64}$",
};

const FIELDS: &[&str] = &[
    "type",
    "name",
    "description",
    "input_schema",
    "strict",
    "input_examples",
    "defer_loading",
    "allowed_callers",
    "eager_input_streaming",
    "cache_control",
];

fn is_name_char(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

fn is_key_char(letter: char) -> bool {
    is_name_char(letter) || letter == '.'
}

pub(crate) fn check_tools(report: &mut Report, tools: &Value, fallback: Mode) {
    let mut spent = Spent::default();
    let all = entries(report, tools);
    wire::check_names(report, &all, &NAME);
    let ours: Vec<_> = all.iter().filter(|entry| is_ours(entry.body)).collect();
    for entry in &ours {
        let mode = entry.mode(fallback);
        wire::check_fields(report, entry, FIELDS);
        wire::check_strict_flag(report, entry);
        check_examples(report, entry);
        let callers = Callers::of(entry);
        if (mode, callers) == (Mode::Strict, Callers::Code) {
            report.refuse("", "strict-caller", "`strict` excludes calls from code execution");
        }
        let Some(schema) = entry.enter_schema(report, "input_schema") else {
            report.refuse("", "schema-missing", "`input_schema` is required");
            continue;
        };
        let visits = walk(schema);
        check_plain(report, &visits, callers);
        if mode == Mode::Strict {
            strict::check(report, &visits);
            spent.add(&visits);
        }
    }
    report.leave();
    spent.check(report);
    if !all.is_empty() && all.iter().all(|entry| entry.field("defer_loading") == Some(&true.into()))
    {
        report.refuse("", "all-deferred", "at least one tool must not be deferred");
    }
}

/// The tools with names, the provider's own among them: names are unique over both.
pub(crate) fn entries<'a>(report: &mut Report, tools: &'a Value) -> Vec<WireTool<'a>> {
    let items = wire::items(report, tools, "");
    let named = |item: &Value| is_ours(item) || item.get("name").is_some();
    let named_items = items.into_iter().filter(|(_, item)| named(item));
    named_items.map(|(pointer, item)| wire::entry(report, item, &pointer)).collect()
}

/// A tool without a type is ours; `web_search_…`, toolsets and similar ones are the provider's.
pub(crate) fn is_ours(tool: &Value) -> bool {
    tool.get("type").is_none_or(|kind| kind.is_null() || kind == "custom")
}

/// Structured output has the same subset and limits as strict tools. That the rules about the root
/// hold too is unproven; a root of another kind can be wrapped.
pub(crate) fn check_output(report: &mut Report, format: &Value) {
    if format.get("type") != Some(&"json_schema".into()) {
        report.refuse("", "output-shape", "`type` must be \"json_schema\"");
    }
    let Some(schema) = format.get("schema") else {
        report.refuse("", "schema-missing", "`schema` is required");
        return;
    };
    report.enter("", "/schema");
    let visits = walk(schema);
    check_plain(report, &visits, Callers::Direct);
    strict::check(report, &visits);
    let mut spent = Spent::default();
    spent.add(&visits);
    spent.check(report);
}

/// Who may call the tool, as far as it changes the schema rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Callers {
    Direct,
    /// Code execution among them.
    Code,
}

impl Callers {
    fn of(entry: &WireTool<'_>) -> Callers {
        let named = entry.field("allowed_callers").and_then(Value::as_array);
        let runs_code = |caller: &Value| {
            caller.as_str().is_some_and(|caller| caller.starts_with("code_execution"))
        };
        match named {
            Some(list) if list.iter().any(runs_code) => Callers::Code,
            _ => Callers::Direct,
        }
    }
}

fn check_examples(report: &mut Report, entry: &WireTool<'_>) {
    let Some(examples) = entry.field("input_examples") else { return };
    let objects = examples.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    if !objects {
        report.refuse("/input_examples", "examples", "`input_examples` is a list of objects");
    }
}

fn check_plain(report: &mut Report, visits: &[Visit<'_>], callers: Callers) {
    shape::check(report, visits, Edition::Draft2020);
    check::root_is_object(report, visits);
    check::root_without(report, visits, &["oneOf", "anyOf", "allOf"]);
    for visit in visits.iter().filter(|visit| visit.parent == Some(0)) {
        if let Place::Property { name, .. } = visit.place
            && !TOP_KEY.fits(name)
        {
            let message = format!("top-level property keys must match {}", TOP_KEY.spelled);
            report.refuse(&visit.pointer, "property-key", message);
        }
    }
    if callers == Callers::Code
        && let Some(visit) = refs::looping(visits, Loops::All).and_then(|at| visits.get(at))
    {
        let message = "a recursive schema cannot be called from code execution";
        report.refuse(&visit.at("$ref"), "recursion", message);
    }
}
