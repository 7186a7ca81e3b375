//! The parts of the rules: the walk, the references, the regex scan.

use serde_json::{Value, json};

use super::{
    super::{
        pattern::{
            Feature::{Backreference, LargeRepeat, Lookaround, WordBoundary},
            features,
        },
        refs::{Loops, Referent, looping, referent},
        walk::walk,
    },
    request, rules,
};

#[test]
fn schemas_are_found_by_position_and_never_by_name() {
    let schema = json!({
        "type": "object",
        "properties": {
            "$ref": {"type": "string"}, "properties": {"items": {"title": "t"}}, "a/b~": {}
        },
        "enum": [{"properties": {"no": {}}}], "const": {"items": {}},
        "default": {"anyOf": [{}]}, "examples": [{"not": {}}],
        "$defs": {"oneOf": {"not": true}}, "x-more": {"items": {}},
        "dependencies": {"a": ["b"], "c": {}}
    });
    let places: Vec<_> = walk(&schema).into_iter().map(|visit| visit.pointer).collect();
    let expected = [
        "",
        "/properties/$ref",
        "/properties/properties",
        "/properties/properties/items",
        "/properties/a~1b~0",
        "/$defs/oneOf",
        "/$defs/oneOf/not",
        "/dependencies/c",
    ];
    assert_eq!(places, expected);
}

#[test]
fn names_of_keywords_are_ordinary_names_everywhere() {
    let names =
        ["$ref", "title", "oneOf", "const", "properties", "format", "additionalProperties", "enum"];
    let properties: Value =
        names.map(|name| (name.to_owned(), json!({"type": "string"}))).into_iter().collect();
    let schema = json!({
        "type": "object", "properties": properties, "required": names,
        "additionalProperties": false
    });
    let renamed = |key: &str| key.contains('$');
    for target in ["openai-chat-strict", "openai-responses", "gemini", "mcp", "ollama", "openapi"] {
        assert_eq!(rules(target, &request(target, &schema)), [""; 0], "{target}");
    }
    let mut plain = schema;
    plain["properties"].as_object_mut().unwrap().retain(|key, _| !renamed(key));
    plain["required"].as_array_mut().unwrap().retain(|key| !renamed(key.as_str().unwrap()));
    assert_eq!(rules("anthropic-strict", &request("anthropic-strict", &plain)), [""; 0]);
    plain.as_object_mut().unwrap().remove("additionalProperties");
    assert_eq!(rules("gemini-live", &request("gemini-live", &plain)), [""; 0]);
}

#[test]
fn references_are_followed() {
    let schema = json!({
        "$id": "https://example.org/root",
        "properties": {
            "a": {"$ref": "#"}, "b": {"$ref": "#/$defs/x%20y"}, "c": {"$ref": "#here"},
            "d": {"$ref": "#/components/s"}, "e": {"$ref": "#/$defs/none"},
            "f": {"$ref": "https://example.org/other"}, "g": {"$ref": "inner#/$defs/z"}
        },
        "$defs": {
            "x y": {"$anchor": "here"},
            "inner": {"$id": "inner", "$defs": {"z": {"$ref": "#/$defs/z"}}}
        },
        "components": {"s": {}}
    });
    let visits = walk(&schema);
    let lead = |name: &str| {
        let index = visits.iter().position(|visit| visit.pointer == name).unwrap();
        match referent(&visits, index) {
            Some(Referent::Schema(target)) => visits[target].pointer.clone(),
            other => format!("{other:?}"),
        }
    };
    let found =
        ["a", "b", "c", "d", "e", "f", "g"].map(|name| lead(&format!("/properties/{name}")));
    let named = "/$defs/x y".to_owned();
    let expected = [
        String::new(),
        named.clone(),
        named,
        "Some(Elsewhere)".into(),
        "Some(Missing)".into(),
        "Some(Remote)".into(),
        "/$defs/inner/$defs/z".into(),
    ];
    assert_eq!(found, expected);
    assert_eq!(lead("/$defs/inner/$defs/z"), "/$defs/inner/$defs/z");
}

#[test]
fn loops_are_distinguished_from_sharing() {
    let check = |schema: Value, expected: (Option<&str>, Option<&str>)| {
        let visits = walk(&schema);
        let at = |loops| looping(&visits, loops).map(|index| visits[index].pointer.as_str());
        assert_eq!((at(Loops::All), at(Loops::ThroughRequiredOnly)), expected, "{schema}");
    };
    let twice = json!({"$ref": "#/$defs/s"});
    check(json!({"properties": {"a": twice, "b": twice}, "$defs": {"s": {}}}), (None, None));
    // The definition leads to the root, but nothing leads to the definition.
    check(json!({"$defs": {"unused": {"$ref": "#"}}}), (None, None));
    let optional = "/properties/a";
    check(json!({"properties": {"a": {"$ref": "#"}}}), (Some(optional), None));
    let required = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]});
    check(required, (Some(optional), Some(optional)));
    let through_items = json!({"properties": {"a": {"items": {"$ref": "#"}}}, "required": ["a"]});
    check(through_items, (Some("/properties/a/items"), Some("/properties/a/items")));
    let two =
        json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}});
    check(two, (Some("/$defs/a/anyOf/0"), Some("/$defs/a/anyOf/0")));
}

#[test]
fn regex_features() {
    let check = |pattern, expected: &[_]| assert_eq!(features(pattern), expected, "{pattern}");
    check("(?=a)(?!b)(?<=c)(?<!d)", &[Lookaround; 4]);
    check(r"(?:a)(?<name>b)(c)\(?=[(?=]\.\\b", &[]);
    check(r"\bword\B", &[WordBoundary, WordBoundary]);
    check(r"[\b\1]", &[]);
    check(r"(a)\1(?<n>b)\k<n>", &[Backreference, Backreference]);
    check("a{2}b{1,256}c{3,}{x}", &[]);
    check("a{257}b{1,99999999999}", &[LargeRepeat, LargeRepeat]);
    check("[a-z]{1,20}é[^]]+", &[]);
    check(r"a\", &[]);
}
