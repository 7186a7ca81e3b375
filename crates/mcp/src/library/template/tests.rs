//! Placeholders in, values out.

use super::{Template, Values};

#[track_caller]
fn fills(text: &str, expected: &str) {
    let values = [("a", "1"), ("b_2", "two")].map(|(name, value)| (name.into(), value.into()));
    assert_eq!(Template::parse(text).fill(&Values::from(values)), expected);
}

#[test]
fn only_a_name_in_braces_is_filled_in() {
    fills("{a} and {b_2}", "1 and two");
    fills("{a}{a}", "11");
    fills(r#"{"a": {a}}"#, r#"{"a": 1}"#);
    fills(r"\{a} stays", "{a} stays");
    fills(r"C:\{ and {", r"C:\{ and {");
    fills("{unknown}", "");
    fills("{ a } {1} {}", "{ a } {1} {}");
    fills("", "");
    fills("ä{a}ö", "ä1ö");
}

#[track_caller]
fn finds(template: &str, text: &str, expected: &[(&str, &str)]) {
    let values = Template::parse(template).values(text);
    let expected: Values =
        expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    assert_eq!(values, Some(expected));
}

#[track_caller]
fn does_not_fit(template: &str, text: &str) {
    assert_eq!(Template::parse(template).values(text), None);
}

#[test]
fn a_placeholder_matches_up_to_the_next_literal_text() {
    finds("x://{id}/data", "x://7/data", &[("id", "7")]);
    finds("x://{id}", "x://a.b", &[("id", "a.b")]);
    finds("x://{a}-{b}.md", "x://1-2-3.md", &[("a", "1"), ("b", "2-3")]);
    finds("{id}.md", "a.md.md", &[("id", "a.md")]);
    finds("x://plain", "x://plain", &[]);
    does_not_fit("x://{id}/data", "x:///data");
    does_not_fit("x://{id}", "x://a/b");
    does_not_fit("x://{id}/data", "x://7/data/more");
    does_not_fit("x://plain", "x://plainer");
    does_not_fit("x://plain", "a x://plain");
    does_not_fit("x://{a}/", "x://");
}
