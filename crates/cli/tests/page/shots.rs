//! Pictures of the page for the documents: `make shots`, then look at them.

use std::path::PathBuf;

use fake_providers::Turn;
use serde_json::json;
use testkit::Gate;

use crate::approvals::called;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};
use crate::program::repository;

pub(crate) fn file(name: &str) -> PathBuf {
    let folder = repository().join("docs/images");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{name}.png"))
}

/// A picture in light and one in the dark.
pub(crate) fn both(tab: &Tab, name: &str) {
    tab.shot(&file(name));
    tab.scheme("dark");
    tab.until(&diagrams_are("dark"));
    tab.shot(&file(&format!("{name}-dark")));
    tab.scheme("light");
    tab.until(&diagrams_are("light"));
}

/// The frames of all diagrams have followed the theme.
fn diagrams_are(theme: &str) -> String {
    format!(
        "[...document.querySelectorAll('.diagram[data-state=drawn]')]\
         .every(({{ dataset }}) => dataset.theme === '{theme}')"
    )
}

/// The diagram is drawn as wide as its place is now.
fn diagram_fits(tab: &Tab) {
    let fits = "Math.abs(document.querySelector('svg').getBoundingClientRect().height + 8 - innerHeight) < 3";
    let diagram = tab.frame("Diagram");
    diagram.until(fits);
    diagram.eval(
        "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
}

/// A conversation with tool steps, widgets and some Markdown.
fn played(pad: &Pad) -> Tab {
    let tab = pad.tab();
    pad.model.then(Turn::says("Of course. What are we playing?"));
    say(&tab, "Shall we play?");
    tab.sees(".assistant >> playing");
    rests(&tab);
    pad.model.then(Turn::calls("battle_meet_enemy", json!({ "enemy": "goblin" })));
    pad.model.then(
        Turn::calls("mood_set_mood", json!({ "mood": "excited" }))
            .call("dice_roll_dice", json!({ "dice": "2d6" })),
    );
    let told = "A **goblin** steps into the way, dice in its paw. It rolls first.\n\n\
        - *Attack* and hope for a six,\n- *run* behind the first hill, or\n- use the `Punch` button \
        in the menu of features.\n\n```python\ndamage = random.randint(2, 6)\n```\n\n\
        What will you do?";
    pad.model.then(Turn::says(told));
    say(&tab, "Start a battle with a goblin, and roll two dice for it.");
    tab.sees(".assistant >> What will you do?");
    rests(&tab);
    tab.sees(".widget >> Enemy");
    tab
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn shots() {
    let pad = Pad::rehearsing();
    let tab = pad.tab();
    tab.sees(".welcome");
    both(&tab, "first-run");
    tab.size(390, 844);
    tab.shot(&file("first-run-phone"));
    drop(pad);

    let pad = Pad::new();
    let tab = played(&pad);
    both(&tab, "chat");
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.sees(".menu");
    tab.until(
        "[...document.querySelectorAll('.menu use')].every((use) => use.getBBox().width > 0)",
    );
    tab.shot(&file("features"));
    tab.click(".menu [role=menuitem] >> Notebook");
    tab.sees("dialog .surface");
    for note in ["buy oat milk", "the goblin limps"] {
        tab.fill("dialog textarea", note);
        tab.click("dialog button.primary >> Add");
        tab.sees(&format!("dialog li >> {note}"));
    }
    tab.sees("dialog td >> 2");
    tab.until("!document.querySelector('.toast')");
    tab.shot(&file("form"));
    tab.press("Escape");
    tab.misses("dialog");
    pad.model.then(Turn::calls("read_page", json!({ "url": "https://example.com/goblins" })));
    say(&tab, "What does example.com say about goblins?");
    tab.sees(".approval .until >> The question is open until");
    both(&tab, "approval");
    tab.click(".step summary >> dice.roll_dice");
    tab.sees(".step pre");
    tab.eval("find('.step').scrollIntoView({ block: 'start' })");
    tab.shot(&file("step"));
    tab.click(".step summary >> dice.roll_dice");
    tab.click("#bar-tools [aria-label=Tools]");
    tab.click(".tool summary >> battle.attack");
    tab.eval("document.activeElement.blur()");
    tab.shot(&file("tools"));
    tab.press("Escape");
    tab.misses("dialog");
    tab.click("#side-foot [aria-label=Settings]");
    tab.sees("dialog form");
    tab.shot(&file("settings"));
    tab.press("Escape");
    tab.misses("dialog");
    tab.click("#bar-tools [aria-label=More]");
    tab.click(".menu [role=menuitem] >> Calls and usage");
    tab.sees("dialog .call");
    tab.shot(&file("calls"));
    tab.press("Escape");
    tab.misses("dialog");
    tab.size(390, 844);
    tab.eval("document.activeElement.blur()");
    tab.eval("document.getElementById('log').scrollTop = 1e6");
    tab.misses("#latest");
    tab.shot(&file("approval-phone"));
    tab.click("#side-open");
    tab.sees("#conversations li");
    tab.shot(&file("conversations-phone"));
    tab.click("#side-close");
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Notebook");
    tab.sees("dialog td >> 2");
    tab.shot(&file("form-phone"));
    drop(pad);

    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    let gate = Gate::new();
    let told = "# A plan\n\nFirst **look around**, then:\n\n- take the *lantern*,\n- read the \
        `map`.\n\n```python\nfor step in path:\n    walk(step)\n```\n\nThen we **go on";
    pad.model.then(Turn::says(told).gate_at(23, &gate));
    say(&tab, "What comes next?");
    tab.sees(".assistant.writing strong >> go");
    both(&tab, "streaming");
    gate.open();
    rests(&tab);
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Everything");
    tab.sees("dialog td >> You");
    both(&tab, "components");
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn shots_of_requests() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    called(&pad, "The goblin is back.");
    called(&pad, "Dinner at eight?");
    tab.sees(".inbox-badge >> Inbox: 2 things wait for you");
    tab.click(".inbox-badge");
    tab.sees("dialog .approval >> Dinner at eight?");
    tab.eval("document.activeElement.blur()");
    both(&tab, "requests");
    tab.size(390, 844);
    tab.shot(&file("requests-phone"));
}

const ANSWER: &str = "## Free fall\n\nWithout air, a stone falls by $s = \\tfrac{1}{2} g t^2$:\n\n\
    $$\n\\begin{aligned} v(t) &= g\\,t \\\\ s(t) &= \\int_0^t v\\,\\mathrm{d}t \
    = \\boxed{\\frac{g\\,t^2}{2}} \\end{aligned}\n$$\n\n\
    | after | speed | way | as high as |\n|---|---:|---:|:--|\n\
    | 1 s | 9.8 m/s | 4.9 m | a house of two floors |\n\
    | 2 s | 19.6 m/s | 19.6 m | a big tree |\n\n\
    ```mermaid\ngraph LR\n  A[Let go] --> B{Air?}\n  B -- no --> C[s = gt²/2]\n\
    \x20 B -- yes --> D[slower]\n```\n\n\
    More at https://en.wikipedia.org/wiki/Free_fall.[^1]\n\n[^1]: In English.\n";

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn shots_of_answers() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.size(1440, 900);
    pad.model.then(Turn::says(ANSWER));
    say(&tab, "How fast does a stone fall?");
    tab.sees(".code.drawn iframe");
    rests(&tab);
    let gate = Gate::new();
    pad.model.then(Turn::says("Water is heavier.").gate_at(3, &gate));
    say(&tab, "And in water?");
    tab.sees(".assistant.writing >> Water");
    say(&tab, "Then tell me about feathers.");
    tab.sees("#queue li");
    both(&tab, "answer");
    tab.eval("document.getElementById('log').scrollTop = 0");
    tab.size(390, 844);
    diagram_fits(&tab);
    tab.eval("find('.assistant').scrollIntoView({ block: 'start' })");
    tab.shot(&file("answer-phone"));
    gate.open();
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn model_shots() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#model");
    tab.click("[aria-label='Favourite: fake:gpt-5.4']");
    tab.sees(".models h3 >> Favourites");
    tab.until("[...document.querySelectorAll('.models use')].every((use) => use.getBBox().width)");
    both(&tab, "models");
    tab.size(390, 844);
    tab.shot(&file("models-phone"));
    tab.size(1440, 900);
    tab.click("dialog button >> Providers and keys");
    tab.sees("dialog .list >> anthropic");
    tab.shot(&file("providers"));
    tab.press("Escape");
    tab.click("#bar-tools [aria-label=More]");
    tab.click("[role=menuitem] >> Settings of this conversation");
    tab.sees("dialog textarea");
    tab.shot(&file("conversation-settings"));
}
