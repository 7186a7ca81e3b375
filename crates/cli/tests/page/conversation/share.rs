//! Shared links: chosen in a dialog, read by somebody without a login, revoked.

use fake_providers::Turn;
use serde_json::json;

use crate::axe::audited;
use crate::browser::{Browser, Tab};
use crate::pad::{Pad, rests, say};

fn axe(tab: &Tab, place: &str) {
    audited(tab, place, json!({ "iframes": false }));
}

/// Creates a link in the open dialog.
fn created(tab: &Tab) -> String {
    tab.click("dialog button >> Create link");
    tab.sees("dialog #share-link");
    tab.eval("find('dialog #share-link').value").as_str().unwrap().to_owned()
}

fn share(tab: &Tab) {
    tab.click("#bar-tools [aria-label=More]");
    tab.click(".menu [role=menuitem] >> Share…");
    tab.sees("dialog #share-end");
}

#[test]
fn a_link_is_read_without_a_login_until_it_is_revoked() {
    let pad = Pad::new();
    let tab = pad.tab();
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    pad.model.then(Turn::says(
        "# Result\n\nIt is `7`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```",
    ));
    say(&tab, "Roll two dice");
    tab.sees(".assistant >> Result");
    rests(&tab);
    share(&tab);
    tab.until("find('dialog #share-end').selectedOptions[0].text === 'In 7 days'");
    let plain = created(&tab);
    axe(&tab, "the dialog");
    tab.click("dialog label >> Tool calls");
    tab.eval("(find('dialog #share-end').value = 'date', find('dialog #share-end').dispatchEvent(new Event('change')))");
    tab.sees("dialog #share-date");
    tab.eval("find('dialog #share-link').remove()");
    let full = created(&tab);
    tab.sees("dialog li >> with tool calls");
    tab.size(390, 844);
    axe(&tab, "the dialog on a phone");
    let small = "[...document.querySelectorAll('dialog :is(button, select, label.touch)')].filter((one) => \
        one.checkVisibility() && one.getBoundingClientRect().height < 43.5).map((one) => one.outerHTML)";
    tab.gives(small, json!([]));
    tab.size(1280, 800);
    // Somebody else, without a login.
    let (browser, mut opened) = (Browser::open(), Vec::new());
    for (link, steps) in [(&plain, 0), (&full, 1)] {
        let reader = Tab::new(&browser);
        reader.open(link);
        reader.sees(".shared .assistant >> It is");
        reader.counts(".shared details.step", steps);
        for width in [390, 1440] {
            reader.size(width, 900);
            axe(&reader, "the shared page");
            reader.until("document.documentElement.scrollWidth <= innerWidth");
        }
        reader.assert_quiet();
        opened.push(reader);
    }
    assert_eq!(opened[0].eval("document.scripts.length"), 0);
    for left in [1, 0] {
        tab.click("dialog .share-row button >> Revoke");
        tab.click("dialog button.danger >> Revoke");
        tab.counts("dialog .share-row", left);
    }
    tab.sees("dialog >> You have no shared links.");
    opened[0].reload();
    opened[0].sees("h1 >> no longer available");
    axe(&opened[0], "a link that ended");
    tab.assert_quiet();
}
