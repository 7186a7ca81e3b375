//! Forms while somebody talks: begun by voice, finished by hand, the same JSON as without a voice.

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::axe;
use crate::browser::Tab;
use crate::cook::{chooses, cook, got, meal};
use crate::shots::both;

use super::person::{VOICE_TOOLS, modules, talking_with};

const SHOP: (&str, &str) = ("shop.py", include_str!("shop.py"));

/// What the form's handler got so far.
fn told(tab: &Tab) -> Vec<Value> {
    let list = "await (await fetch(`/api/kv/shop-told-${location.hash.slice(2)}/list`)).json()";
    let told = tab.eval(&format!("({list}).items"));
    let texts = told.as_array().unwrap().iter();
    texts.map(|text| serde_json::from_str(text.as_str().unwrap()).unwrap()).collect()
}

#[test]
fn a_tool_s_form_is_begun_by_voice_and_finished_by_hand_with_the_json_of_the_page() {
    let (_pad, tab, person) = talking_with(&[SHOP, VOICE_TOOLS], 300);
    tab.click(".voice-forms summary");
    tab.click(".voice-form-list button >> Shopping list");
    tab.sees(".voice-form h3 >> Shopping list");
    tab.sees(".voice-line.program:not(.interim) >> What to buy?");
    person.says("milk");
    tab.until("find('.voice-form [data-component=what] input').value === 'milk'");
    tab.sees(".voice-form [data-component=count].asked");
    axe::audited_at_sizes(&tab, "a form in the voice view", "dialog.voice");
    tab.fill(".voice-form [data-component=count] input", "3");
    tab.click(".voice-form [data-component=add] button");
    tab.misses(".voice-form");
    tab.sees(".voice-line.program >> milk is on the list.");
    // A form that cannot be spoken is offered to the hand.
    tab.click(".voice-forms summary");
    tab.click(".voice-form-list button >> Cast");
    tab.sees(".voice-form .voice-how >> Fill it in here, when you like.");
    tab.sees(".voice-line.program >> This form has to be filled in on the page.");
    tab.click(".voice-form button >> Not now");
    tab.misses(".voice-form");
    person.hangs_up();
    tab.sees("#log .step.done >> shop");
    // The same by the page's own form.
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Shopping list");
    tab.fill("[data-component=what] input", "milk");
    tab.fill("[data-component=count] input", "3");
    tab.click("[data-component=add] button");
    tab.misses("dialog .surface");
    let expected = json!({ "item": "milk", "count": 3, "place": "the corner shop" });
    assert_eq!(told(&tab), [expected.clone(), expected]);
    tab.assert_quiet();
}

#[test]
fn a_handler_s_question_is_finished_by_hand_or_in_another_tab() {
    let files = cook();
    let (pad, tab, person) = talking_with(&modules(&files), 300);
    let expected = meal();
    pad.model.then(Turn::calls("cook", json!({})));
    person.says("cook something");
    tab.sees(".voice-form h3 >> About the meal.");
    tab.sees(".voice-line.program:not(.interim) >> What dish?");
    person.says("soup");
    tab.until("find('.voice-form input[type=text]').value === 'soup'");
    tab.fill(".voice-form input[type=number]", "4");
    tab.click(".voice-form button >> Send");
    tab.sees(".voice-form .fault >> “size” is required");
    chooses(&tab, ".voice-form select", "1");
    tab.click(".voice-form label >> salt");
    pad.model.then(Turn::says("It is cooked."));
    tab.click(".voice-form button >> Send");
    tab.misses(".voice-form");
    tab.sees(".voice-line.assistant >> It is cooked.");
    assert_eq!(got(&pad), expected);
    // The same question, answered over the API.
    pad.model.then(Turn::calls("cook", json!({})));
    person.says("and once more");
    tab.sees(".voice-form h3 >> About the meal.");
    let questions = "/api/conversations/${location.hash.slice(2)}/questions";
    // The log has it a moment after the form is shown.
    tab.eval(&format!(
        "await (async () => {{ do window.open_questions = await (await fetch(`{questions}`)).json(); \
         while (!open_questions.length); }})()"
    ));
    tab.gives("open_questions.map(({ tool, name }) => [tool, name])", json!([["cook", "meal"]]));
    let send = |content: &Value| {
        let body = json!({ "name": "meal", "action": "accept", "content": content }).to_string();
        let options = json!({ "method": "POST", "body": body,
            "headers": { "Content-Type": "application/json" } });
        let post = format!("fetch(`{questions}/${{open_questions[0].call}}`, {options})");
        tab.eval(&format!("(await {post}).status"))
    };
    assert_eq!(send(&json!({ "dish": "soup" })), 400, "it does not fit");
    pad.model.then(Turn::says("And once more."));
    assert_eq!(send(&expected), 204);
    assert_eq!(send(&expected), 409, "the first answer counts");
    tab.misses(".voice-form");
    tab.sees(".voice-line.assistant >> And once more.");
    assert_eq!(got(&pad), expected);
    person.hangs_up();
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn voice_form_shots() {
    let files = cook();
    let mut modules = modules(&files);
    modules.extend([SHOP]);
    let (pad, tab, person) = talking_with(&modules, 700);
    pad.model.then(Turn::calls("cook", json!({})));
    person.says("Cook something for tonight.");
    tab.sees(".voice-line.program:not(.interim) >> What dish?");
    person.says("Mushroom soup");
    tab.sees(".voice-form .asked >> How many");
    tab.sees(".voice-line.program:not(.interim) >> How many?");
    both(&tab, "voice-form");
    tab.size(390, 844);
    both(&tab, "voice-form-phone");
    pad.model.then(Turn::says("As you like."));
    tab.click(".voice-form button >> Not now");
    tab.sees(".voice-line.assistant:not(.interim) >> As you like.");
    tab.click(".voice-forms summary");
    tab.sees(".voice-form-list button >> Cast");
    both(&tab, "voice-forms-phone");
}
