//! The page for everybody: without a mouse, on a phone, in the dark, read aloud.

mod views;

use fake_providers::Turn;
use serde_json::json;
use testkit::Gate;

use crate::axe;
use crate::browser::{Browser, Tab};
use crate::pad::{Pad, SHOWCASE, rests, say};

#[test]
fn everything_is_done_without_a_mouse() {
    let pad = Pad::with(SHOWCASE);
    let gate = Gate::new();
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "by hand" })));
    let tab = pad.tab();
    tab.until("document.activeElement.id === 'draft'");
    tab.types("Tell everybody");
    tab.press("Enter");
    tab.sees(".approval >> by hand");
    pad.model.then(Turn::says("One two three.").gate_at(4, &gate));
    tab.until("document.activeElement.id === 'draft'");
    tab_to(&tab, "Shift+Tab", "Decline…");
    tab_to(&tab, "Shift+Tab", "Approve");
    tab.press("Enter");
    tab.sees(".assistant.writing >> One two");
    tab.press("Escape");
    tab.sees(".ended >> Stopped.");
    rests(&tab);
    gate.open();
    tab.press("Ctrl+k");
    tab.until("document.activeElement.id === 'search'");
    tab.press("Tab");
    tab.until("document.activeElement.matches('#conversations a')");
    tab_to(&tab, "Tab", "Tool features");
    tab.press("Enter");
    tab.until("document.activeElement.matches('.menu [role=menuitem]')");
    while tab.eval("document.activeElement.innerText.includes('Everything')") != true {
        tab.press("ArrowDown");
    }
    tab.press("Enter");
    tab.sees("dialog .surface");
    tab_to(&tab, "Tab", "Words");
    tab.types("typed");
    tab.press("Enter");
    tab.sees("[data-component=list] li >> typed");
    tab.press("Escape");
    tab.misses("dialog");
    tab.until("document.activeElement.ariaLabel === 'Tool features'");
    tab_to(&tab, "Tab", "Tools");
    tab.press("Enter");
    tab.sees(".tool >> battle.attack");
    tab_to(&tab, "Tab", "All tools in battle.py");
    tab.press(" ");
    tab.sees(".tool.off >> battle.attack");
    tab.assert_quiet();
}

/// Presses a key until the thing of this name has the focus.
#[track_caller]
fn tab_to(tab: &Tab, key: &str, name: &str) {
    let focused = "(({ ariaLabel, innerText }) => (ariaLabel || innerText || '').trim())\
                   (document.activeElement)";
    for _ in 0..80 {
        if tab.eval(focused) == name {
            return;
        }
        tab.press(key);
    }
    panic!("{name} is never reached with {key}; the focus is on {}", tab.eval(focused));
}

#[test]
fn a_phone_shows_all_of_it() {
    let pad = Pad::with(SHOWCASE);
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "a ".repeat(80) })));
    let tab = pad.tab();
    tab.size(390, 844);
    fits(&tab);
    tab.misses("#conversations");
    say(&tab, "Tell everybody");
    tab.click("#send");
    tab.sees(".approval");
    fits(&tab);
    tab.click("#side-open");
    tab.sees("#conversations li >> Tell everybody");
    tab.until("document.querySelector('main').inert");
    tab.click("#side-close");
    tab.misses("#conversations");
    pad.model.then(Turn::says(&format!("Said. {}", "word".repeat(60))));
    tab.click(".approval button >> Approve");
    tab.sees(".assistant >> Said.");
    rests(&tab);
    fits(&tab);
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Everything");
    tab.sees("dialog .surface");
    fits(&tab);
    let inside = "(({ left, right }) => left >= 0 && right <= innerWidth)\
                  (find('dialog').getBoundingClientRect())";
    tab.until(inside);
    tab.assert_quiet();
}

/// Nothing is wider than the screen.
#[track_caller]
fn fits(tab: &Tab) {
    let wide = "[document.documentElement, document.querySelector('.main'), \
                document.getElementById('log')].every((one) => one.scrollWidth <= innerWidth)";
    tab.until(wide);
}

#[test]
fn the_dark_is_the_systems_or_a_persons_choice() {
    let pad = Pad::new();
    let tab = pad.tab();
    let is_dark = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 60";
    tab.until(&format!("!({is_dark})"));
    tab.scheme("dark");
    tab.until(is_dark);
    tab.click("#side-foot [aria-label='Toggle theme']");
    tab.until(&format!("!({is_dark})"));
    tab.reload();
    tab.sees("#bar-tools button");
    tab.until(&format!("!({is_dark})"));
    tab.assert_quiet();
}

#[test]
fn a_locked_pad_opens_with_its_token() {
    let pad = Pad::behind("open-sesame-0123456789");
    let tab = pad.opened();
    tab.sees("[name=token]");
    audited(&tab, "the locked page");
    tab.fill("[name=token]", "open-sesame-0123456789");
    tab.hears("Page.loadEventFired", || tab.press("Enter"));
    tab.sees(".welcome");
    pad.model.then(Turn::says("Hello."));
    say(&tab, "Hello");
    tab.sees(".assistant >> Hello.");
    rests(&tab);
    assert_eq!(tab.eval("document.cookie"), "");
    tab.assert_quiet();
}

/// As a person does first: the browser has a login then, and its history does not have the token.
#[test]
fn the_printed_link_signs_in_and_its_token_is_in_no_history() {
    let pad = Pad::new();
    let browser = Browser::open();
    let tab = Tab::new(&browser);
    let token = pad.token.as_ref().unwrap();
    tab.open(&format!("{}login#{token}", pad.url));
    tab.until("location.pathname === '/' && find('#bar-tools button')");
    let history = tab.call("Page.getNavigationHistory", json!({})).to_string();
    assert!(!history.contains(token), "{history}");
    tab.assert_quiet();
}

/// What the browser had opens nothing any more, in any tab.
#[test]
fn whoever_signs_out_needs_the_token_again() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.click("#side-foot [aria-label=Settings]");
    tab.click("dialog button >> Sign out");
    tab.sees("[name=token]");
    let other = pad.opened();
    other.sees("[name=token]");
    other.fill("[name=token]", pad.token.as_ref().unwrap());
    other.hears("Page.loadEventFired", || other.press("Enter"));
    other.sees(".welcome");
}

#[test]
fn those_who_hear_the_page_meet_no_serious_fault() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.tab();
    tab.sees(".welcome");
    audited(&tab, "the first run");
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    let said = "# Result\n\nIt is `7`, see [this](https://example.com):\n\n| a | b |\n|---|---|\n\
                | 1 | 2 |\n\n```rust\nfn main() { println!(\"7\"); }\n```\n\n> Well.";
    pad.model.then(Turn::says(said));
    say(&tab, "Roll");
    tab.sees(".assistant >> Result");
    rests(&tab);
    tab.click(".step summary");
    tab.sees(".step pre");
    audited(&tab, "a chat");
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "hello" })));
    say(&tab, "Send");
    tab.sees(".approval");
    tab.click(".approval button >> Decline…");
    audited(&tab, "an approval");
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.sees(".menu");
    audited(&tab, "the menu");
    tab.click(".menu [role=menuitem] >> Everything");
    tab.sees("dialog .surface");
    audited(&tab, "a form");
    tab.press("Escape");
    tab.misses("dialog");
    tab.click("#bar-tools [aria-label=Tools]");
    tab.click(".tool summary >> dice.roll_dice");
    audited(&tab, "the tools");
    tab.press("Escape");
    for panel in ["Settings", "Personas", "Library"] {
        tab.misses("dialog");
        tab.click(&format!("#side-foot [aria-label={panel}]"));
        tab.sees("dialog");
        audited(&tab, panel);
        tab.press("Escape");
    }
}

/// Frames of tools have pages of their own, which axe-core cannot reach.
#[track_caller]
fn audited(tab: &Tab, place: &str) {
    axe::audited(tab, place, json!({ "iframes": false }));
}
