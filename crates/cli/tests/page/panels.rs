//! The panels: tools, settings, personas, the library.

mod account;
mod steady;

use fake_providers::Turn;
use serde_json::json;

use crate::pad::{Pad, SHOWCASE, rests, say};

/// The names of the tools that the model was offered last.
fn offered(pad: &Pad) -> Vec<String> {
    let requests = pad.model.requests();
    let tools = requests.last().unwrap().body["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &serde_json::Value| tool["function"]["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

#[test]
fn tools_are_switched_off_and_on_one_by_one_and_by_file() {
    let pad = Pad::new();
    let tab = pad.talking();
    let dice = "dice_roll_dice".to_owned();
    assert!(offered(&pad).contains(&dice));
    let widget = "fetch('/api/tools/dice.roll_dice/run', { method: 'POST', headers: \
                  { 'Content-Type': 'application/json' }, body: JSON.stringify({ conversation: \
                  location.hash.slice(2), args: { dice: '2d6' } }) })";
    assert_eq!(tab.eval(&format!("(await (await {widget}).json()).ok")), true);
    tab.sees(".widget >> Dice");
    tab.click("#bar-tools [aria-label=Tools]");
    tab.click(".tool [role=switch][aria-label='dice.roll_dice']");
    tab.sees(".tool.off >> dice.roll_dice");
    tab.sees(".tool.off .because");
    tab.press("Escape");
    tab.misses("dialog");
    tab.misses(".widget >> Dice");
    pad.model.then(Turn::says("No dice."));
    say(&tab, "Roll");
    tab.sees(".assistant >> No dice.");
    rests(&tab);
    assert!(!offered(&pad).contains(&dice));
    tab.click("#bar-tools [aria-label=Tools]");
    tab.click(".file-head [role=switch][aria-label='All tools in dice.py']");
    tab.misses(".tool.off >> dice.roll_dice");
    tab.click(".file-head [role=switch][aria-label='All tools in battle.py']");
    tab.sees(".tool.off >> battle.attack");
    tab.press("Escape");
    tab.misses(".widget >> Your health");
    tab.sees(".widget >> Dice");
    tab.assert_quiet();
}

#[test]
fn a_tool_tells_about_itself_and_is_run_by_hand() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#bar-tools [aria-label=Tools]");
    tab.fill("dialog [type=search]", "calculator");
    tab.misses(".tool >> dice.roll_dice");
    tab.click(".tool summary >> calculator.calculator");
    tab.click(".tool-body summary >> Schema");
    tab.sees(".tool-body pre >> operation");
    tab.click(".tool-body button >> Explain");
    tab.sees(".why li");
    tab.click(".tool-body button >> Run tool");
    tab.click("dialog button.primary >> Run");
    tab.sees("dialog .fault >> “operation” is required");
    tab.eval("find('dialog.md select').value = '2'");
    for (at, number) in [(1, "6"), (2, "7")] {
        tab.fill(&format!("dialog.md .field:nth-child({}) input", at + 1), number);
    }
    tab.click("dialog button.primary >> Run");
    tab.sees(".outcome >> 42");
    tab.assert_quiet();
}

#[test]
fn settings_personas_and_the_library_are_kept() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#side-foot [aria-label=Settings]");
    tab.click("dialog [type=radio][value=dark]");
    tab.until("document.documentElement.dataset.theme === 'dark'");
    tab.click("dialog button.primary >> Save");
    tab.sees(".toast >> Saved");
    tab.press("Escape");
    tab.misses("dialog");
    tab.click("#side-foot [aria-label=Personas]");
    tab.click("dialog button >> New persona");
    tab.fill("dialog.sm input", "Ada");
    tab.click("dialog.sm button.primary >> Save");
    tab.sees("dialog li >> Ada");
    tab.click("dialog li [type=checkbox][aria-label='Use Ada']");
    tab.press("Escape");
    tab.click("#side-foot [aria-label=Library]");
    tab.click("dialog button >> New snippet");
    tab.fill("dialog.sm [aria-label=Title]", "Greeting");
    tab.fill("dialog.sm [aria-label=Content]", "Good morning");
    tab.click("dialog.sm button.primary >> Save");
    tab.sees("dialog li >> Greeting");
    tab.click("dialog li [aria-label='Insert Greeting into the message']");
    tab.press("Escape");
    tab.until("document.getElementById('draft').value === 'Good morning'");
    tab.reload();
    tab.sees("#bar-tools button");
    tab.gives("document.documentElement.dataset.theme", "dark");
    tab.assert_quiet();
}

#[test]
fn calls_and_tokens_are_told() {
    let pad = Pad::new();
    let tab = pad.talking();
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    pad.model.then(Turn::says("Rolled."));
    say(&tab, "Roll");
    tab.sees(".assistant >> Rolled.");
    rests(&tab);
    tab.click("#bar-tools [aria-label=More]");
    tab.click(".menu [role=menuitem] >> Calls and usage");
    tab.sees(".call >> dice.roll_dice");
    tab.sees(".figures >> output tokens");
    tab.assert_quiet();
}

#[test]
fn further_system_prompts_are_written_in_fields() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.click("#side-foot [aria-label=Settings]");
    tab.click("dialog button >> Add an entry");
    tab.until("document.activeElement.closest('.entry-box')");
    tab.fill("dialog .entry-box input[type=text]", "Tone");
    tab.fill("dialog .entry-box textarea", "Answer in rhymes.");
    tab.click("dialog form > .row button >> Save");
    tab.sees(".toast >> Saved");
    tab.press("Escape");
    tab.misses("dialog");
    pad.model.then(Turn::says("Fine, in line."));
    say(&tab, "Hello");
    tab.sees(".assistant >> Fine, in line.");
    rests(&tab);
    let sent = pad.model.requests().last().unwrap().body.to_string();
    assert!(sent.contains("Answer in rhymes."), "{sent}");
    tab.click("#side-foot [aria-label=Settings]");
    tab.sees("dialog .entry-box");
    tab.click("dialog .entry-box [aria-label='Remove this entry']");
    tab.misses("dialog .entry-box");
    tab.click("dialog form > .row button >> Save");
    tab.sees(".toast >> Saved");
    tab.reload();
    tab.click("#side-foot [aria-label=Settings]");
    tab.sees("dialog form");
    tab.misses("dialog .entry-box");
    tab.assert_quiet();
}

/// A question that is open was not approved, and a call that was declined has not failed.
#[test]
fn calls_say_what_a_person_did_with_them() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.tab();
    let show = || {
        tab.click("#bar-tools [aria-label=More]");
        tab.click(".menu [role=menuitem] >> Calls and usage");
        tab.sees(".call >> showcase.send");
    };
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "hello" })));
    say(&tab, "Send");
    tab.sees(".approval");
    show();
    tab.sees(".call .took >> needs approval");
    tab.misses(".call .chip >> approved");
    tab.press("Escape");
    tab.misses("dialog");
    pad.model.then(Turn::says("As you like."));
    tab.click(".approval button >> Decline…");
    tab.click(".approval form button >> Decline");
    tab.sees(".assistant >> As you like.");
    rests(&tab);
    show();
    tab.sees(".call .chip >> declined");
    tab.sees(".call .took >> not run");
    tab.misses(".call .late");
    tab.assert_quiet();
}

#[test]
fn a_conversation_is_exported() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#bar-tools [aria-label=More]");
    let hrefs = "window.asked = []; HTMLAnchorElement.prototype.click = function () { asked.push(this.href) }";
    tab.eval(&format!("(() => {{ {hrefs} }})()"));
    tab.click(".menu [role=menuitem] >> Export as Markdown");
    let text = "await (await fetch(asked[0])).text()";
    assert!(tab.eval(text).as_str().unwrap().contains("Hello."));
    tab.assert_quiet();
}

/// What a person misses is named where they look for it, with what to mend.
#[test]
fn tools_that_are_left_out_are_named_with_their_faults() {
    let broken = "import nothing_like_it\nTOOLS = []\n";
    let pad = Pad::with(&[("broken.py", broken)]);
    let tab = pad.talking();
    tab.click("#bar-tools [aria-label=Tools]");
    tab.sees(".left-out >> Not loaded because of errors");
    tab.sees(".left-out .because >> No module named");
    tab.click(".left-out summary >> broken.py");
    tab.sees(".left-out .why >> tools/broken.py:1:1");
    tab.sees(".left-out .why >> T090");
    tab.fill("dialog [type=search]", "broken");
    tab.sees(".left-out summary >> broken.py");
    tab.misses(".tool >> dice.roll_dice");
    tab.assert_quiet();
}
