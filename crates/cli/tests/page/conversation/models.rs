//! The model of a conversation, of one answer and of new conversations; providers and keys.

use fake_providers::Turn;
use serde_json::json;

use crate::axe::audited;
use crate::pad::{Pad, rests, say};

/// The models that were asked, in order.
pub(super) fn asked(pad: &Pad) -> Vec<String> {
    let requests = pad.model.requests().into_iter();
    requests.filter_map(|one| one.body["model"].as_str().map(str::to_owned)).collect()
}

const SECOND: &str = "[data-model='fake:gpt-5.4']";

#[test]
fn a_model_is_chosen_by_keyboard_and_kept_for_its_conversation() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.sees("#model >> fake:scripted");
    tab.click("#model");
    tab.sees(SECOND);
    tab.sees(".model-row[aria-current=true] >> scripted");
    audited(&tab, "the picker", json!({ "iframes": false }));
    tab.fill("dialog [type=search]", "gpt-5.4");
    tab.misses("dialog [data-model='fake:gpt-4o']");
    tab.press("ArrowDown");
    tab.press("Enter");
    tab.misses("dialog");
    tab.sees("#model >> fake:gpt-5.4");
    pad.model.then(Turn::says("From the other."));
    say(&tab, "Who is there?");
    tab.sees(".assistant >> From the other.");
    rests(&tab);
    assert_eq!(asked(&pad), ["scripted", "gpt-5.4"]);
    tab.reload();
    tab.sees("#model >> fake:gpt-5.4");
    // Another conversation still has the default.
    tab.click("#new");
    tab.sees("#model >> fake:scripted");
    tab.assert_quiet();
}

#[test]
fn one_answer_comes_from_another_model() {
    let pad = Pad::new();
    let tab = pad.talking();
    pad.model.then(Turn::says("Another view."));
    tab.hover(".assistant");
    tab.click(".assistant [aria-label='Answer with another model']");
    tab.click(SECOND);
    tab.sees(".assistant >> Another view.");
    tab.sees(".assistant .by >> Answered by fake:gpt-5.4");
    rests(&tab);
    tab.sees("#model >> fake:scripted");
    assert_eq!(asked(&pad), ["scripted", "gpt-5.4"]);
    tab.assert_quiet();
}

#[test]
fn favourites_come_first_and_the_default_is_for_new_conversations() {
    let pad = Pad::new();
    let tab = pad.tab();
    tab.sees("#model >> fake:scripted");
    tab.click("#model");
    tab.click("[aria-label='Favourite: fake:gpt-4o']");
    tab.sees(".models section:first-child h3 >> Favourites");
    tab.sees(".models section:first-child [data-model='fake:gpt-4o']");
    tab.click("[aria-label='Use fake:gpt-5.4 for new conversations']");
    tab.sees("[aria-label='Use fake:gpt-5.4 for new conversations'][aria-pressed=true]");
    tab.press("Escape");
    tab.sees("#model >> fake:gpt-5.4");
    tab.reload();
    tab.sees("#model >> fake:gpt-5.4");
    pad.model.then(Turn::says("Hello."));
    say(&tab, "Hello");
    tab.sees(".assistant >> Hello.");
    rests(&tab);
    assert_eq!(asked(&pad), ["gpt-5.4"]);
    tab.assert_quiet();
}

#[test]
fn a_key_is_added_in_the_page_and_is_nowhere_in_it_afterwards() {
    let pad = Pad::rehearsing();
    pad.model.key("sk-0123456789-abcdefghij").otherwise(Turn::says("OK"));
    let tab = pad.tab();
    tab.sees("#model >> rehearsal");
    tab.click(".welcome button >> Add a key or a local server");
    tab.sees("dialog .list >> anthropic");
    audited(&tab, "providers and keys", json!({ "iframes": false }));
    tab.click("dialog button >> Add a provider");
    tab.eval(
        "(() => { const kind = find('dialog select'); kind.value = 'compatible'; \
              kind.dispatchEvent(new Event('change')); })()",
    );
    tab.fill("dialog [type=url]", &format!("{}/v1", pad.model.base_url()));
    tab.fill("dialog [type=password]", "sk-wrong");
    audited(&tab, "a new provider", json!({ "iframes": false }));
    tab.click("dialog button >> Try and save");
    tab.sees("dialog .fault");
    tab.fill("dialog [type=password]", "sk-0123456789-abcdefghij");
    tab.click("dialog button >> Try and save");
    tab.sees("dialog .list >> ••••ghij");
    let seen = tab.eval("document.documentElement.outerHTML + JSON.stringify(localStorage)");
    assert!(!seen.as_str().unwrap().contains("abcdefghij"));
    tab.press("Escape");
    tab.sees("#model >> local:");
    say(&tab, "Hello");
    tab.sees(".assistant >> OK");
    rests(&tab);
    // Without the provider the conversation still says what it used, and takes another.
    tab.click("#bar-tools [aria-label=More]");
    tab.click("[role=menuitem] >> Providers and keys");
    tab.click("[aria-label='Remove local']");
    tab.click("dialog button.danger");
    tab.misses("dialog .list >> local");
    tab.press("Escape");
    tab.sees("#model >> rehearsal");
    tab.assert_quiet();
}

#[test]
fn a_conversation_whose_model_is_gone_says_so_and_offers_another() {
    let pad = Pad::rehearsing();
    pad.model.otherwise(Turn::says("OK"));
    let tab = pad.tab();
    let base = pad.model.base_url();
    let add = format!(
        "(await fetch('/api/providers/mine', {{ method: 'PUT', headers: {{ 'Content-Type': \
         'application/json' }}, body: JSON.stringify({{ kind: 'compatible', address: \
         '{base}/v1', model: 'gpt-4o' }}) }})).status"
    );
    assert_eq!(tab.eval(&add), 200);
    tab.reload();
    tab.click("#model");
    tab.click("[data-model='mine:gpt-5.4']");
    say(&tab, "Hello");
    tab.sees(".assistant >> OK");
    rests(&tab);
    let remove = "(await fetch('/api/providers/mine', { method: 'DELETE' })).status";
    assert_eq!(tab.eval(remove), 204);
    tab.reload();
    tab.sees("#model-gone >> there is no provider");
    audited(&tab, "a model that is gone", json!({ "iframes": false }));
    tab.click("#model-gone button");
    tab.click("[data-model='rehearsal']");
    tab.misses("#model-gone");
    tab.sees("#model >> rehearsal");
    tab.assert_quiet();
}

#[test]
fn a_server_is_found_by_its_address_on_a_phone() {
    let pad = Pad::rehearsing();
    pad.model.otherwise(Turn::says("OK"));
    let tab = pad.tab();
    tab.size(390, 844);
    tab.click(".welcome button >> Add a key or a local server");
    // What is below moves when the list comes.
    tab.sees("dialog .list >> anthropic");
    let address = pad.model.address().to_string();
    tab.fill("dialog [aria-label='Address of a server']", &address);
    tab.click("dialog button >> Look");
    tab.click(&format!("dialog [aria-label='Add http://{address}/v1']"));
    tab.sees("dialog .list >> no key needed");
    audited(&tab, "providers on a phone", json!({ "iframes": false }));
    tab.fill("dialog [aria-label='Address of a server']", "http://169.254.169.254");
    tab.click("dialog button >> Look");
    tab.sees("dialog .fault >> link-local");
    tab.assert_quiet();
}
