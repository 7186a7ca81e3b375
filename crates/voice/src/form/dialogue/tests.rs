//! Whole dialogues, and that they give what the page and the terminal give.

use contract::{Ask, Asks};
use serde_json::json;

use super::*;
use crate::form::date::Day;

fn locale(languages: &[Language]) -> Locale {
    let today = Day { year: 2026, month: 11, day: 17 };
    Locale { languages: languages.to_vec(), today, utc_offset_minutes: 120 }
}

/// The form as a handler's question passes it, so that a form no surface shows is not tested.
#[expect(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
fn dialogue(schema: Value, languages: &[Language]) -> Dialogue {
    let asks = json!({ "ask": { "q": { "message": "A few questions.", "schema": schema } } });
    let asks = Asks::of_answer(&asks).unwrap().unwrap();
    let Some(Ask::Person { message, schema }) = asks.get("q") else { panic!("not a form") };
    Dialogue::new(Form::from_schema(message, schema), locale(languages))
}

/// Says each line and returns what the dialogue says, in turn.
fn talk(dialogue: &mut Dialogue, lines: &[&str]) -> Vec<String> {
    let mut said: Vec<String> = dialogue.prompt().into_iter().collect();
    for line in lines {
        dialogue.hear(line);
        said.extend(dialogue.prompt());
    }
    said
}

fn booking() -> Value {
    json!({
        "type": "object",
        "required": ["name", "guests", "table"],
        "properties": {
            "name": { "type": "string", "title": "Your name" },
            "guests": { "type": "integer", "minimum": 1, "maximum": 8 },
            "day": { "type": "string", "format": "date" },
            "table": { "type": "string", "oneOf": [
                { "const": "in", "title": "Inside" }, { "const": "out", "title": "On the terrace" },
            ] },
            "quiet": { "type": "boolean", "default": false },
        },
    })
}

#[test]
fn a_form_is_filled_in_question_by_question() {
    let mut dialogue = dialogue(booking(), &[Language::En]);
    let lines = ["Ana.", "twenty", "four", "tomorrow", "on the terrace", "yes", "yes"];
    let said = talk(&mut dialogue, &lines);
    assert_eq!(
        said,
        [
            "A few questions. Your name?",
            "guests?",
            "That does not fit. guests?",
            "day? Say skip to leave it out.",
            "table? You can say Inside or On the terrace.",
            "quiet? Yes or no? Say skip to leave it out.",
            "I have Your name: Ana; guests: 4; day: 2026-11-18; table: On the terrace; \
             quiet: yes. Is that right?",
        ]
    );
    let expected =
        json!({ "name": "Ana", "guests": 4, "day": "2026-11-18", "table": "out", "quiet": true });
    let answer = dialogue.result().unwrap();
    assert_eq!((answer.action, answer.content), (Action::Accept, expected));
}

#[test]
fn the_same_form_in_ukrainian() {
    let mut dialogue = dialogue(booking(), &[Language::Uk, Language::En]);
    let lines = ["Ана", "чотири", "п’яте травня", "друга", "ні", "так"];
    let said = talk(&mut dialogue, &lines);
    assert_eq!(said[4], "quiet? Так чи ні? Скажіть «пропусти», щоб не відповідати.");
    let expected = json!({
        "name": "Ана", "guests": 4, "day": "2027-05-05", "table": "out", "quiet": false,
    });
    assert_eq!(dialogue.result().unwrap().content, expected);
}

#[test]
fn a_person_moves_through_the_form() {
    let mut moved = dialogue(booking(), &[Language::En]);
    talk(&mut moved, &["Ana", "back", "Bea", "two", "skip", "repeat", "inside", "skip", "yes"]);
    let expected = json!({ "name": "Bea", "guests": 2, "table": "in" });
    assert_eq!(moved.result().unwrap().content, expected);
    // The handler gets the default from the check that every surface's answer passes.
    assert_eq!(moved.form.check(expected).unwrap()["quiet"], json!(false));

    let mut required = dialogue(booking(), &[Language::En]);
    let said = talk(&mut required, &["skip"]);
    assert_eq!(said[1], "I need an answer to this. Your name?");

    let mut cancelled = dialogue(booking(), &[Language::En]);
    talk(&mut cancelled, &["Ana", "never mind"]);
    assert_eq!(cancelled.result().unwrap().action, Action::Cancel);
}

#[test]
fn a_no_at_the_end_starts_over_and_keeps_what_is_said_again() {
    let form = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let mut dialogue = dialogue(form, &[Language::En]);
    let said = talk(&mut dialogue, &["one", "no", "two", "hm", "yes"]);
    assert_eq!(said[4], "I have n: 2. Is that right?");
    assert_eq!(dialogue.result().unwrap().content, json!({ "n": 2 }));
}

#[test]
fn five_answers_that_do_not_fit_close_the_form() {
    let mut dialogue = dialogue(booking(), &[Language::En]);
    talk(&mut dialogue, &["Ana", "x", "x", "x", "x", "x"]);
    let answer = dialogue.result().unwrap();
    assert_eq!((answer.action, answer.content), (Action::Cancel, Value::Null));
}

#[test]
fn the_dialogue_is_the_same_after_it_was_stored() {
    let mut dialogue = dialogue(booking(), &[Language::En]);
    talk(&mut dialogue, &["Ana", "two"]);
    let stored = serde_json::to_string(&dialogue).unwrap();
    assert_eq!(serde_json::from_str::<Dialogue>(&stored).unwrap(), dialogue);
}
