//! The panel with documents, and citations that open at their place.

use fake_providers::Turn;
use serde_json::json;

use crate::axe::audited;
use crate::pad::{Pad, rests, say};

#[test]
fn a_document_is_added_searched_and_cited() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#bar-tools button[aria-label=More]");
    tab.click("[role=menuitem] >> Documents");
    tab.sees("#folders >> No folders yet.");
    tab.fill("[placeholder='New folder']", "Handbook");
    tab.click("dialog button >> Create");
    tab.sees(".folder h3 >> Handbook");
    let file = pad.dir().join("rules.md");
    std::fs::write(&file, "# Rules\n\nThe gate closes at nine.\nThe cat may stay.\n").unwrap();
    tab.call("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
    let opened = tab.hears("Page.fileChooserOpened", || tab.click(".folder button >> Add files"));
    let node = opened["backendNodeId"].clone();
    tab.call("DOM.setFileInputFiles", json!({ "files": [file], "backendNodeId": node }));
    tab.sees(".folder li >> rules.md");
    tab.sees(".folder li >> ready");
    audited(&tab, "documents", json!({}));
    tab.press("Escape");
    let digest = tab.eval("(await (await fetch('/api/kb')).json())[0].files[0].digest");
    let document = digest.as_str().unwrap().trim_start_matches("sha256:")[..16].to_owned();
    let call = json!({ "query": "when does the gate close" });
    pad.model.then(Turn::calls("search_documents", call));
    let answer = format!("At nine ([rules.md, lines 3 to 3](document:{document}/3-3)).");
    pad.model.then(Turn::says(&answer));
    say(&tab, "When does the gate close?");
    tab.sees(".assistant a >> rules.md, lines 3 to 3");
    rests(&tab);
    let sent = pad.model.requests().last().unwrap().body.to_string();
    assert!(sent.contains("The gate closes at nine."), "{sent}");
    assert!(sent.contains(&format!("document:{document}/1-4")), "{sent}");
    tab.click(".assistant a >> rules.md, lines 3 to 3");
    tab.reads("dialog mark", "The gate closes at nine.");
    tab.sees("dialog >> The cat may stay.");
    audited(&tab, "a cited document", json!({}));
    tab.press("Escape");
    tab.click("#bar-tools button[aria-label=More]");
    tab.click("[role=menuitem] >> Documents");
    tab.click(".folder li button");
    tab.misses(".folder li");
    tab.click("button[aria-label='Delete the folder Handbook']");
    tab.sees("#folders >> No folders yet.");
    tab.assert_quiet();
}
