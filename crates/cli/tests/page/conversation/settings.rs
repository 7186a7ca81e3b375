//! The settings of one conversation: what the model gets, presets, and what survives a reload.

use fake_providers::Turn;
use serde_json::json;

use crate::axe::audited;
use crate::pad::{Pad, rests, say};

fn open(tab: &crate::browser::Tab) {
    tab.click("#bar-tools [aria-label=More]");
    tab.click("[role=menuitem] >> Settings of this conversation");
    tab.sees("dialog textarea");
}

#[test]
fn prompt_sampling_and_tools_are_chosen_kept_and_used_again_as_a_preset() {
    let pad = Pad::new();
    let tab = pad.talking();
    open(&tab);
    audited(&tab, "the settings of a conversation", json!({ "iframes": false }));
    tab.fill("dialog textarea", "Speak Latin.");
    tab.fill("dialog fieldset input[max='2']", "0.5");
    tab.click("dialog [aria-label='All tools of dice']");
    tab.fill("dialog [aria-label='Name of the preset']", "Latin");
    tab.click("dialog button >> Save as preset");
    tab.sees("dialog [aria-label='Apply Latin']");
    tab.click("dialog button.primary >> Save");
    tab.misses("dialog");
    pad.model.then(Turn::says("Salve."));
    say(&tab, "Hello again");
    tab.sees(".assistant >> Salve.");
    rests(&tab);
    let body = pad.model.requests().last().unwrap().body.clone();
    assert!(body["messages"][0]["content"].as_str().unwrap().starts_with("Speak Latin."));
    assert_eq!(body["temperature"], 0.5);
    let tools = body["tools"].to_string();
    assert!(!tools.contains("dice_roll_dice") && tools.contains("calculator"), "{tools}");
    tab.reload();
    tab.sees(".assistant >> Salve.");
    open(&tab);
    tab.until("find('dialog textarea').value === 'Speak Latin.'");
    tab.until("!find(\"dialog [aria-label='All tools of dice']\").checked");
    tab.press("Escape");
    // Another conversation begins without them, and takes the preset.
    tab.click("#new");
    pad.model.then(Turn::says("Plain."));
    say(&tab, "Hello");
    tab.sees(".assistant >> Plain.");
    rests(&tab);
    open(&tab);
    tab.until("find('dialog textarea').value === ''");
    tab.click("dialog [aria-label='Apply Latin']");
    tab.until("find('dialog textarea').value === 'Speak Latin.'");
    tab.click("dialog button.primary >> Save");
    tab.misses("dialog");
    open(&tab);
    tab.until("find('dialog textarea').value === 'Speak Latin.'");
    tab.click("dialog [aria-label='Delete preset Latin']");
    tab.click("dialog button.danger");
    tab.misses("dialog [aria-label='Apply Latin']");
    tab.assert_quiet();
}
