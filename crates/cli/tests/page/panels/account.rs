//! The account of a person: rights, usage with its cost, logins; and the cost of a conversation.

use contract::Usage;
use fake_providers::Turn;
use serde_json::json;

use crate::axe;
use crate::browser::{Browser, Tab};
use crate::pad::{Pad, rests, say};

/// Anthropic's models, whose prices and windows are known, from our far side.
const PRICED: &str = "[providers.anthropic]\nbase_url = \"{base}\"\nkey_env = \"FAKE_KEY\"\n";

#[test]
fn a_person_sees_what_they_may_do_what_it_cost_and_where_they_are_signed_in() {
    let pad = Pad::set(&[], PRICED);
    let tab = pad.talking();
    tab.sees("#usage .tokens >> 17 tokens in context");
    tab.gives("find('#usage').title.includes('whole conversation: price unknown')", true);
    tab.misses("#usage .cost, #usage .window-meter");
    let choose = "await fetch(`/api/conversations/${location.hash.slice(2)}/model`, { method: 'PUT', \
                  headers: { 'Content-Type': 'application/json' }, \
                  body: JSON.stringify({ model: 'anthropic:claude-haiku-4-5' }) })";
    tab.eval(&format!("({choose}).status"));
    let used = Usage { input: 150_000, output: 12_000, ..Usage::default() };
    pad.model.then(Turn::says("Dear.").usage(used));
    say(&tab, "And now?");
    tab.sees(".assistant >> Dear.");
    rests(&tab);
    tab.sees("#usage .tokens >> 162,000 tokens in context");
    tab.reads("#usage .cost", "≥ $0.21");
    let words = "whole conversation: $0.21 and more, as some prices are unknown";
    tab.gives(&format!("find('#usage').title.includes('{words}')"), true);
    let label = "81 % of the window of 200,000 tokens is used";
    tab.sees(&format!("#usage .window-meter.full[aria-label='{label}']"));
    tab.gives("find('#usage').title.includes('newest answer: $0.21')", true);
    tab.size(390, 800);
    tab.gives("document.documentElement.scrollWidth <= innerWidth", true);
    axe::audited(&tab, "the cost of a conversation", json!({}));
    tab.size(1280, 800);

    // Another browser of the same person.
    let (browser, token) = (Browser::open(), pad.token.clone().unwrap());
    let other = Tab::new(&browser);
    other.open(&format!("{}login#{token}", pad.url));
    other.sees("#bar-tools button");

    tab.click("#bar-tools button[aria-label=More]");
    tab.click(".menu [role=menuitem] >> Account");
    tab.sees("dialog h2 >> Account");
    tab.sees("dialog strong >> local");
    tab.sees("dialog >> You are the operator of this server.");
    tab.sees("dialog .list li >> Switch tools on and off for everybody.");
    tab.counts("dialog .period", 3);
    let row = "[...document.querySelectorAll('dialog .period tbody tr')]\
               .find((row) => row.innerText.includes('claude-haiku-4-5')).innerText";
    tab.gives(
        &format!("{row}.split(/\\s+/).join(' ')"),
        "anthropic:claude-haiku-4-5 1 150,000 12,000 $0.21",
    );
    tab.sees("dialog .period tbody td >> price unknown");
    tab.counts("dialog [aria-label=Browsers] li", 2);
    tab.sees("dialog [aria-label=Browsers] li:first-child .chip >> this browser");
    axe::audited(&tab, "account", json!({}));
    tab.size(390, 800);
    tab.gives("document.documentElement.scrollWidth <= innerWidth", true);
    axe::audited(&tab, "account on a phone", json!({}));
    if let Some(folder) = std::env::var_os("GHOSTPAD_LANGUAGE_SHOTS") {
        let folder = std::path::Path::new(&folder);
        tab.eval("find('dialog .period').scrollIntoView()");
        tab.shot(&folder.join("account.png"));
    }
    tab.size(1280, 800);
    tab.click("dialog [aria-label=Browsers] li:nth-child(2) button");
    tab.sees(".toast >> Signed out");
    tab.counts("dialog [aria-label=Browsers] li", 1);
    other.reload();
    other.sees("main.token button >> Sign in");
    tab.click("dialog button >> Sign out everywhere");
    tab.click("dialog .danger >> Sign out everywhere");
    tab.sees("main.token button >> Sign in");
    tab.assert_quiet();
}
