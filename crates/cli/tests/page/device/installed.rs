//! The page as an app: it is installed, says when its server is gone, and calls a person back.

use fake_providers::Turn;
use serde_json::json;
use testkit::Gate;

use crate::pad::{Pad, rests, say};

#[test]
fn the_page_can_be_installed() {
    let pad = Pad::new();
    let tab = pad.tab();
    let manifest = tab.call("Page.getAppManifest", json!({}));
    assert_eq!(manifest["errors"], json!([]), "{manifest}");
    let text: serde_json::Value = serde_json::from_str(manifest["data"].as_str().unwrap()).unwrap();
    assert_eq!((&text["start_url"], &text["display"]), (&json!("/"), &json!("standalone")));
    let url = manifest["url"].as_str().unwrap();
    for icon in text["icons"].as_array().unwrap() {
        let source = icon["src"].as_str().unwrap();
        let size = tab.eval(&format!(
            "await new Promise((done) => {{ const image = new Image(); \
             image.onload = () => done(image.naturalWidth); image.onerror = () => done(0); \
             image.src = new URL('{source}', '{url}').pathname }})"
        ));
        let wanted = icon["sizes"].as_str().unwrap().split('x').next().unwrap().parse::<u64>();
        match wanted {
            Ok(wanted) => assert_eq!(size.as_u64(), Some(wanted), "{source}"),
            Err(_) => assert!(size.as_u64() > Some(0), "{source}"),
        }
    }
    tab.assert_quiet();
}

#[test]
fn a_server_that_is_gone_is_said_and_the_conversation_comes_back_with_it() {
    let mut pad = Pad::new();
    let tab = pad.talking();
    tab.eval("(await navigator.serviceWorker.ready).scope");
    pad.goes_away();
    tab.reload();
    tab.sees("main >> The server is not reachable");
    tab.sees("a >> Try again now");
    pad.comes_back();
    tab.sees(".assistant >> Hello.");
}

#[test]
fn a_question_mark_shows_the_keys() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.click("#draft");
    tab.press("?");
    tab.misses("dialog");
    tab.eval("document.activeElement.blur()");
    tab.press("?");
    tab.sees("dialog h2 >> Keyboard shortcuts");
    tab.sees("dialog kbd >> Ctrl K");
    tab.press("Escape");
    tab.misses("dialog");
    // One of them begins a new conversation.
    tab.eval(
        "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'O', ctrlKey: true, \
         shiftKey: true, bubbles: true }))",
    );
    tab.sees(".welcome");
    tab.assert_quiet();
}

/// A browser that remembers notifications, a tab that is looked at or not, and a clock that can
/// be set forward.
const ELSEWHERE: &str = "window.told = []; window.asked = 0; window.later = 0; window.seen = 'visible';
    window.Notification = class { static permission = 'default';
      static requestPermission() { asked += 1; Notification.permission = 'granted'; return Promise.resolve('granted'); }
      constructor(title, { body }) { told.push(`${title}: ${body}`); } addEventListener() {} close() {} };
    const now = performance.now.bind(performance); performance.now = () => now() + later;
    Object.defineProperty(document, 'visibilityState', { get: () => seen });";

#[test]
fn a_long_answer_that_ends_unseen_is_told_after_a_person_agreed_once() {
    let pad = Pad::new();
    let tab = pad.tab_with(ELSEWHERE);
    let answer = |text: &str, seen: &str, later: u32| {
        let gate = Gate::new();
        pad.model.then(Turn::says(text).gate_at(3, &gate));
        tab.eval("(seen = 'visible')");
        say(&tab, "Go on");
        let first = text.split(' ').next().unwrap();
        tab.sees(&format!(".assistant.writing >> {first}"));
        tab.eval(&format!("(seen = '{seen}', later += {later})"));
        gate.open();
        tab.sees(&format!(".assistant >> {text}"));
        rests(&tab);
    };
    answer("Short and unseen.", "hidden", 100);
    answer("Long and seen.", "visible", 11_000);
    tab.misses(".offer");
    answer("Long and unseen.", "hidden", 11_000);
    tab.sees(".offer >> Get a notification");
    tab.gives("asked", 0);
    tab.eval("(seen = 'visible')");
    tab.click(".offer button >> Notify me");
    tab.misses(".offer");
    tab.gives("asked", 1);
    answer("Long once more.", "hidden", 11_000);
    tab.gives("told", json!(["Go on: The answer is complete."]));
    tab.misses(".offer");
    tab.assert_quiet();
}

#[test]
fn the_bar_says_how_much_the_model_reads() {
    let pad = Pad::new();
    let tab = pad.talking();
    tab.sees("#usage >> tokens in context");
    tab.click("#new");
    tab.sees(".welcome");
    tab.gives("document.getElementById('usage').textContent", "");
    tab.assert_quiet();
}
