//! The inbox: everything that waits, over all conversations, in one place.

use fake_providers::Turn;
use serde_json::json;

use super::{called, sends};
use crate::axe;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};

/// A browser that remembers notifications, which the person agreed to.
pub(super) const NOTIFIED: &str = "window.told = []; window.seen = 'visible';
    window.Notification = class { static permission = 'granted';
      constructor(title, { body }) { told.push(`${title}: ${body}`); }
      addEventListener(_, run) { window.clickNotification = run; } close() {} };
    Object.defineProperty(document, 'visibilityState', { get: () => seen });";

fn new_conversation(tab: &Tab) {
    tab.click("#new");
    tab.sees(".welcome");
}

#[test]
fn the_inbox_has_what_waits_in_every_conversation_and_answers_it_there() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.tab_with(NOTIFIED);
    pad.model.then(sends("hello all"));
    say(&tab, "Tell everybody");
    tab.sees(".approval >> hello all");
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    tab.gives("told", json!([]));
    // Another conversation begins to wait while this one is not looked at.
    tab.eval("(seen = 'hidden')");
    assert_eq!(called(&pad, "from a program").0, 409);
    tab.sees(".inbox-badge >> Inbox: 2 things wait for you");
    tab.until("told.length === 1");
    tab.gives("told", json!(["a program over HTTP: A program needs your approval."]));
    tab.eval("(seen = 'visible')");
    new_conversation(&tab);
    tab.eval("clickNotification()");
    tab.sees("dialog h2 >> Inbox");
    tab.sees("dialog li >> Requested by a program over HTTP");
    tab.sees("dialog li a >> Tell everybody");
    axe::audited(&tab, "the inbox", json!({}));
    tab.press("Escape");
    tab.misses("dialog");
    // It is opened and answered without a mouse, in place.
    tab.eval("find('.inbox-badge').focus()");
    tab.press("Enter");
    tab.sees("dialog .approval >> hello all");
    pad.model.then(Turn::says("They know."));
    tab.eval(
        "[...document.querySelectorAll('dialog li')].find((one) => one.innerText.includes('hello all'))\
         .querySelector('button.primary').focus()",
    );
    tab.press("Enter");
    tab.sees("dialog .answered >> Approved.");
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    tab.click("dialog .approval button >> Approve");
    tab.sees("dialog >> Nothing waits for you.");
    tab.press("Escape");
    tab.misses(".inbox-badge");
    assert_eq!(called(&pad, "from a program").0, 200);
    tab.click("#conversations a >> Tell everybody");
    tab.sees(".assistant >> They know.");
    rests(&tab);
    // Or it is opened where it waits.
    pad.model.then(sends("hello some"));
    say(&tab, "And some more");
    tab.sees(".approval >> hello some");
    new_conversation(&tab);
    tab.size(390, 844);
    tab.click(".inbox-badge");
    axe::audited(&tab, "the inbox", json!({}));
    tab.click("dialog li a >> Tell everybody");
    tab.misses("dialog");
    tab.until("document.activeElement.matches('#log .approval button.primary')");
    pad.model.then(Turn::says("All of them."));
    tab.press("Enter");
    tab.sees(".assistant >> All of them.");
    tab.misses(".inbox-badge");
    tab.assert_quiet();
    pad.model.assert_used_up();
}
