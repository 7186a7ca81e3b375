//! Forms as handlers write them.

use super::*;

#[test]
fn fields_are_read_in_the_order_of_the_form() {
    let schema = json!({
        "type": "object",
        "required": ["b", "c"],
        "properties": {
            "b": { "type": "string", "title": "Bee", "description": "An insect." },
            "a_long-name": { "type": "number" },
            "c": { "type": "string", "enum": ["x", "y"], "enumNames": ["X", "Y"], "default": "x" },
            "d": { "type": "string", "format": "email" },
        },
    });
    let form = Form::from_schema("Hello.", &schema);
    let shown: Vec<_> = form
        .fields
        .iter()
        .map(|field| (field.title.as_str(), field.needed, format!("{:?}", field.kind)))
        .collect();
    let choices =
        r#"OneOf([Choice { value: "x", title: "X" }, Choice { value: "y", title: "Y" }])"#;
    assert_eq!(
        shown,
        [
            ("Bee", Needed::Required, "Text".to_owned()),
            ("a long name", Needed::Optional, "Number".to_owned()),
            ("c", Needed::Optional, choices.to_owned()),
            ("d", Needed::Optional, "Address".to_owned()),
        ]
    );
}

#[test]
fn the_whole_is_checked_as_on_every_surface() {
    let schema = json!({
        "type": "object", "required": ["a"],
        "properties": { "a": { "type": "integer", "maximum": 3 }, "b": { "type": "string", "default": "x" } },
    });
    let form = Form::from_schema("", &schema);
    assert_eq!(form.check(json!({ "a": 2 })), Ok(json!({ "a": 2, "b": "x" })));
    assert!(form.check(json!({ "a": 4 })).unwrap_err().contains("/a"));
    assert!(form.check(json!({})).is_err());
}
