//! Files on the page: pasted, dropped, picked, shown, removed, kept, sent, refused.

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::axe::audited;
use crate::browser::Tab;
use crate::pad::{Pad, rests, say};

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A list of files in the page, from names and Base64.
fn files(tab: &Tab, event: &str, list: &[(&str, &str, &str)]) {
    let list = json!(list);
    tab.eval(&format!(
        "(() => {{
            const data = new DataTransfer();
            for (const [name, type, base64] of {list}) {{
                const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
                data.items.add(new File([bytes], name, {{ type }}));
            }}
            const event = {event};
            document.getElementById('draft').dispatchEvent(event);
            return event.defaultPrevented;
        }})()"
    ));
}

const PASTE: &str =
    "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })";
const DROP: &str = "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })";

/// `Звіт` and two lines.
const TABLE: &str = "0JfQstGW0YIKYSxiCjEsMgo=";

#[test]
fn a_pasted_picture_and_a_dropped_table_reach_the_model() {
    let pad = Pad::set(&[], "pictures = \"yes\"\n");
    let tab = pad.tab();
    files(&tab, PASTE, &[("cat.png", "image/png", PNG)]);
    tab.sees("#files li >> PNG · 70 B · 1 × 1 · about 1 token");
    tab.until("document.querySelector('#files img.thumb')?.naturalWidth === 1");
    files(&tab, DROP, &[("Звіт.csv", "text/csv", TABLE)]);
    tab.sees("#files li:nth-child(2) >> Звіт.csv");
    tab.sees("#files li:nth-child(2) >> text · 17 B");
    audited(&tab, "files in the composer", json!({}));
    // They are still there after a reload.
    tab.reload();
    tab.sees("#files li >> cat.png");
    tab.counts("#files li", 2);
    pad.model.then(Turn::says("A cat and a table."));
    say(&tab, "What is this?");
    tab.sees(".assistant >> A cat and a table.");
    rests(&tab);
    tab.misses("#files li");
    tab.sees(".user .files a >> cat.png");
    tab.sees(".user .files a >> Звіт.csv");
    audited(&tab, "files in a message", json!({}));
    let sent = pad.model.requests().last().unwrap().body.clone();
    let parts = sent["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert_eq!(parts[0]["image_url"]["url"], json!(format!("data:image/png;base64,{PNG}")));
    let words = parts[1]["text"].as_str().unwrap();
    assert!(words.contains("What is this?"), "{words}");
    assert!(words.contains("<file name=\"Звіт.csv\">\nЗвіт\na,b\n1,2\n</file>"), "{words}");
    tab.reload();
    tab.sees(".user .files a >> cat.png");
    tab.misses("#files li");
    tab.assert_quiet();
}

#[test]
fn a_file_is_picked_removed_and_refused() {
    let pad = Pad::set(&[], "[files]\nmegabytes = 1\nper_message = 2\n");
    let tab = pad.tab();
    let file = pad.dir().join("notes.md");
    std::fs::write(&file, "# Notes\n").unwrap();
    tab.call("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
    let opened = tab.hears("Page.fileChooserOpened", || tab.click("#attach"));
    assert_eq!(opened["mode"], "selectMultiple");
    let node = opened["backendNodeId"].clone();
    tab.call("DOM.setFileInputFiles", json!({ "files": [file], "backendNodeId": node }));
    tab.sees("#files li >> notes.md");
    let digest =
        || tab.eval("JSON.parse(localStorage.getItem('files:') ?? '[]')[0]?.digest ?? null");
    tab.until("localStorage.getItem('files:') !== null");
    let address = format!("/api/attachments/{}", digest().as_str().unwrap());
    tab.click("#files li button");
    tab.misses("#files li");
    assert_eq!(digest(), Value::Null);
    while tab.eval(&format!("(await fetch('{address}')).status")) != 404 {}
    // A program is not a document, whatever its name says.
    files(&tab, DROP, &[("letter.txt", "text/plain", "f0VMRgIBAQAA")]);
    tab.sees(".toast.bad >> letter.txt: this kind of file cannot be read");
    tab.misses("#files li");
    let one = ("a.txt", "", "YQ==");
    files(&tab, DROP, &[one, ("b.txt", "", "Yg=="), ("c.txt", "", "Yw==")]);
    tab.sees(".toast.bad >> A message can have 2 files");
    tab.counts("#files li", 2);
    tab.until("!document.querySelector('#files [aria-busy]')");
    let large = "A".repeat(1_400_000);
    tab.click("#files li button");
    tab.counts("#files li", 1);
    files(&tab, DROP, &[("large.txt", "", &large)]);
    tab.sees(".toast.bad >> large.txt: the file has more than 1.0 MB");
    tab.counts("#files li", 1);
}

/// A model that does not see is told so, and so is the person before they send.
#[test]
fn a_person_hears_that_the_model_does_not_see() {
    let pad = Pad::new();
    let tab = pad.tab();
    files(&tab, PASTE, &[("cat.png", "image/png", PNG)]);
    tab.sees(".files-note >> This model cannot see pictures.");
    pad.model.then(Turn::says("I cannot see it."));
    tab.click("#send");
    tab.sees(".assistant >> I cannot see it.");
    rests(&tab);
    let sent = pad.model.requests().last().unwrap().body.to_string();
    assert!(!sent.contains(PNG), "{sent}");
    assert!(sent.contains("you cannot see pictures"), "{sent}");
    tab.misses(".files-note");
    tab.assert_quiet();
}
