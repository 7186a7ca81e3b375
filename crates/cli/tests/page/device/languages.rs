//! The page in Ukrainian and in Russian: nothing is left in English, and longer words fit.

mod faults;
mod panels;

use std::collections::BTreeMap;
use std::fs;

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::axe;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};
use crate::program::repository;

/// What the test looks for, in the language of the page.
struct Words {
    language: &'static str,
    browser: &'static str,
    table: BTreeMap<String, String>,
}

impl Words {
    fn new(language: &'static str, browser: &'static str) -> Self {
        let file = repository().join(format!("crates/server/page/words/{language}.toml"));
        let table = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        Self { language, browser, table }
    }

    #[track_caller]
    fn of(&self, english: &str) -> &str {
        self.table.get(english).unwrap_or_else(|| panic!("no text {english:?}"))
    }

    /// Nothing on the page is an English text that the table translates.
    #[track_caller]
    fn assert_no_english(&self, tab: &Tab, place: &str) {
        assert_eq!(self.leftovers(tab), json!([]), "{place} in {}", self.language);
    }

    fn leftovers(&self, tab: &Tab) -> Value {
        let differs = |(key, text): &(&String, &String)| key != text;
        let keys: Vec<_> = self.table.iter().filter(differs).map(|(key, _)| key).collect();
        tab.eval(&format!("({LEFTOVERS})({})", json!(keys)))
    }
}

/// The visible texts and names that equal one of the keys, whatever is filled in.
const LEFTOVERS: &str = r"(keys) => {
  const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = (key) => escaped(key.trim()).replace(/\{\w+(:[^}]*)?\}/g, '.{1,40}');
  const english = keys.map((key) => new RegExp(`^${pattern(key)}$`))
    .filter((one) => /[a-z]{3}/.test(one.source));
  const given = 'code, pre, kbd, .prose, .preview .description, .argument, .about:not(.server .about, .share-row .about), .queued, .text, option';
  const texts = [document.title];
  for (const element of document.querySelectorAll('body, body *')) {
    if (!element.checkVisibility() || element.closest(given)) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      texts.push(element.getAttribute(name) ?? '');
    for (const node of element.childNodes) if (node.nodeType === 3) texts.push(node.data);
  }
  return texts.map((text) => text.trim())
    .filter((text) => text && english.some((one) => one.test(text)));
}";

/// Texts that are wider than what holds them, where nothing is meant to be cut.
const CUT: &str = r"[...document.querySelectorAll(
    'button, label, h1, h2, h3, .chip, .menu span, legend, summary')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 2)
  .map((one) => [one, getComputedStyle(one)])
  .filter(([one, style]) => style.display !== 'inline' && !one.closest('.sr'))
  .filter(([one, style]) => style.textOverflow !== 'ellipsis')
  .map(([one]) => one.outerHTML.slice(0, 200))";

#[test]
fn the_page_is_ukrainian_from_the_first_word_to_the_settings() {
    walk(&Words::new("uk", "uk-UA,uk,en"));
}

#[test]
fn the_page_is_russian_from_the_first_word_to_the_settings() {
    walk(&Words::new("ru", "ru-RU,ru,en"));
}

/// A tab of a browser that prefers these languages.
pub(crate) fn tab_in(pad: &Pad, browser: &str) -> Tab {
    let tab = Tab::new(pad.browser());
    // Each has what a browser has that was never here.
    tab.call("Network.setCacheDisabled", json!({ "cacheDisabled": true }));
    let agent = tab.eval("navigator.userAgent");
    let languages = json!({ "userAgent": agent, "acceptLanguage": browser });
    tab.call("Emulation.setUserAgentOverride", languages);
    tab.open(&pad.url);
    tab.sees("#bar-tools button");
    tab
}

#[track_caller]
fn looked_at(tab: &Tab, words: &Words, place: &str) {
    for (width, height) in [(1280, 800), (390, 800)] {
        tab.size(width, height);
        words.assert_no_english(tab, place);
        tab.gives("document.documentElement.scrollWidth <= innerWidth", true);
        let cut = tab.eval(CUT);
        assert_eq!(cut, json!([]), "{place} in {}, {width} px", words.language);
    }
    axe::audited(tab, place, json!({}));
    if let Some(folder) = std::env::var_os("GHOSTPAD_LANGUAGE_SHOTS") {
        let file = format!("{}-{}.png", words.language, place.replace(' ', "-"));
        tab.shot(&std::path::Path::new(&folder).join(file));
    }
    tab.size(1280, 800);
}

fn walk(words: &Words) {
    let pad = Pad::with(SHOWCASE);
    let tab = tab_in(&pad, words.browser);
    tab.gives("document.documentElement.lang", words.language);
    tab.sees(&format!(".welcome h2 >> {}", words.of("Welcome. The ghost has hands.")));
    tab.sees(&format!("#conversations >> {}", words.of("No conversations yet.")));
    looked_at(&tab, words, "welcome");

    pad.model.then(Turn::calls("showcase_send", json!({ "text": "hello all" })));
    say(&tab, "Tell everybody");
    tab.sees(&format!(".approval button >> {}", words.of("Approve")));
    tab.sees(".approval .argument >> hello all");
    looked_at(&tab, words, "approval");
    panels::inbox(&tab, words);
    tab.sees(&format!(
        ".approval >> {}",
        words.of("It changes something outside this conversation.")
    ));
    pad.model.then(Turn::says("They know."));
    tab.click(&format!(".approval button.primary >> {}", words.of("Approve")));
    tab.sees(".assistant >> They know.");
    rests(&tab);
    tab.click(".step summary");
    tab.sees(&format!(".step >> {}", words.of("ran after a person approved it")));
    tab.sees("#conversations >> 1 ");
    looked_at(&tab, words, "conversation");

    tab.click(&format!("#bar-tools button[aria-label='{}']", words.of("More")));
    tab.sees(".menu [role=menuitem]");
    looked_at(&tab, words, "menu");
    tab.press("Escape");
    for (name, seen) in [
        ("Settings", ".dialog-body form"),
        ("Account", "dialog .period"),
        ("Documents", "#folders"),
        ("Calls and usage", ".call"),
        ("Personas", "dialog .list li"),
        ("Library", "dialog .list li"),
        ("Settings of this conversation…", "dialog [data-tool]"),
        ("Keyboard shortcuts", "dialog kbd"),
        ("Providers and keys…", "dialog .list"),
    ] {
        tab.click(&format!("#bar-tools button[aria-label='{}']", words.of("More")));
        tab.click(&format!(".menu [role=menuitem] >> {}", words.of(name)));
        tab.sees(seen);
        looked_at(&tab, words, name);
        tab.press("Escape");
        tab.misses("dialog");
    }
    tab.click(&format!("#bar-tools button[aria-label='{}']", words.of("Tools")));
    tab.sees(".tool");
    looked_at(&tab, words, "tools");
    tab.press("Escape");
    tab.misses("dialog");
    panels::artifact(&pad, &tab, words);
    panels::order(&tab, words);
    panels::shared(&pad, &tab, words);
    panels::temporary(&tab, words);
    panels::servers(&pad, &tab, words);
    tab.assert_quiet();
    pad.model.assert_used_up();
}

#[test]
fn a_language_is_chosen_in_the_settings_and_kept_for_the_sign_in_page() {
    let (uk, pad) = (Words::new("uk", ""), Pad::new());
    let tab = pad.tab();
    tab.sees("#model >> fake:scripted");
    let english = uk.leftovers(&tab);
    for text in
        ["New conversation", "Write a message", "Settings", "Model: fake:scripted. Choose another"]
    {
        assert!(english.as_array().unwrap().contains(&json!(text)), "{text:?} in {english}");
    }
    tab.click("#side-foot button[aria-label=Settings]");
    tab.sees("dialog select");
    tab.hears("Page.loadEventFired", || {
        tab.eval(
            "(find('dialog select').value = 'uk', \
             find('dialog select').dispatchEvent(new Event('change')))",
        );
    });
    tab.sees(&format!(".welcome h2 >> {}", uk.of("Welcome. The ghost has hands.")));
    // Another browser of the same owner follows; the browser's own wish counts without a choice.
    let other = tab_in(&pad, "ru-RU,ru");
    other.gives("document.documentElement.lang", "uk");
    tab.click(&format!("#side-foot button[aria-label='{}']", uk.of("Settings")));
    tab.click(&format!("dialog button >> {}", uk.of("Sign out")));
    tab.sees(&format!("main.token button >> {}", uk.of("Sign in")));
    tab.gives("document.documentElement.lang", "uk");
    uk.assert_no_english(&tab, "sign-in page");
    tab.assert_quiet();
}
