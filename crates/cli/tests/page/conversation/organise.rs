//! Conversations in order: pinned, in folders, with tags, archived; and temporary ones.

use fake_providers::Turn;
use serde_json::json;

use crate::axe::audited;
use crate::browser::Tab;
use crate::pad::{Pad, rests, say};

pub(super) fn told(pad: &Pad, tab: &Tab, text: &str) {
    pad.begins_anew(tab, text);
    tab.sees(&format!("#conversations a >> {text}"));
}

/// Opens the menu of a conversation and chooses an entry.
#[track_caller]
pub(super) fn choose(tab: &Tab, title: &str, entry: &str) {
    tab.hover(&format!("#conversations a >> {title}"));
    tab.click(&format!("#conversations button >> Actions for {title}"));
    tab.click(&format!(".menu [role=menuitem] >> {entry}"));
}

/// The list from top to bottom: headings, folders and titles.
#[track_caller]
pub(super) fn lists(tab: &Tab, expected: &[&str]) {
    let all = "[...document.querySelectorAll('#conversations :is(.day, .conversation-title)')]\
        .filter((one) => one.checkVisibility()).map((one) => one.innerText)";
    tab.gives(all, json!(expected));
}

fn axe(tab: &Tab, place: &str) {
    audited(tab, place, json!({ "iframes": false }));
}

#[test]
fn conversations_are_pinned_filed_tagged_and_archived() {
    let pad = Pad::new();
    let tab = pad.tab();
    for text in ["Bread", "Clock", "Garden"] {
        told(&pad, &tab, text);
    }
    choose(&tab, "Bread", "Pin");
    lists(&tab, &["Pinned", "Bread", "Today", "Garden", "Clock"]);
    choose(&tab, "Clock", "Move to folder");
    tab.fill("dialog #folder-name", "Repairs");
    axe(&tab, "moving");
    tab.press("Enter");
    tab.misses("dialog");
    lists(&tab, &["Pinned", "Bread", "Repairs", "Clock", "Today", "Garden"]);
    choose(&tab, "Garden", "Tags…");
    tab.fill("dialog #tag-words", "Home plants");
    axe(&tab, "the tags");
    tab.press("Enter");
    tab.misses("dialog");
    tab.sees("#conversations .tag >> plants");
    axe(&tab, "the list");
    // A tag filters; its second click shows all again.
    tab.click(".tag-bar button >> home");
    lists(&tab, &["Today", "Garden"]);
    tab.until("find('#search').value === 'tag:home'");
    tab.click(".tag-bar button[aria-pressed=true]");
    lists(&tab, &["Pinned", "Bread", "Repairs", "Clock", "Today", "Garden"]);
    tab.click("#conversations .tag >> plants");
    lists(&tab, &["Today", "Garden"]);
    tab.fill("#search", "");
    // A closed folder stays closed.
    tab.click("#conversations .folder-name");
    lists(&tab, &["Pinned", "Bread", "Repairs", "Today", "Garden"]);
    tab.reload();
    lists(&tab, &["Pinned", "Bread", "Repairs", "Today", "Garden"]);
    on_a_phone(&tab);
    tab.size(1280, 800);
    tab.click("#conversations button >> Archived");
    tab.click("dialog a >> Garden");
    tab.sees(".user >> Garden");
    tab.click("#conversations button >> Archived");
    axe(&tab, "the archive");
    tab.click("dialog button >> Restore Garden");
    tab.sees("dialog >> Nothing is archived.");
    tab.press("Escape");
    tab.misses("dialog");
    // A folder that is deleted leaves its conversations.
    tab.hover("#conversations .folder-name");
    tab.click("#conversations button >> Actions for the folder Repairs");
    tab.click(".menu [role=menuitem] >> Delete folder");
    tab.sees("dialog >> Its conversations are kept");
    tab.click("dialog button >> Delete folder");
    lists(&tab, &["Pinned", "Bread", "Today", "Garden", "Clock"]);
    tab.assert_quiet();
}

/// Everything is reached in the drawer, and by keys alone.
fn on_a_phone(tab: &Tab) {
    tab.size(390, 844);
    tab.click("#side-open");
    tab.sees(".side.open");
    tab.click("#conversations button >> Actions for Garden");
    tab.sees(".menu [role=menuitem]");
    axe(tab, "the menu in the drawer");
    let small = "[...document.querySelectorAll('.side :is(button, a[href])')].filter((one) => \
        one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && one.getBoundingClientRect().height < 43.5)\
        .map((one) => one.outerHTML)";
    tab.gives(small, json!([]));
    let focused = "document.activeElement.innerText.trim()";
    while tab.eval(focused) != "Archive" {
        tab.press("ArrowDown");
    }
    tab.press("Enter");
    lists(tab, &["Pinned", "Bread", "Repairs"]);
    tab.sees("#conversations button >> Archived");
    tab.press("Escape");
    tab.misses("#conversations");
}

#[test]
fn a_temporary_conversation_is_marked_and_gone_when_it_is_left() {
    let pad = Pad::new();
    let tab = pad.talking();
    let begin = |text: &str| {
        tab.click("#new-temporary");
        tab.sees("#temporary >> the next message begins");
        pad.model.then(Turn::says("Quietly."));
        say(&tab, text);
        tab.sees(".assistant >> Quietly.");
        rests(&tab);
        tab.sees("#temporary >> in no list");
        tab.eval("location.hash.slice(2)").as_str().unwrap().to_owned()
    };
    let status = |id: &str| {
        format!("(await fetch('/api/conversations/{id}').then(({{ status }}) => status))")
    };
    let is_gone = |id: &str| {
        while tab.eval(&status(id)) != 404 {}
    };
    let id = begin("A secret");
    tab.reads("#title", "Temporary conversation");
    lists(&tab, &["Today", "Hello"]);
    axe(&tab, "a temporary conversation");
    tab.size(390, 844);
    axe(&tab, "a temporary conversation on a phone");
    tab.size(1280, 800);
    tab.eval("document.getElementById('draft').focus()");
    tab.types("half a secret");
    tab.reload();
    tab.sees(".assistant >> Quietly.");
    tab.until("find('#draft').value === ''");
    tab.click("#temporary button >> End now");
    tab.sees(".welcome");
    tab.misses("#temporary");
    is_gone(&id);
    // Going elsewhere ends it too.
    let id = begin("Another secret");
    tab.click("#conversations a >> Hello");
    tab.sees(".user >> Hello");
    tab.misses("#temporary");
    is_gone(&id);
    let kept = tab.eval("JSON.stringify({ ...localStorage, ...sessionStorage })");
    assert!(!kept.to_string().contains("secret"), "{kept}");
    assert!(!tab.eval("document.title").to_string().contains("secret"));
    tab.assert_quiet();
}
