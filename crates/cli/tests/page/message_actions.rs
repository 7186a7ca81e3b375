//! What the page does once the server has edit, answer again, delete, rename and AI edit.

use fake_providers::Turn;
use serde_json::json;
use testkit::Gate;

use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};

/// A tab with two turns: `Hello` and `Weather`.
fn talked(pad: &Pad) -> Tab {
    let tab = pad.talking();
    pad.model.then(Turn::says("Rain."));
    say(&tab, "Weather");
    tab.sees(".assistant >> Rain.");
    rests(&tab);
    tab
}

/// Presses one of the buttons that show below a message.
fn act(tab: &Tab, message: &str, button: &str) {
    tab.hover(message);
    let found = format!("find('{message}')?.querySelector('[aria-label=\"{button}\"]')");
    tab.until(&format!("({found}?.focus(), document.activeElement === {found})"));
    tab.press("Enter");
}

#[test]
fn a_message_is_asked_again_in_other_words_and_another_tab_follows() {
    let pad = Pad::new();
    let tab = talked(&pad);
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".assistant >> Rain.");
    act(&tab, ".user >> Hello", "Edit and resend");
    tab.fill(".editing textarea", "Good bye");
    pad.model.then(Turn::says("See you."));
    tab.press("Ctrl+Enter");
    for one in [&tab, &other] {
        one.sees(".assistant >> See you.");
        rests(one);
        one.misses(".user >> Hello");
        one.misses(".user >> Weather");
        one.counts(".user", 1);
        one.assert_quiet();
    }
    let requests = pad.model.requests();
    assert!(!requests.last().unwrap().body.to_string().contains("Weather"));
    tab.reload();
    tab.sees(".assistant >> See you.");
    tab.counts(".user", 1);
}

#[test]
fn escape_leaves_a_message_as_it_was() {
    let pad = Pad::new();
    let tab = talked(&pad);
    act(&tab, ".user >> Hello", "Edit and resend");
    tab.fill(".editing textarea", "Good bye");
    tab.press("Escape");
    tab.sees(".user >> Hello");
    tab.misses(".editing");
    tab.assert_quiet();
}

#[test]
fn an_answer_is_given_again() {
    let pad = Pad::new();
    let tab = talked(&pad);
    let gate = Gate::new();
    pad.model.then(Turn::says("Sun all day.").gate_at(3, &gate));
    act(&tab, ".assistant >> Rain.", "Regenerate answer");
    tab.sees(".assistant.writing >> Sun");
    tab.misses(".assistant >> Rain.");
    gate.open();
    rests(&tab);
    tab.sees(".assistant >> Sun all day.");
    tab.counts(".user", 2);
    tab.counts(".assistant", 2);
    tab.assert_quiet();
}

#[test]
fn messages_are_deleted_one_by_one_or_from_here_on() {
    let pad = Pad::new();
    let tab = talked(&pad);
    pad.model.then(Turn::says("Three."));
    say(&tab, "Count");
    tab.sees(".assistant >> Three.");
    rests(&tab);
    act(&tab, ".user >> Weather", "Delete message");
    tab.click("dialog button.danger >> Delete");
    tab.misses(".user >> Weather");
    tab.misses(".assistant >> Rain.");
    tab.sees(".user >> Count");
    act(&tab, ".user >> Hello", "Delete message");
    tab.click("dialog button >> Delete this and everything after");
    tab.misses(".user");
    tab.assert_quiet();
}

#[test]
fn a_branch_goes_its_own_way() {
    let pad = Pad::new();
    let tab = talked(&pad);
    let before = tab.eval("location.hash");
    act(&tab, ".user >> Hello", "Branch from here");
    tab.until(&format!("location.hash !== {before}"));
    tab.sees(".user >> Hello");
    tab.misses(".user >> Weather");
    tab.assert_quiet();
}

#[test]
fn a_conversation_gets_another_title() {
    let pad = Pad::new();
    let tab = talked(&pad);
    tab.click("#bar-tools [aria-label=More]");
    tab.click(".menu [role=menuitem] >> Rename…");
    tab.fill("dialog [aria-label=Title]", "Small talk");
    tab.press("Enter");
    tab.sees("#title >> Small talk");
    tab.sees("#conversations li >> Small talk");
    tab.assert_quiet();
}

#[test]
fn what_was_exported_is_imported_again() {
    let pad = Pad::new();
    let tab = talked(&pad);
    let before = tab.eval("location.hash");
    let export = "fetch(`/api/conversations/${location.hash.slice(2)}/export?as=json`)";
    let text = tab.eval(&format!("await (await {export}).text()"));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("talk.json");
    std::fs::write(&file, text.as_str().unwrap()).unwrap();
    tab.click("#bar-tools [aria-label=More]");
    tab.call("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
    let import = || tab.click(".menu [role=menuitem] >> Import…");
    let asked = tab.hears("Page.fileChooserOpened", import);
    let given = json!({ "files": [file], "backendNodeId": asked["backendNodeId"] });
    tab.call("DOM.setFileInputFiles", given);
    tab.until(&format!("location.hash !== {before}"));
    tab.sees(".assistant >> Rain.");
    tab.counts(".user", 2);
    tab.assert_quiet();
}

#[test]
fn a_persona_is_deleted() {
    let pad = Pad::new();
    let tab = talked(&pad);
    tab.click("#side-foot [aria-label=Personas]");
    tab.sees("dialog li >> Assistant");
    tab.click("dialog button >> New persona");
    tab.fill("dialog.sm input", "Ada");
    tab.click("dialog.sm button.primary >> Save");
    tab.click("dialog li [aria-label='Delete Ada']");
    tab.click("dialog button.danger >> Delete");
    tab.misses("dialog li >> Ada");
    tab.assert_quiet();
}

#[test]
fn a_text_is_changed_by_the_model() {
    let pad = Pad::with(SHOWCASE);
    let tab = talked(&pad);
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Everything");
    tab.click("[data-component=essay] button >> Improve");
    pad.model.then(Turn::says("Once upon a time"));
    tab.fill("[data-component=essay] [aria-label='How should the text change?']", "longer");
    tab.press("Enter");
    tab.until("find('[data-component=essay] textarea').value === 'Once upon a time'");
    let requests = pad.model.requests();
    assert!(requests.last().unwrap().body.to_string().contains("longer"));
    tab.assert_quiet();
}

#[test]
fn a_tool_shows_its_last_calls() {
    let pad = Pad::new();
    let tab = talked(&pad);
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    pad.model.then(Turn::says("Rolled."));
    say(&tab, "Roll");
    tab.sees(".assistant >> Rolled.");
    rests(&tab);
    tab.click("#bar-tools [aria-label=Tools]");
    tab.click(".tool summary >> dice.roll_dice");
    tab.click(".tool-body summary >> Recent calls (1)");
    tab.sees(".tool-body li >> run");
    tab.assert_quiet();
}

#[test]
fn versions_of_a_message_are_chosen_in_place_and_by_keyboard() {
    let pad = Pad::new();
    let tab = talked(&pad);
    tab.misses(".versions");
    act(&tab, ".user >> Hello", "Edit and resend");
    tab.fill(".editing textarea", "Good bye");
    pad.model.then(Turn::says("See you."));
    tab.press("Ctrl+Enter");
    tab.sees(".assistant >> See you.");
    rests(&tab);
    tab.sees(".user .versions >> 2/2");
    tab.click(".versions [aria-label='Previous version']");
    // What followed the first version is back.
    tab.sees(".user >> Hello");
    tab.sees(".assistant >> Rain.");
    tab.misses(".assistant >> See you.");
    tab.sees(".user .versions >> 1/2");
    tab.gives("document.activeElement.getAttribute('aria-label')", "Next version");
    let place = tab.eval("location.hash");
    let other = pad.tab_at(place.as_str().unwrap());
    other.sees(".assistant >> Rain.");
    tab.press("ArrowRight");
    for one in [&tab, &other] {
        one.sees(".assistant >> See you.");
        one.misses(".assistant >> Rain.");
        one.sees(".user .versions >> 2/2");
    }
    tab.gives("document.activeElement.getAttribute('aria-label')", "Previous version");
    // The model reads only the version that is shown.
    pad.model.then(Turn::says("Fine."));
    say(&tab, "How are you?");
    tab.sees(".assistant >> Fine.");
    rests(&tab);
    let asked = pad.model.requests().last().unwrap().body.to_string();
    assert!(asked.contains("Good bye") && !asked.contains("Weather"), "{asked}");
    pad.model.then(Turn::says("Never better."));
    act(&tab, ".assistant >> Fine.", "Regenerate answer");
    tab.sees(".assistant >> Never better.");
    rests(&tab);
    tab.reload();
    tab.sees(".assistant >> Never better.");
    tab.counts(".versions", 2);
    tab.assert_quiet();
}
