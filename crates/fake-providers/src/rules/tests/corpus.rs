//! The collected tricky schemas, each sent unmodified to each target.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    super::{ignored, walk::walk},
    parse, request, rules,
};

/// The corpus's name of a target, and ours.
const TARGETS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("anthropic_strict", "anthropic-strict"),
    ("openai", "openai-chat"),
    ("openai", "openai-responses"),
    ("openai_strict", "openai-chat-strict"),
    ("openai_strict", "openai-responses-strict"),
    ("openai_realtime", "openai-realtime"),
    ("gemini_json_schema", "gemini"),
    ("gemini_parameters", "gemini-parameters"),
    ("gemini_live", "gemini-live"),
    ("mcp", "mcp"),
    ("ollama", "ollama"),
];

/// Where the facts contradict the corpus. Gemini: `title` breaks calls although the server accepts
/// it, and `const` is unproven while `enum` is listed. Anthropic strict: the object is not closed.
const DISAGREEMENTS: &[&str] = &[
    "gemini anyof_null_with_siblings: ok, found title",
    "anthropic-strict openapi_nullable_keyword: ignored, found closed",
    "gemini nested_oneof_discriminated: ok, found keyword keyword",
    "gemini contains_min_contains: ignored, found keyword",
];

/// Per target: agreed; unverified and accepted here; unverified and refused here.
const TALLY: &[&str] = &[
    "anthropic [50, 0, 0]",
    "anthropic-strict [39, 1, 9]",
    "gemini [32, 6, 9]",
    "gemini-live [44, 1, 5]",
    "gemini-parameters [44, 1, 5]",
    "mcp [50, 0, 0]",
    "ollama [50, 0, 0]",
    "openai-chat [46, 0, 4]",
    "openai-chat-strict [47, 0, 3]",
    "openai-realtime [46, 0, 4]",
    "openai-responses [46, 0, 4]",
    "openai-responses-strict [47, 0, 3]",
];

/// Per target: the cases that have no fault left once they are closed and required throughout.
const MENDED: &[(&str, &str)] = &[
    (
        "anthropic-strict",
        "pattern_simple const_string const_integer enum_integers enum_case_variants \
         enum_large_realistic optional_plain optional_and_nullable responses_strict_omitted \
         type_array_null anyof_null_with_siblings openapi_nullable_keyword \
         schemars_option_enum_null_member allof_intersection_objects ref_bomb_fanout \
         no_parameters_tool required_ghost_property free_form_object_property titles_everywhere \
         proto_key too_many_optionals_anthropic_strict nesting_depth_12 \
         additional_properties_nested_open",
    ),
    (
        "openai-chat-strict",
        "exclusive_bounds_float multiple_of pattern_simple big_integer_bounds const_integer \
         enum_integers enum_case_variants enum_large_realistic optional_plain \
         optional_and_nullable responses_strict_omitted type_array_null \
         anyof_null_with_siblings openapi_nullable_keyword schemars_option_enum_null_member \
         recursive_optional_linked_list ref_bomb_fanout no_parameters_tool \
         required_ghost_property free_form_object_property property_keys_illegal_chars \
         property_key_over_64_chars titles_everywhere proto_key \
         too_many_optionals_anthropic_strict too_many_unions_anthropic_strict \
         additional_properties_nested_open",
    ),
];

fn corpus() -> Vec<Value> {
    parse(include_str!("../../../../testkit/corpus/tricky-schemas.json"))["cases"]
        .as_array()
        .expect("a list of cases")
        .clone()
}

#[test]
fn the_verdicts_match_the_recorded_ones() {
    let mut tally: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut disagreements = Vec::new();
    for case in &corpus() {
        let name = case["name"].as_str().expect("a name");
        for (theirs, target) in TARGETS {
            let raw = case["expected"][theirs]["raw"].as_str().expect("a raw fate");
            let tools = request(target, &case["schema"]);
            let broken = rules(target, &tools);
            let counts = tally.entry(target).or_default();
            let agrees = match raw {
                "400" => !broken.is_empty(),
                "ok" => broken.is_empty(),
                "ignored" => broken.is_empty() && !ignored(target, &tools).is_empty(),
                "unverified" => {
                    counts[if broken.is_empty() { 1 } else { 2 }] += 1;
                    continue;
                }
                _ => panic!("unknown fate {raw}"),
            };
            if agrees {
                counts[0] += 1;
            } else {
                disagreements.push(format!("{target} {name}: {raw}, found {}", broken.join(" ")));
            }
        }
    }
    assert_eq!(disagreements, DISAGREEMENTS);
    let lines: Vec<_> =
        tally.iter().map(|(target, counts)| format!("{target} {counts:?}")).collect();
    assert_eq!(lines, TALLY);
}

/// Raw, nearly every case is open and has optional properties, which strict targets refuse; closed
/// and required throughout, only cases without other faults remain accepted.
#[test]
fn closing_a_schema_fixes_it_only_if_nothing_else_is_wrong() {
    for (target, expected) in MENDED {
        let cases = corpus();
        let mended = cases.iter().filter(|case| {
            let schema = closed(&case["schema"]);
            rules(target, &request(target, &schema)).is_empty()
        });
        let names: Vec<_> = mended.filter_map(|case| case["name"].as_str()).collect();
        assert_eq!(names.join(" "), *expected, "{target}");
    }
}

/// The schema with every object closed and every property required.
fn closed(schema: &Value) -> Value {
    let mut closed = schema.clone();
    for visit in walk(schema).iter().filter(|visit| visit.is_object()) {
        let object = closed.pointer_mut(&visit.pointer).and_then(Value::as_object_mut);
        let object = object.expect("the same place in the copy");
        let names: Vec<_> = object
            .get("properties")
            .and_then(Value::as_object)
            .map_or_else(Vec::new, |properties| properties.keys().cloned().collect());
        object.insert("required".into(), names.into());
        object.entry("additionalProperties").or_insert(false.into());
    }
    closed
}

#[test]
fn openapi_accepts_exactly_the_valid_objects() {
    for case in &corpus() {
        let valid = case["valid_2020_12"] == true && case["schema"]["type"] == "object";
        let taken = rules("openapi", &request("openapi", &case["schema"])).is_empty();
        assert_eq!(taken, valid, "{}", case["name"]);
    }
}
