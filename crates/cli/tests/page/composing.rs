//! Drafts, messages that wait, searching, and the names of exported files.

mod attachments;
mod documents;

use fake_providers::Turn;
use testkit::Gate;

use crate::browser::Tab;
use crate::pad::{Pad, rests, say};

#[test]
fn a_draft_belongs_to_its_conversation_and_survives_a_reload() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.fill("#draft", "half a thou");
    tab.click("#new");
    tab.sees(".welcome");
    tab.gives("draft.value", "");
    tab.fill("#draft", "something new");
    tab.click("#conversations a >> Hello");
    tab.gives("draft.value", "half a thou");
    tab.reload();
    tab.sees(".assistant >> Hello.");
    tab.gives("draft.value", "half a thou");
    pad.model.then(Turn::says("Indeed."));
    tab.click("#draft");
    tab.press("Enter");
    tab.sees(".assistant >> Indeed.");
    rests(&tab);
    tab.reload();
    tab.sees(".assistant >> Indeed.");
    tab.gives("draft.value", "");
    tab.click("#new");
    tab.gives("draft.value", "something new");
    tab.assert_quiet();
}

/// A message that waits for the answer that is being written; the gate lets that go on.
fn queued(pad: &Pad) -> (Tab, Gate) {
    let gate = Gate::new();
    pad.model.then(Turn::says("One two three.").gate_at(3, &gate));
    let tab = pad.tab();
    say(&tab, "Count");
    tab.sees(".assistant.writing >> One");
    say(&tab, "Then the weather");
    tab.sees("#queue li >> Then the weather");
    (tab, gate)
}

#[test]
fn a_message_waits_for_the_running_answer_and_can_be_taken_back() {
    let pad = Pad::new();
    let (tab, gate) = queued(&pad);
    tab.gives("draft.value", "");
    say(&tab, "And a joke");
    tab.counts("#queue li", 2);
    tab.click("#queue li:nth-child(2) button");
    tab.counts("#queue li", 1);
    tab.gives("draft.value", "And a joke");
    tab.reload();
    tab.sees("#queue li >> Then the weather");
    tab.gives("draft.value", "And a joke");
    pad.model.then(Turn::says("Rain."));
    gate.open();
    tab.sees(".assistant >> Rain.");
    rests(&tab);
    tab.misses("#queue li");
    tab.counts(".user", 2);
    tab.gives("draft.value", "And a joke");
    pad.model.assert_used_up();
    tab.assert_quiet();
}

#[test]
fn after_a_stop_a_message_that_waits_goes_back_to_the_person() {
    let pad = Pad::new();
    let (tab, gate) = queued(&pad);
    tab.click("#stop");
    tab.sees(".ended >> Stopped.");
    tab.misses("#queue li");
    tab.gives("draft.value", "Then the weather");
    tab.counts(".user", 1);
    gate.open();
    tab.assert_quiet();
}

#[test]
fn what_was_stopped_is_continued() {
    let pad = Pad::new();
    let (tab, gate) = pad.counting();
    tab.click("#stop");
    tab.sees(".ended button >> Try again");
    rests(&tab);
    pad.wait(pad.model.abandoned(1));
    gate.open();
    pad.model.then(Turn::says("three four."));
    tab.click(".ended button >> Continue");
    tab.sees(".assistant >> three four.");
    rests(&tab);
    tab.sees(".assistant >> One two");
    let asked = pad.model.requests().last().unwrap().body.to_string();
    assert!(asked.contains("One two") && asked.contains("stopped the answer"), "{asked}");
    tab.assert_quiet();
}

#[test]
fn a_search_shows_where_the_words_are() {
    let pad = Pad::new();
    let tab = pad.tab();
    pad.model.then(Turn::says("Oat milk is in the blue cupboard."));
    say(&tab, "Where is the milk?");
    tab.sees(".assistant >> blue cupboard");
    rests(&tab);
    tab.fill("#search", "BLUE");
    tab.sees("#conversations .excerpt >> in the blue cupboard");
    tab.reads("#conversations mark", "blue");
    tab.fill("#search", "");
    tab.misses("#conversations mark");
    tab.sees("#conversations .day >> Today");
    tab.assert_quiet();
}

#[test]
fn an_exported_file_has_the_title_as_its_name() {
    let pad = Pad::new();
    let tab = pad.tab();
    pad.model.then(Turn::says("Добре."));
    say(&tab, "Привіт / \"світе\"");
    tab.sees(".assistant >> Добре.");
    rests(&tab);
    let name = |kind: &str| {
        let url = format!("/api/conversations/${{location.hash.slice(2)}}/export?as={kind}");
        let header = "headers.get('content-disposition')";
        let name = tab.eval(&format!("decodeURIComponent((await fetch(`{url}`)).{header})"));
        name.as_str().unwrap().to_owned()
    };
    assert!(name("md").ends_with("UTF-8''Привіт  світе.md"), "{}", name("md"));
    assert!(name("json").ends_with("UTF-8''Привіт  світе.json"), "{}", name("json"));
}
