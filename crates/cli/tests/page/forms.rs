//! What tools draw: every component, both widgets, actions at once, conditions.

use fake_providers::Turn;
use serde_json::json;

use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};

/// Opens a feature from the menu of tools' features.
fn choose(tab: &Tab, label: &str) {
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(&format!(".menu [role=menuitem] >> {label}"));
}

/// The form with all components, in a conversation.
fn form(pad: &Pad) -> Tab {
    let tab = pad.talking();
    choose(&tab, "Everything");
    tab.sees("dialog .surface");
    tab
}

/// A component of the form.
fn part(name: &str, inside: &str) -> String {
    format!("[data-component={name}] {inside}")
}

/// Sets one of the showcase's keys, as a tool elsewhere would.
fn keep(tab: &Tab, name: &str, value: &serde_json::Value) {
    let id = "location.hash.slice(2)";
    let body = json!({ "value": value }).to_string();
    let options = json!({ "method": "PUT", "body": body,
        "headers": { "Content-Type": "application/json" } });
    let put = format!("fetch(`/api/kv/showcase-{name}-${{{id}}}`, {options})");
    assert_eq!(tab.eval(&format!("(await {put}).ok")), true);
}

#[test]
fn inputs_are_filled_sent_cleared_and_refreshed() {
    let pad = Pad::with(SHOWCASE);
    let tab = form(&pad);
    tab.until("find('[data-component=essay] textarea')?.value === 'Once'");
    tab.until("find('[data-component=number] input')?.value === '4'");
    tab.gives("find('[data-component=shut] input')?.disabled", true);
    tab.gives("find('[data-component=words] input')?.maxLength", 12);
    tab.gives("find('[data-component=words] input')?.style.width", "60%");
    tab.gives(
        "(({ min, max, step }) => [min, max, step])(find('[data-component=number] input') ?? {})",
        json!(["1", "9", "0.5"]),
    );
    tab.fill(&part("words", "input"), "some words");
    // A number beyond the limits of the component is not sent.
    for (number, fault) in [("5000", "must be at most 9"), ("0", "must be at least 1")] {
        tab.fill(&part("number", "input"), number);
        tab.click(&part("save", "button"));
        tab.sees(&part("save", &format!(".fault >> A number {fault}")));
    }
    tab.fill(&part("number", "input"), "7.5");
    tab.eval("find('[data-component=who] select').value = 'user'");
    tab.click(&part("save", "button"));
    tab.sees(".toast >> All was saved.");
    tab.until("find('[data-component=words] input').value === ''");
    tab.sees(&part("list", "li >> some words"));
    tab.sees(&part("table", "td >> $7.50"));
    let told = "await (await fetch(`/api/kv?keys=showcase-told-${location.hash.slice(2)}`)).json()";
    let told = tab.eval(&format!("Object.values({told})[0]"));
    let expected = "[('essay', 'Once'), ('fixed', 'as it is'), ('number', 7.5), ('who', 'user'), \
                    ('words', 'some words')]";
    assert_eq!(told, expected);
    tab.assert_quiet();
}

#[test]
fn enter_presses_the_button_an_error_stands_beside_it_and_a_reply_closes_the_form() {
    let pad = Pad::with(SHOWCASE);
    let tab = form(&pad);
    tab.fill(&part("words", "input"), "by key");
    tab.press("Enter");
    tab.sees(&part("list", "li >> by key"));
    tab.until("!find('[data-component=save] button').disabled");
    tab.fill(&part("words", "input"), "again");
    tab.fill(&part("essay", "textarea"), "Twice");
    tab.press("Ctrl+Enter");
    tab.sees(&part("list", "li >> again"));
    tab.click(&part("fail", "button"));
    tab.sees(&part("fail", ".fault >> This button never works."));
    let looks = "['save', 'outline', 'leave', 'danger', 'primary', 'secondary', 'fail'].map((name) => \
                 find(`[data-component=${name}] button`)?.className)";
    let expected = json!([
        "primary md",
        "outline md",
        "ghost lg",
        "danger md",
        "primary md",
        "outline md",
        "danger sm"
    ]);
    tab.gives(looks, expected);
    tab.click(&part("leave", "button"));
    tab.misses("dialog");
    tab.assert_quiet();
}

#[test]
fn lists_and_tables_follow_what_tools_keep() {
    let pad = Pad::with(SHOWCASE);
    let tab = form(&pad);
    tab.sees(&part("list", "li >> The list is empty"));
    tab.sees(&part("table", "td >> You"));
    for item in ["one", "two", "three"] {
        tab.fill(&part("words", "input"), item);
        tab.press("Enter");
        tab.until(&format!("find('[data-component=list]').innerText.includes('Total') && \
            find('[data-component=words] input').value === '' && !find('[data-component=save] button').disabled && '{item}'"));
    }
    tab.sees(&part("list", ".row >> Total: 3"));
    tab.misses(&part("list", "li >> three"));
    tab.click(&part("list", "button >> Show more"));
    tab.sees(&part("list", "li >> three"));
    tab.click(&part("list", "[aria-label='Delete item 2']"));
    tab.misses(&part("list", "li >> two"));
    tab.sees(&part("list", ".row >> Total: 2"));
    tab.click(&part("list", "button >> Clear"));
    tab.click("dialog button.danger >> Clear");
    tab.sees(&part("list", "li >> The list is empty"));
    keep(&tab, "coins", &json!(null));
    tab.click(&part("table", "[aria-label=Refresh]"));
    tab.sees(&part("table", "th >> Coins"));
    tab.assert_quiet();
}

#[test]
fn inner_dialogs_the_library_and_unknown_components() {
    let pad = Pad::with(SHOWCASE);
    let tab = form(&pad);
    tab.sees(".placeholder >> hologram");
    tab.click(&part("inner", "button >> Open the inner one"));
    tab.sees("dialog >> Inside");
    tab.sees("[data-component=deep] input");
    tab.press("Escape");
    tab.misses("[data-component=deep]");
    tab.fill(&part("essay", "textarea"), "A fine essay");
    tab.click(&part("keep", "button >> Save…"));
    tab.fill("dialog [aria-label=Title]", "Fine");
    tab.click("dialog.sm button.primary >> Save");
    tab.sees(".toast >> Saved");
    tab.fill(&part("essay", "textarea"), "Lost");
    tab.click(&part("load", "button >> Load…"));
    tab.click("dialog li button >> Fine");
    tab.until("find('[data-component=essay] textarea').value === 'A fine essay'");
    tab.click(&part("shelf", "button >> Library…"));
    tab.click("dialog li [aria-label='Delete Fine']");
    tab.click("dialog button.danger >> Delete");
    tab.misses("dialog li >> Fine");
    tab.assert_quiet();
}

#[test]
fn html_of_tools_is_shown_as_it_changes() {
    let pad = Pad::with(SHOWCASE);
    let tab = form(&pad);
    tab.sees("[data-component=head] iframe");
    keep(&tab, "html", &json!("<p>Fresh paint</p>"));
    tab.until("find('[data-component=live] iframe')?.clientHeight > 20");
    tab.assert_quiet();
}

#[test]
fn widgets_show_values_in_all_their_forms_and_are_edited_by_a_click() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    // A widget without a value is not shown.
    tab.sees(".assistant");
    tab.misses(".widget");
    keep(&tab, "sign", &json!("a long word"));
    tab.sees(".widget .red >> <a lon…>");
    keep(&tab, "banner", &json!("not cut"));
    tab.sees(".widget >> not cut");
    keep(&tab, "whole", &json!(200));
    let share = |value: u32, color: &str| {
        keep(&tab, "share", &json!(value));
        tab.sees(&format!(".widget .{color} >> {value}/200"));
    };
    share(140, "green");
    share(80, "yellow");
    share(79, "red");
    keep(&tab, "bag", &json!([{ "name": "Rope", "count": 2 }, "Lamp"]));
    tab.sees(".widget .chip >> Rope: 2");
    tab.sees(".widget .chip >> Lamp");
    keep(&tab, "purse", &json!(12));
    tab.sees(".widget >> $12");
    keep(&tab, "load", &json!(25));
    tab.sees(".widget .blue [aria-label='50 percent']");
    tab.reads(".widget >> Load", "Load");
    tab.click(".widget >> Share");
    tab.fill(".widget-edit", "150");
    tab.press("Enter");
    tab.sees(".widget .green >> 150/200");
    tab.click(".widget >> Sign");
    tab.fill(".widget-edit", "no");
    tab.press("Escape");
    tab.sees(".widget .red >> <a lon…>");
    tab.assert_quiet();
}

#[test]
fn a_widget_that_is_being_edited_stays_while_others_come() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    keep(&tab, "sign", &json!("yours"));
    tab.click(".widget >> Sign");
    tab.types("mine");
    let meet = "fetch('/api/tools/battle.meet_enemy/run', { method: 'POST', headers: \
                { 'Content-Type': 'application/json' }, body: JSON.stringify({ conversation: \
                location.hash.slice(2), args: { enemy: 'wolf' } }) })";
    assert_eq!(tab.eval(&format!("(await (await {meet}).json()).ok")), true);
    tab.until("find('.widget >> Your health').innerText.includes('20/20')");
    tab.press("Enter");
    tab.sees(".widget >> <mine>");
    tab.sees(".widget >> 12/12");
    tab.assert_quiet();
}

#[test]
fn an_instant_acts_at_one_click() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    choose(&tab, "Cheer");
    tab.sees(".toast >> Hooray.");
    tab.sees(".widget >> 90/100");
    choose(&tab, "Grumble");
    tab.sees(".toast.bad >> Not today.");
    tab.misses("dialog");
    tab.assert_quiet();
}

#[test]
fn a_condition_that_changes_shows_by_itself() {
    let pad = Pad::with(SHOWCASE);
    let tab = pad.talking();
    tab.misses(".widget >> Enemy");
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.sees(".menu [role=menuitem]:disabled >> Shop");
    tab.press("Escape");
    pad.model.then(Turn::calls("showcase_flip", json!({ "open": true })));
    pad.model.then(Turn::calls("battle_meet_enemy", json!({ "enemy": "goblin" })));
    pad.model.then(Turn::says("Open."));
    say(&tab, "Open the shop");
    tab.sees(".assistant >> Open.");
    rests(&tab);
    tab.sees(".widget >> Enemy");
    tab.sees(".widget >> 10/10");
    choose(&tab, "Shop");
    tab.sees("dialog >> Shop");
    tab.assert_quiet();
}
