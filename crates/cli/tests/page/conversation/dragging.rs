//! What is dragged with a pointer: files over the page, conversations into folders.

use fake_providers::Turn;
use serde_json::{Value, json};

use super::organise::{choose, lists, told};
use crate::browser::Tab;
use crate::pad::{Pad, rests};

/// A step of a drag that comes from outside of the browser, or that the browser has begun.
#[track_caller]
fn drags(tab: &Tab, kind: &str, what: &str, data: &Value) {
    let at = tab.until(&format!(
        "(() => {{ const one = find({what:?})?.getBoundingClientRect(); \
         return one && [one.x + one.width / 2, one.y + Math.min(one.height / 2, 14)]; }})()"
    ));
    let event = json!({ "type": kind, "x": at[0], "y": at[1], "data": data });
    tab.call("Input.dispatchDragEvent", event);
}

/// A file on the disk, as a file manager hands it over.
fn file(pad: &Pad, name: &str) -> Value {
    let path = pad.dir().join(name);
    std::fs::write(&path, "# Notes\n").unwrap();
    json!({ "items": [], "files": [path], "dragOperationsMask": 1 })
}

#[test]
fn files_are_dropped_anywhere_on_the_page() {
    let pad = Pad::new();
    let tab = pad.talking();
    let data = file(&pad, "notes.md");
    drags(&tab, "dragEnter", "#conversations", &data);
    drags(&tab, "dragOver", "#conversations", &data);
    tab.sees("#drop-area >> Drop files to attach them to the message");
    // A drag that leaves the window enters nothing else.
    tab.eval("find('#log').dispatchEvent(new DragEvent('dragleave', { bubbles: true }))");
    tab.misses("#drop-area");
    drags(&tab, "dragEnter", "#log", &data);
    drags(&tab, "dragOver", "#log", &data);
    tab.sees("#drop-area");
    drags(&tab, "drop", "#log", &data);
    tab.misses("#drop-area");
    tab.sees("#files li >> notes.md");
    pad.model.then(Turn::says("I have read it."));
    tab.click("#send");
    tab.sees(".assistant >> I have read it.");
    rests(&tab);
    tab.sees(".user .files a >> notes.md");
    tab.assert_quiet();
}

/// Only folders of documents take files there; elsewhere the browser would leave the page for the
/// file.
#[test]
fn a_dialog_takes_files_only_where_it_says_so() {
    let pad = Pad::new();
    let tab = pad.talking();
    let data = file(&pad, "notes.md");
    tab.click("#bar-tools [aria-label=More]");
    tab.click(".menu [role=menuitem] >> Documents");
    tab.fill("dialog [aria-label='Name of the folder']", "Plans");
    tab.press("Enter");
    tab.sees("dialog .folder >> Plans");
    drags(&tab, "dragEnter", "dialog h2", &data);
    drags(&tab, "dragOver", "dialog h2", &data);
    tab.misses("#drop-area");
    drags(&tab, "drop", "dialog h2", &data);
    tab.gives("location.protocol", "http:");
    tab.misses("#files li");
    drags(&tab, "dragEnter", "dialog .folder", &data);
    drags(&tab, "dragOver", "dialog .folder", &data);
    tab.sees("dialog .folder.drop-here");
    drags(&tab, "drop", "dialog .folder", &data);
    tab.sees("dialog .folder li >> notes.md");
    tab.misses(".drop-here");
    tab.misses("#files li");
    tab.assert_quiet();
}

/// Takes a conversation by its title with the mouse and lets it go elsewhere.
#[track_caller]
fn moves(tab: &Tab, title: &str, to: &str) {
    let what = format!("#conversations a >> {title}");
    let at = tab.until(&format!(
        "(() => {{ const one = find({what:?})?.getBoundingClientRect(); \
         return one && [one.x + 20, one.y + 14]; }})()"
    ));
    let [x, y] = [0, 1].map(|axis| at[axis].as_f64().unwrap());
    let mouse = |kind: &str, off: f64| {
        let event = json!({ "type": kind, "x": x + off, "y": y + off, "button": "left",
            "buttons": 1, "clickCount": 1 });
        tab.call("Input.dispatchMouseEvent", event);
    };
    let begun = tab.hears("Input.dragIntercepted", || {
        mouse("mousePressed", 0.0);
        mouse("mouseMoved", 6.0);
        mouse("mouseMoved", 12.0);
    });
    tab.sees("#conversations.dragging");
    for kind in ["dragEnter", "dragOver"] {
        drags(tab, kind, to, &begun["data"]);
    }
    tab.sees(".drop-here");
    drags(tab, "drop", to, &begun["data"]);
    tab.misses(".drop-here");
    let up = json!({ "type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1 });
    tab.call("Input.dispatchMouseEvent", up);
}

#[test]
fn conversations_are_dragged_into_folders_out_of_them_and_into_the_archive() {
    let pad = Pad::new();
    let tab = pad.tab();
    for text in ["Bread", "Clock", "Garden"] {
        told(&pad, &tab, text);
    }
    choose(&tab, "Clock", "Move to folder");
    tab.fill("dialog #folder-name", "Repairs");
    tab.press("Enter");
    tab.misses("dialog");
    lists(&tab, &["Repairs", "Clock", "Today", "Garden", "Bread"]);
    tab.call("Input.setInterceptDrags", json!({ "enabled": true }));
    moves(&tab, "Bread", ".folder-name >> Repairs");
    lists(&tab, &["Repairs", "Clock", "Bread", "Today", "Garden"]);
    tab.sees(".toast >> Moved");
    moves(&tab, "Clock", "#conversations a >> Garden");
    lists(&tab, &["Repairs", "Bread", "Today", "Garden", "Clock"]);
    choose(&tab, "Garden", "Archive");
    moves(&tab, "Clock", ".archive-entry");
    lists(&tab, &["Repairs", "Bread"]);
    tab.sees(".archive-entry .count >> 2");
    // A drag opens nothing: the conversation that was open still is.
    tab.sees(".user >> Garden");
    tab.reload();
    lists(&tab, &["Repairs", "Bread"]);
    tab.assert_quiet();
}
