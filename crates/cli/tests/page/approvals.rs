//! What asks a person first: approved once, declined with a reason, from wherever one looks.

use serde_json::json;
use testkit::provider::Turn;

use crate::pad::{Pad, SHOWCASE, rests, say};
use crate::tab::Tab;

fn sends(text: &str) -> Turn {
    Turn::calls("showcase_send", json!({ "text": text }))
}

/// What the tool has done, from its own list.
fn sent(tab: &Tab) -> String {
    let id = "location.hash.slice(2)";
    let list = format!("await (await fetch(`/api/kv/showcase-sent-${{{id}}}/list`)).json()");
    tab.eval(&format!("({list}).items.join(',')")).as_str().unwrap().to_owned()
}

/// A tab in which a call waits for a person.
fn asked(pad: &Pad) -> Tab {
    pad.model.then(sends("hello all"));
    let tab = pad.tab();
    say(&tab, "Tell everybody");
    tab.sees(".approval >> showcase.send");
    tab
}

#[test]
fn a_yes_runs_it_once_after_a_reload_and_a_double_click() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    tab.sees(".approval >> hello all");
    tab.sees("#send");
    assert_eq!(sent(&tab), "");
    tab.reload();
    tab.sees(".approval >> hello all");
    tab.sees("#talks .dot");
    pad.model.then(Turn::says("They know."));
    tab.clicks(".approval button >> Approve", 2);
    tab.sees(".assistant >> They know.");
    rests(&tab);
    tab.misses(".approval");
    tab.misses("#talks .dot");
    tab.sees(".step.done >> showcase.send");
    assert_eq!(sent(&tab), "hello all");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn another_tab_shows_the_question_and_the_answer() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".approval >> hello all");
    pad.model.then(Turn::says("They know."));
    other.click(".approval button >> Approve");
    tab.sees(".assistant >> They know.");
    tab.misses(".approval");
    rests(&tab);
    rests(&other);
    assert_eq!(sent(&tab), "hello all");
    tab.assert_quiet();
    other.assert_quiet();
}

#[test]
fn a_no_with_a_reason_reaches_the_model() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    pad.model.then(Turn::says("Then not."));
    tab.click(".approval button >> Decline…");
    tab.fill(".approval [aria-label=Reason]", "it is too early");
    tab.press("Enter");
    tab.sees(".assistant >> Then not.");
    rests(&tab);
    tab.misses(".approval");
    assert_eq!(sent(&tab), "");
    let requests = pad.model.requests();
    assert!(requests[1].body.to_string().contains("it is too early"), "{}", requests[1].body);
    tab.assert_quiet();
}

#[test]
fn a_person_may_change_what_runs() {
    let pad = Pad::with(SHOWCASE);
    let tab = asked(&pad);
    pad.model.then(Turn::says("They know."));
    tab.click(".approval button >> Change…");
    tab.fill(".approval [aria-label='Changed arguments']", "{\"text\": \"hello some\"");
    tab.click(".approval button >> Run with these");
    tab.sees(".approval .fault >> this is not JSON");
    tab.fill(".approval [aria-label='Changed arguments']", "{\"text\": \"hello some\"}");
    tab.click(".approval button >> Run with these");
    tab.sees(".assistant >> They know.");
    rests(&tab);
    assert_eq!(sent(&tab), "hello some");
    tab.assert_quiet();
}
