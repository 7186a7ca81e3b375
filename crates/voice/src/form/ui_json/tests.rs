//! The feature of the guide's shopping list, spoken, and what the page would send.

use super::*;
use crate::form::date::Day;
use crate::form::dialogue::Dialogue;
use crate::form::reading::Locale;
use crate::words::language::Language;

fn filled(form: &UiForm, lines: &[&str]) -> Value {
    let today = Day { year: 2026, month: 11, day: 17 };
    let locale = Locale { languages: vec![Language::En], today, utc_offset_minutes: 0 };
    let mut dialogue = Dialogue::new(form.form.clone(), locale);
    lines.iter().for_each(|line| dialogue.hear(line));
    dialogue.result().unwrap().content
}

fn shopping() -> Value {
    json!({
        "id": "shopping", "type": "ui_v1", "label": "Shopping list",
        "layout": { "type": "modal", "title": "Shopping list", "components": [
            { "id": "items", "type": "list_display", "props": {} },
            { "id": "new_item", "type": "text_input",
              "props": { "label": "What to buy", "max_length": 100 } },
            { "id": "count", "type": "number_input", "props": { "min": 1, "max": 9 } },
            { "id": "add", "type": "button", "props": { "label": "Add" }, "actions": [
                { "type": "tool_submit", "target": "shopping_list",
                  "params": { "item": "new_item", "count": "count", "how": "fast" } } ] },
        ] },
    })
}

#[test]
fn answers_become_what_the_page_sends() {
    let form = UiForm::read(&shopping()).unwrap();
    let sent = form.submission(&filled(&form, &["milk", "two", "yes"])).unwrap();
    assert_eq!(sent.target, "shopping_list");
    assert_eq!(sent.params, json!({ "item": "milk", "count": 2, "how": "fast" }));
    let empty = form.submission(&filled(&form, &["skip", "skip", "yes"])).unwrap();
    assert_eq!(empty.params, json!({ "item": "", "count": null, "how": "fast" }));
}

#[test]
fn several_buttons_are_a_question() {
    let mut feature = shopping();
    let components = feature["layout"]["components"].as_array_mut().unwrap();
    components.push(json!({ "id": "del", "type": "button", "props": { "label": "Remove" },
        "actions": [{ "type": "tool_submit", "target": "remove", "params": { "x": "new_item" } }] }));
    let form = UiForm::read(&feature).unwrap();
    let sent = form.submission(&filled(&form, &["milk", "skip", "remove", "yes"])).unwrap();
    assert_eq!((sent.target.as_str(), sent.params), ("remove", json!({ "x": "milk" })));
}

#[test]
fn what_cannot_be_said_is_for_the_page() {
    let with = |component: Value| {
        let mut feature = shopping();
        feature["layout"]["components"].as_array_mut().unwrap().push(component);
        UiForm::read(&feature)
    };
    let personas = with(json!({ "id": "who", "type": "persona_selector", "props": {} }));
    assert_eq!(personas.unwrap_err(), "`who` can be chosen on the page only");
    let bare = json!({ "id": "x", "type": "ui_v1", "layout": { "type": "instant" } });
    assert_eq!(UiForm::read(&bare).unwrap_err(), "the form has no components to ask for");
}
