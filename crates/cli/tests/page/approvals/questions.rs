//! A handler's question in a text conversation: the page's form, answered once by the person.

use fake_providers::Turn;
use serde_json::json;

use super::inbox::NOTIFIED;
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

/// Whoever looks elsewhere is told, and answers where they are.
#[test]
fn a_question_of_another_conversation_is_in_the_inbox() {
    let pad = pad();
    let (tab, elsewhere) = (pad.tab(), pad.tab_with(NOTIFIED));
    elsewhere.misses(".inbox-badge");
    asks(&pad, &tab);
    elsewhere.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    elsewhere.until("told.length === 1");
    elsewhere.gives("told", json!(["Cook something: A tool has a question for you."]));
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    // A page that is opened later knows it at once, and does not tell of it again.
    elsewhere.reload();
    elsewhere.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    elsewhere.eval("find('.inbox-badge').focus()");
    elsewhere.press("Enter");
    elsewhere.sees("dialog li a >> Cook something");
    elsewhere.sees("dialog .question h3 >> About the meal.");
    axe::audited_at_sizes(&elsewhere, "a question in the inbox", "html");
    elsewhere.fill("dialog .question input[type=text]", "soup");
    elsewhere.press("Enter");
    elsewhere.sees("dialog .question .fault >> “size” is required");
    chooses(&elsewhere, "dialog .question select", "0");
    pad.model.then(Turn::says("Soup it is."));
    elsewhere.click("dialog .question button >> Send");
    elsewhere.sees("dialog .answered >> Answered.");
    elsewhere.misses(".inbox-badge");
    elsewhere.gives("told", json!([]));
    tab.sees("#log .assistant >> Soup it is.");
    tab.misses(".inbox-badge");
    assert_eq!(got(&pad), json!({ "dish": "soup", "size": "s" }));
    // Another message withdraws a question; its place in the conversation is one press away.
    elsewhere.press("Escape");
    asks(&pad, &tab);
    elsewhere.click(".inbox-badge");
    elsewhere.click("dialog li a >> Cook something");
    elsewhere.misses("dialog");
    elsewhere.until("document.activeElement.closest('#log .question') !== null");
    tab.click(".question button >> Stop");
    tab.sees("#log .ended >> Stopped.");
    for one in [&tab, &elsewhere] {
        one.misses(".inbox-badge");
        one.misses("#log .question");
        one.assert_quiet();
    }
    pad.model.assert_used_up();
}
