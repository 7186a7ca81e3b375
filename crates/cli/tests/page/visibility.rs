//! What a person needs is in sight: buttons without scrolling, titles under nothing, notes only
//! while they are about what stands there.

use fake_providers::Turn;
use serde_json::json;

use crate::approvals::called;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, say};

/// A laptop and a phone.
const SIZES: [(u32, u32); 2] = [(1366, 640), (390, 664)];

/// Is the whole of it on the screen, and on top?
#[track_caller]
fn in_sight(tab: &Tab, button: &str) {
    tab.until(&format!(
        "(() => {{ const one = find({button:?}); if (!one) return false; \
         const box = one.getBoundingClientRect(); \
         const at = (x, y) => one.contains(document.elementFromPoint(x, y)); \
         return at(box.left + 4, box.top + 4) && at(box.right - 4, box.bottom - 4); }})()"
    ));
}

fn long() -> String {
    "A long letter to everybody, with much to say. ".repeat(60)
}

#[test]
fn every_answer_to_a_question_is_in_sight() {
    for (width, height) in SIZES {
        let pad = Pad::with(SHOWCASE);
        let tab = pad.tab();
        pad.model.then(Turn::calls("showcase_send", json!({ "text": long() })));
        say(&tab, "Tell everybody");
        tab.sees(".approval >> showcase.send");
        tab.size(width, height);
        tab.reload();
        tab.sees(".approval >> showcase.send");
        for button in ["Approve", "Edit…", "Decline…"] {
            in_sight(&tab, &format!(".approval button >> {button}"));
        }
        tab.click(".approval button >> Edit…");
        in_sight(&tab, ".approval button >> Approve edited");
        in_sight(&tab, ".approval button >> Edit…");
        tab.click(".approval button >> Decline…");
        in_sight(&tab, ".approval form button >> Decline");
        // All of what it wants to do can be read.
        tab.eval("find('.approval .preview').scrollTop = 1e6");
        in_sight(&tab, ".approval .preview > :last-child");
        tab.assert_quiet();
    }
}

#[test]
fn every_answer_to_a_programs_question_is_in_sight() {
    for (width, height) in SIZES {
        let pad = Pad::with(SHOWCASE);
        let tab = pad.tab();
        tab.size(width, height);
        assert_eq!(called(&pad, &long()).0, 409);
        tab.click(".inbox-badge");
        for button in ["Approve", "Edit…", "Decline…"] {
            in_sight(&tab, &format!("dialog .approval button >> {button}"));
        }
        tab.click("dialog .approval button >> Edit…");
        in_sight(&tab, "dialog .approval button >> Approve edited");
        tab.assert_quiet();
    }
}

#[test]
fn the_mark_of_a_question_lies_beside_the_title() {
    for (width, height) in SIZES {
        let pad = Pad::with(SHOWCASE);
        let tab = pad.tab();
        pad.model.then(Turn::calls("showcase_send", json!({ "text": "hello all" })));
        say(
            &tab,
            "Tell everybody that the long title of this conversation is longer than the list",
        );
        tab.sees(".approval >> showcase.send");
        tab.size(width, height);
        if width < 800 {
            tab.click("#side-open");
        }
        let apart = "(() => { const box = (css) => find(css).getBoundingClientRect(); \
            const [dot, title, bin] = ['#conversations .dot', '#conversations .conversation-title', '#conversations button'].map(box); \
            const over = (a, b) => a.left < b.right && b.left < a.right && \
              a.top < b.bottom && b.top < a.bottom; \
            return !over(dot, title) && !over(dot, bin) && dot.width > 0; })()";
        tab.sees("#conversations .dot");
        tab.until(apart);
        tab.hover("#conversations a");
        tab.until(apart);
    }
}

#[test]
fn a_note_about_a_form_goes_when_the_person_goes_on_writing() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Everything");
    // No note goes by itself.
    tab.eval(
        "(() => { const own = window.setTimeout; \
         window.setTimeout = (work, ms, ...rest) => ms >= 4000 ? 0 : own(work, ms, ...rest); })()",
    );
    tab.fill("[data-component=words] input", "some words");
    tab.click("[data-component=save] button");
    tab.sees(".toast >> All was saved.");
    tab.until("find('[data-component=words] input').value === ''");
    tab.fill("[data-component=words] input", "more");
    tab.misses(".toast >> All was saved.");
}

#[test]
fn the_first_page_does_not_tell_to_start_what_shows_it() {
    let pad = Pad::rehearsing();
    let tab = pad.tab();
    tab.sees(".welcome .steps >> ANTHROPIC_API_KEY");
    tab.misses(".welcome >> ghosthand serve");
}
