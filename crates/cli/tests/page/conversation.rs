//! A conversation: said, streamed, reloaded, stopped, found again.

mod artifacts;
mod dragging;
mod message_model;
mod models;
mod organise;
mod settings;
mod share;

use fake_providers::{Fault, Step, Turn};
use serde_json::json;
use testkit::Gate;

use crate::browser::Tab;
use crate::pad::{Pad, rests, say};

/// Waits until this is what the assistant has said, all of it.
#[track_caller]
fn answers(tab: &Tab, expected: &str) {
    let all = "[...document.querySelectorAll('.assistant > .text')].map((one) => one.innerText)";
    tab.gives(&format!("{all}.join('|').trim()"), expected);
}

#[test]
fn an_answer_streams_and_a_tool_call_is_a_quiet_step() {
    let pad = Pad::new();
    let gate = Gate::new();
    pad.model.then(Turn::calls(
        "calculator_calculator",
        json!({ "operation": "multiply", "a": 6, "b": 7 }),
    ));
    pad.model.then(Turn::says("It is **forty two** exactly.").gate_at(4, &gate));
    let tab = pad.tab();
    say(&tab, "What is 6*7?");
    tab.sees(".user >> What is 6*7?");
    tab.sees(".step.done >> calculator");
    tab.sees(".assistant.writing >> It is");
    tab.sees("#stop");
    gate.open();
    rests(&tab);
    tab.reads(".assistant strong", "forty two");
    tab.misses(".step pre");
    tab.click(".step summary");
    tab.sees(".step pre >> 42");
    tab.sees("#conversations .here >> What is 6*7?");
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn a_reload_in_the_middle_of_an_answer_loses_and_repeats_nothing() {
    let pad = Pad::new();
    let (tab, gate) = pad.counting();
    tab.reload();
    tab.sees(".assistant.writing >> One two");
    tab.sees("#stop");
    gate.open();
    rests(&tab);
    answers(&tab, "One two three four.");
    tab.counts(".user", 1);
    tab.reload();
    tab.sees(".assistant >> One two three four.");
    answers(&tab, "One two three four.");
    tab.assert_quiet();
}

#[test]
fn a_lost_connection_is_taken_up_where_it_was() {
    let pad = Pad::new();
    let (tab, gate) = pad.counting();
    tab.offline(true);
    tab.eval("window.stop()");
    tab.sees("#offline >> Connection lost");
    gate.open();
    tab.offline(false);
    tab.misses("#offline");
    rests(&tab);
    answers(&tab, "One two three four.");
    tab.counts(".user", 1);
}

#[test]
fn what_changed_while_nobody_listened_is_shown_afterwards() {
    let pad = Pad::new();
    let tab = pad.talking();
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".assistant >> Hello.");
    tab.offline(true);
    tab.eval("window.stop()");
    tab.sees("#offline >> Connection lost");
    pad.model.then(Turn::calls("mood_set_mood", json!({ "mood": "grumpy" })));
    pad.model.then(Turn::says("Bah."));
    say(&other, "Be grumpy");
    other.sees(".widget >> grumpy");
    rests(&other);
    tab.offline(false);
    tab.sees(".widget >> grumpy");
    tab.sees(".assistant >> Bah.");
    rests(&tab);
    answers(&tab, "Hello.|Bah.");
}

#[test]
fn what_is_meant_for_the_model_alone_is_not_shown() {
    let pad = Pad::new();
    let tab = pad.tab();
    let thought = Turn::new().thinking("Let me look it up.", "");
    pad.model.then(thought.call("web_search_web_search", json!({ "query": "bread" })));
    pad.model.then(Turn::says("There is a page about bread."));
    say(&tab, "Search for bread");
    tab.sees(".assistant >> Searching for: bread...");
    tab.sees(".assistant >> There is a page");
    rests(&tab);
    tab.sees(".system >> Looking through");
    tab.click(".thinking summary");
    tab.sees(".thought >> Let me look it up.");
    let found = "a pinch of yeast";
    let requests = pad.model.requests();
    assert!(requests[1].body["messages"].to_string().contains(found));
    let shown = || tab.eval("document.getElementById('log').textContent").to_string();
    assert!(!shown().contains(found), "{}", shown());
    tab.reload();
    tab.sees(".system >> Looking through");
    assert!(!shown().contains(found), "{}", shown());
    tab.assert_quiet();
}

#[test]
fn a_person_stops_an_answer_and_another_tab_sees_it() {
    let pad = Pad::new();
    let (tab, gate) = pad.counting();
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".assistant.writing >> One two");
    tab.click("#stop");
    tab.sees(".ended >> Stopped.");
    rests(&tab);
    other.sees(".ended >> Stopped.");
    rests(&other);
    let words = "document.querySelector('.assistant > .text').innerText.trim()";
    let seen = tab.eval(words);
    assert!(seen.as_str().unwrap().starts_with("One two"), "{seen}");
    assert_eq!(other.eval(words), seen);
    other.reload();
    other.sees(".ended >> Stopped.");
    assert_eq!(other.eval(words), seen);
    pad.wait(pad.model.abandoned(1));
    gate.open();
    pad.model.then(Turn::says("Again."));
    say(&other, "Go on");
    tab.sees(".assistant >> Again.");
    rests(&tab);
    tab.counts(".user", 2);
    tab.assert_quiet();
    other.assert_quiet();
}

#[test]
fn conversations_are_found_opened_and_deleted() {
    let pad = Pad::new();
    let tab = pad.talking();
    pad.begins_anew(&tab, "Weather");
    tab.sees("#conversations li >> Hello");
    tab.fill("#search", "hel");
    tab.misses("#conversations li >> Weather");
    tab.click("#conversations a >> Hello");
    tab.sees(".user >> Hello");
    tab.misses(".user >> Weather");
    tab.fill("#search", "");
    tab.sees("#conversations li >> Weather");
    tab.hover("#conversations li >> Weather");
    tab.click("#conversations button >> Actions for Weather");
    tab.click(".menu [role=menuitem] >> Delete");
    tab.sees("dialog >> Delete this conversation?");
    tab.click("dialog button >> Delete");
    tab.misses("#conversations li >> Weather");
    tab.sees(".user >> Hello");
    tab.assert_quiet();
}

#[test]
fn what_was_said_stays_when_the_model_breaks_off_and_can_be_tried_again() {
    let pad = Pad::new();
    let tab = pad.tab();
    pad.model.then(Turn::says("One two three four.").overloaded_after(4));
    say(&tab, "Count");
    tab.sees(".ended.failed >> The answer was interrupted");
    rests(&tab);
    tab.sees(".assistant >> One two");
    tab.reload();
    tab.sees(".assistant >> One two");
    tab.sees(".ended.failed >> The answer was interrupted");
    pad.model.then(Turn::says("One two three."));
    tab.click(".ended button >> Try again");
    tab.sees(".assistant >> One two three.");
    rests(&tab);
    tab.misses(".ended");
    tab.counts(".user", 1);
    answers(&tab, "One two three.");
    tab.assert_quiet();
}

#[test]
fn a_turn_that_fails_says_why() {
    let pad = Pad::new();
    let tab = pad.talking();
    pad.model.then(Fault::wrong_key());
    say(&tab, "Once more");
    tab.sees(".ended.failed >> The model could not answer");
    tab.sees("#send");
    pad.model.then(Turn::says("Here."));
    tab.click(".ended button >> Try again");
    tab.sees(".assistant >> Here.");
    rests(&tab);
    tab.assert_quiet();
}

/// A model that says nothing is asked once more; then a person reads so, and may try again.
#[test]
fn an_answer_that_never_came_is_said_and_can_be_asked_for_again() {
    let pad = Pad::new();
    pad.model.then(Turn::says("")).then(Turn::says(""));
    let tab = pad.tab();
    say(&tab, "Hello");
    tab.sees(".ended.no_answer >> The model did not answer.");
    rests(&tab);
    tab.counts(".assistant", 0);
    tab.reload();
    tab.sees(".ended.no_answer >> The model did not answer.");
    pad.model.then(Turn::says("Here I am."));
    tab.click(".ended button >> Try again");
    tab.sees(".assistant >> Here I am.");
    rests(&tab);
    tab.misses(".ended");
    pad.model.assert_used_up();
}

/// A tool that the provider does not take is named in the conversation, which goes on.
#[test]
fn a_tool_that_the_model_cannot_have_is_named_and_the_conversation_goes_on() {
    let pad = Pad::new();
    let has = |body: &serde_json::Value| body["tools"].to_string().contains("dice_roll_dice");
    pad.model.answering(move |body| match has(body) {
        true => Step::from(Fault::bad_request("Pattern must start with '^' and end with '$'")),
        false => Step::from(Turn::says("Fine.")),
    });
    let tab = pad.tab();
    say(&tab, "Hello");
    tab.sees(".assistant >> Fine.");
    tab.sees(".system >> dice.roll_dice");
    tab.sees(".system >> is left out of this conversation");
    rests(&tab);
    tab.reload();
    tab.sees(".system >> is left out of this conversation");
    tab.counts(".system", 1);
    tab.assert_quiet();
}
