//! Choices by name and by place.

use super::*;

fn colours() -> Vec<Choice> {
    let choice = |value: &str, title: &str| Choice { value: value.into(), title: title.into() };
    vec![choice("r", "Red"), choice("b", "Dark blue"), choice("g", "Green")]
}

#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    let colours = colours();
    let found = one_choice(text, &colours, &[Language::En, Language::Uk]);
    assert_eq!(found.map(|choice| choice.value.as_str()), expected, "{text:?}");
}

#[test]
fn a_choice_is_named_or_counted() {
    check("red", Some("r"));
    check("Dark blue, please.", Some("b"));
    check("the dark blue one", Some("b"));
    check("b", Some("b"));
    check("the second", Some("b"));
    check("number two", Some("b"));
    check("Option 3", Some("g"));
    check("the last one", Some("g"));
    check("перший", Some("r"));
    check("one", Some("r"));
    check("blue", None);
    check("not red", None);
    check("fourth", None);
    check("0", None);
    check("", None);
}

#[test]
fn two_choices_of_one_name_are_counted_only() {
    let twins: Vec<_> =
        ["a", "b"].map(|value| Choice { value: value.into(), title: "Same".into() }).into();
    assert_eq!(one_choice("same", &twins, &[Language::En]), None);
    assert_eq!(one_choice("second", &twins, &[Language::En]), Some(&twins[1]));
}

#[test]
fn several_are_joined_by_commas_and_words() {
    let colours = colours();
    let read = |text: &str| {
        let found = several_choices(text, &colours, &[Language::En])?;
        Some(found.into_iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>())
    };
    assert_eq!(read("green and red"), Some(vec!["r", "g"]));
    assert_eq!(read("Red, dark blue and the third"), Some(vec!["r", "b", "g"]));
    assert_eq!(read("red, red"), Some(vec!["r"]));
    assert_eq!(read("red and pink"), None);
    assert_eq!(read(""), None);
}
