//! A handler's question in a text conversation: the page's form, answered once by the person.

use fake_providers::Turn;
use serde_json::json;

use crate::axe;
use crate::browser::Tab;
use crate::cook::{chooses, cook, got, meal};
use crate::pad::{Pad, rests, say};

fn pad() -> Pad {
    let files = cook();
    let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    Pad::with(&files)
}

/// The model calls the tool, whose handler asks.
fn asks(pad: &Pad, tab: &Tab) {
    pad.model.then(Turn::calls("cook", json!({})));
    say(tab, "Cook something");
    tab.sees(".question h3 >> About the meal.");
}

#[test]
fn a_form_is_filled_in_after_a_reload_and_gives_the_json_of_every_other_surface() {
    let pad = pad();
    let tab = pad.tab();
    asks(&pad, &tab);
    tab.until("document.title.startsWith('(!)')");
    tab.reload();
    tab.sees(".question h3 >> About the meal.");
    axe::audited_at_sizes(&tab, "a question of a tool", "html");
    tab.fill(".question input[type=text]", "soup");
    tab.fill(".question input[type=number]", "4");
    tab.press("Enter");
    tab.sees(".question .fault >> “size” is required");
    chooses(&tab, ".question select", "1");
    tab.click(".question label >> salt");
    pad.model.then(Turn::says("It is cooked."));
    tab.clicks(".question button >> Send", 2);
    tab.sees("#log .assistant >> It is cooked.");
    rests(&tab);
    tab.misses(".question");
    tab.sees(".step.done >> cook");
    assert_eq!(got(&pad), meal());
    tab.reload();
    tab.sees(".step.done >> cook");
    tab.misses(".question");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn a_question_is_declined_stopped_or_answered_in_another_tab() {
    let pad = pad();
    let tab = pad.tab();
    asks(&pad, &tab);
    pad.model.then(Turn::says("As you like."));
    tab.click(".question button >> Decline");
    tab.sees("#log .assistant >> As you like.");
    rests(&tab);
    assert_eq!(got(&pad), json!(null), "the handler was told");
    asks(&pad, &tab);
    tab.click(".question button >> Stop");
    tab.sees("#log .ended >> Stopped.");
    tab.misses(".question");
    // What is typed stays while another tab answers, and is gone after it.
    asks(&pad, &tab);
    tab.fill(".question input[type=text]", "soup");
    let other = pad.tab_at(tab.eval("location.hash").as_str().unwrap());
    other.fill(".question input[type=text]", "stew");
    chooses(&other, ".question select", "0");
    tab.gives("find('.question input[type=text]').value", "soup");
    pad.model.then(Turn::says("Stew it is."));
    other.click(".question button >> Send");
    tab.sees("#log .assistant >> Stew it is.");
    tab.misses(".question");
    assert_eq!(got(&pad), json!({ "dish": "stew", "size": "s" }));
    tab.assert_quiet();
    pad.model.assert_used_up();
}
