//! What goes wrong, in the language of the person: the server's words, translated, and its
//! technical text as a detail.

use super::{Words, tab_in};
use crate::browser::Tab;
use crate::pad::Pad;

#[test]
fn faults_are_told_in_ukrainian() {
    causes_faults(&Words::new("uk", "uk-UA,uk,en"));
}

#[test]
fn faults_are_told_in_russian() {
    causes_faults(&Words::new("ru", "ru-RU,ru,en"));
}

fn causes_faults(words: &Words) {
    let pad = Pad::new();
    let tab = tab_in(&pad, words.browser);
    // A conversation that is gone.
    tab.eval("(location.hash = '#/nothing')");
    told(&tab, words.of("there is no such conversation"));
    // A name that is taken: the dialog stays, with what was typed.
    tab.click(&format!("#side-foot [aria-label='{}']", words.of("Personas")));
    for _ in 0..2 {
        tab.click(&format!("dialog button >> {}", words.of("New persona")));
        tab.fill("dialog.sm input", "Ada");
        tab.click(&format!("dialog.sm button.primary >> {}", words.of("Save")));
        tab.sees("dialog li >> Ada");
    }
    told(&tab, words.of("another persona has this name"));
    tab.press("Escape");
    tab.press("Escape");
    tab.misses("dialog");
    // A file that cannot be read.
    tab.eval(
        "(() => { const files = new DataTransfer(); \
         files.items.add(new File([new Uint8Array([0, 1, 2, 255])], 'odd.bin')); \
         const paste = new ClipboardEvent('paste', { clipboardData: files, bubbles: true }); \
         draft.focus(); draft.dispatchEvent(paste); })()",
    );
    told(&tab, words.of("this kind of file cannot be read"));
    // A text that the page does not know is a detail behind words for its code.
    tab.click(&format!("#bar-tools [aria-label='{}']", words.of("More")));
    tab.click(&format!(".menu [role=menuitem] >> {}", words.of("MCP servers")));
    tab.click(&format!("dialog button >> {}", words.of("Add a server")));
    tab.fill("dialog [placeholder=tracker]", "far");
    tab.fill("dialog [type=url]", "http://127.0.0.1:1/mcp");
    tab.click(&format!("dialog button >> {}", words.of("Try and save")));
    let detail = words.of("Details: {detail}").split_once(':').unwrap().0;
    tab.sees(&format!("dialog [role=alert] >> {}", words.of("Another server did not answer")));
    tab.sees(&format!("dialog [role=alert] >> {detail}:"));
    tab.assert_quiet();
}

#[track_caller]
fn told(tab: &Tab, text: &str) {
    tab.sees(&format!(".toast.bad >> {text}"));
}
