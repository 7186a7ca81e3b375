//! On a touch screen every control is large enough for a finger.

use fake_providers::Turn;
use serde_json::json;

use super::languages::tab_in;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests};

/// Controls on the screen that are smaller than 44 pixels, with their size. Links inside of text
/// are as large as the text, and a control inside of a label is as large as the label.
const SMALL: &str = "[...document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=menuitem]')]
  .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('.prose, .skip, .sr, [inert]'))
  .map((one) => [one, (one.closest('label') ?? one).getBoundingClientRect()])
  .filter(([, box]) => box.width && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth)
  .filter(([, box]) => box.width < 43.5 || box.height < 43.5)
  .map(([one, box]) => `${one.tagName} ${one.className} ${one.getAttribute('aria-label') ?? one.textContent.slice(0, 30)}: ${Math.round(box.width)}x${Math.round(box.height)}`)";

/// The small controls of each view.
#[derive(Default)]
struct Small(Vec<String>);

impl Small {
    fn look(&mut self, tab: &Tab, view: &str) {
        let small = tab.eval(SMALL);
        let small = small.as_array().unwrap().iter();
        self.0.extend(small.map(|one| format!("{view}: {one}")));
    }
}

#[test]
fn every_control_is_large_enough_for_a_finger() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.tab();
    let mut small = Small::default();
    tab.size(390, 844);
    tab.reload();
    tab.sees(".welcome");
    small.look(&tab, "the welcome screen");
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    pad.model.then(Turn::says("It is **42**.\n\n```js\nlet a = 42;\n```\n"));
    tab.fill("#draft", "What is 6*7?");
    tab.click("#send");
    tab.sees(".assistant >> It is 42.");
    rests(&tab);
    small.look(&tab, "a conversation");
    tab.eval("document.querySelector('.step').open = true");
    small.look(&tab, "an open step");
    tab.click("#side-open");
    tab.sees(".side.open #conversations a");
    small.look(&tab, "the drawer");
    tab.press("Escape");
    tab.click("#bar-tools [aria-label=More]");
    tab.sees(".menu [role=menuitem]");
    small.look(&tab, "a menu");
    for panel in ["Settings", "Library", "Personas", "Calls and usage", "Keyboard shortcuts"] {
        if tab.eval("document.querySelector('.menu') === null") == true {
            tab.click("#bar-tools [aria-label=More]");
        }
        tab.click(&format!(".menu [role=menuitem] >> {panel}"));
        tab.sees("dialog[open] .dialog-body:not([aria-busy]) *");
        small.look(&tab, panel);
        tab.press("Escape");
        tab.misses("dialog");
    }
    tab.click("#bar-tools [aria-label=Tools]");
    tab.sees("dialog[open] .tool");
    small.look(&tab, "the tools");
    assert_eq!(small.0, Vec::<String>::new());
    tab.assert_quiet();
}

/// In each language the words in the empty message field are in one line, which it shows whole.
#[test]
fn the_empty_message_field_has_one_line_on_a_phone() {
    let pad = Pad::new();
    for browser in ["en-GB,en", "uk-UA,uk", "ru-RU,ru"] {
        let tab = tab_in(&pad, browser);
        for width in [360, 390] {
            tab.size(width, 800);
            tab.reload();
            tab.sees(".welcome");
            let line = "parseFloat(getComputedStyle(draft).lineHeight)";
            let padding = "parseFloat(getComputedStyle(draft).paddingTop) + \
                           parseFloat(getComputedStyle(draft).paddingBottom)";
            tab.gives(&format!("draft.scrollHeight - ({padding}) < 1.5 * {line}"), true);
            let wide = "(() => { const style = getComputedStyle(draft); \
                const context = document.createElement('canvas').getContext('2d'); \
                context.font = style.font; \
                return context.measureText(draft.placeholder).width + parseFloat(style.paddingLeft) + \
                parseFloat(style.paddingRight) <= draft.clientWidth; })()";
            assert_eq!(tab.eval(wide), true, "{browser} at {width}");
        }
    }
}
