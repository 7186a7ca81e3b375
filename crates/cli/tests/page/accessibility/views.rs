//! Every view by keyboard alone, and the pages beside the chat, checked by axe-core in light and
//! dark, on a phone and on a large screen.

use fake_providers::Turn;
use serde_json::json;

use super::audited;
use crate::approvals::called;
use crate::browser::{Browser, Tab};
use crate::pad::{Pad, SHOWCASE, rests, say};

const SIZES: [(u32, u32); 2] = [(1440, 900), (390, 844)];

/// A view: the keys that lead to it, and what it shows. A step is the beginning of a name that is
/// reached with Tab and chosen with Enter; `> name` is reached with the arrow keys of a menu;
/// `+ key` is pressed.
type View = (&'static [&'static str], &'static str);

const IN_CONVERSATION: &[View] = &[
    (&["Model: "], "dialog .model-row"),
    (&["+ Alt+m"], "dialog .model-row"),
    (&["Edit and resend"], ".editing"),
    (&["Delete message"], "dialog button.danger"),
    (&["Open"], ".artifact-panel table"),
    (&["Edit…"], ".approval textarea"),
    (&["Decline…"], ".approval form [type=text]"),
];

const OF_CONVERSATION: &[View] = &[
    (&["Tool features"], ".menu"),
    (&["Tool features", "> Everything"], "dialog .surface"),
    (&["More"], ".menu"),
    (&["More", "> Settings of this conversation"], "dialog textarea"),
    (&["More", "> Rename"], "dialog form"),
    (&["More", "> Share"], "dialog #share-end"),
    (&["More", "> Calls and usage"], "dialog .call"),
    (&["Tools"], "dialog .tool"),
    (&["Tools", "dice.roll_dice", "Run tool"], "dialog form .field"),
];

const PANELS: &[View] = &[
    (&["More", "> Inbox"], "dialog .approval"),
    (&["More", "> Personas"], "dialog .list"),
    (&["More", "> Personas", "New persona"], "dialog form"),
    (&["More", "> Library"], "dialog .list"),
    (&["More", "> Library", "New snippet"], "dialog form"),
    (&["More", "> Documents"], "dialog .folder"),
    (&["More", "> Settings"], "dialog form"),
    (&["More", "> Account"], "dialog .period table"),
    (&["More", "> Keyboard shortcuts"], "dialog kbd"),
    (&["More", "> MCP servers"], "dialog button >> Add a server"),
    (&["More", "> MCP servers", "Add a server"], "dialog form"),
    (&["More", "> Providers and keys"], "dialog .list >> anthropic"),
    (&["More", "> Providers and keys", "Add a provider"], "dialog form [type=password]"),
];

const LISTS: &[View] = &[
    (&["+ Ctrl+k"], "#conversations"),
    (&["+ Ctrl+k", "Actions for Show"], ".menu"),
    (&["+ Ctrl+k", "Actions for Show", "> Move to folder"], "dialog form"),
    (&["+ Ctrl+k", "Actions for Show", "> Tags"], "dialog form"),
    (&["+ Ctrl+k", "Actions for Show", "> Delete"], "dialog button.danger"),
    (&["+ Ctrl+k", "Actions for the folder Repairs"], ".menu"),
    (&["+ Ctrl+k", "Archived"], "dialog .archived-link"),
];

/// What has the focus, in words.
const FOCUSED: &str = "(({ ariaLabel, innerText }) => (ariaLabel || innerText || '').trim())\
                       (document.activeElement)";

#[track_caller]
fn reach(tab: &Tab, key: &str, name: &str) {
    let is_there = format!("{FOCUSED}.startsWith({})", json!(name));
    for _ in 0..150 {
        if tab.eval(&is_there) == true {
            return;
        }
        tab.press(key);
    }
    panic!("{name} is never reached with {key}; the focus is on {}", tab.eval(FOCUSED));
}

#[track_caller]
fn go(tab: &Tab, steps: &[&str]) {
    for step in steps {
        if let Some(key) = step.strip_prefix("+ ") {
            tab.press(key);
        } else if let Some(entry) = step.strip_prefix("> ") {
            tab.until("document.activeElement.matches('[role=menuitem]')");
            reach(tab, "ArrowDown", entry);
            tab.press("Enter");
        } else {
            tab.until("!document.querySelector('dialog [aria-busy]')");
            reach(tab, "Tab", step);
            tab.press("Enter");
        }
    }
}

/// Everything that Esc closes.
const OPEN: &str = "dialog, .menu, .side.open, .artifact-panel, .editing";

#[track_caller]
fn leave(tab: &Tab, steps: &[&str]) {
    for _ in 0..5 {
        if tab.eval(&format!("Boolean(find('{OPEN}'))")) == false {
            // Nobody has to look for the focus.
            tab.until("document.activeElement !== document.body");
            return;
        }
        tab.press("Escape");
    }
    panic!("Esc does not close {steps:?}");
}

/// One conversation has an artifact, a tool call and an open question; others are in a folder and
/// archived.
fn filled(pad: &Pad) -> Tab {
    let tab = pad.tab();
    let make = "(async (change) => { const json = { 'Content-Type': 'application/json' }; \
        const send = (method, path, body) => fetch(`/api${path}`, { method, headers: json, \
        body: JSON.stringify(body) }).then((answer) => answer.text()).then((text) => text && JSON.parse(text)); \
        const folder = await send('POST', '/folders', { name: 'Repairs' }); \
        for (const change of [{ folder: folder.id, tags: ['home'] }, { archived: true }]) { \
        const { id } = await send('POST', '/conversations', {}); \
        await send('PATCH', `/conversations/${id}`, change); } \
        await send('POST', '/kb', { name: 'Plans' }); \
        return 'made'; })()";
    assert_eq!(tab.eval(&format!("await {make}")), "made");
    pad.model.then(Turn::calls("dice_roll_dice", json!({ "dice": "2d6" })));
    let said = "# Result\n\nIt is `7`, see [this](https://example.com) and $x^2$:\n\n| a | b |\n\
        |---|---|\n| 1 | 2 |\n\n```csv\nname,price\nPear,10\nFig,9\nPlum,8\nKiwi,7\n```\n\n> Well.";
    pad.model.then(Turn::says(said));
    say(&tab, "Show me");
    tab.sees(".assistant >> Result");
    rests(&tab);
    pad.model.then(Turn::calls("showcase_send", json!({ "text": "hello" })));
    say(&tab, "Send");
    tab.sees(".approval");
    called(pad, "Dinner at eight?");
    tab.sees(".inbox-badge");
    tab
}

#[test]
fn views_in_a_conversation_are_reached_by_keys_and_clean() {
    walk(IN_CONVERSATION);
}

#[test]
fn views_of_a_conversation_are_reached_by_keys_and_clean() {
    walk(OF_CONVERSATION);
}

#[test]
fn panels_are_reached_by_keys_and_clean() {
    walk(PANELS);
}

#[test]
fn views_of_the_list_are_reached_by_keys_and_clean() {
    walk(LISTS);
}

/// Goes to each view by keys alone, on a large screen and on a phone, in light and dark.
fn walk(views: &[View]) {
    let pad = Pad::with(SHOWCASE);
    let tab = filled(&pad);
    for (width, height) in SIZES {
        tab.size(width, height);
        tab.reload();
        tab.sees(".approval");
        tab.sees(".artifact");
        tab.eval("document.getElementById('draft').focus()");
        audited(&tab, &format!("the conversation at {width}"));
        for (steps, shown) in views {
            go(&tab, steps);
            tab.sees(shown);
            tab.until("!document.querySelector('dialog [aria-busy]')");
            audited(&tab, &format!("{steps:?} at {width}"));
            leave(&tab, steps);
        }
    }
    tab.assert_quiet();
}

/// Pages beside the chat: each is a page of its own.
#[test]
fn every_other_page_is_clean() {
    let mut pad = Pad::with(SHOWCASE);
    let tab = filled(&pad);
    tab.eval("(await navigator.serviceWorker.ready).scope");
    let shared = tab.eval(
        "await (async () => { const answer = await fetch(`/api/conversations/${location.hash.slice(2)}/shares`, \
         { method: 'POST', headers: { 'Content-Type': 'application/json' }, \
         body: '{\"expiresInSeconds\":3600,\"tools\":true,\"files\":true}' }); \
         return (await answer.json()).path; })()",
    );
    let shared = shared.as_str().unwrap().trim_start_matches('/').to_owned();
    let pages = [
        ("", ".welcome"),
        (&shared, ".shared .assistant"),
        ("s/nothing", "h1"),
        ("cards", "main"),
        ("pen", "main"),
        ("mcp-login", "[role=alert]"),
    ];
    for (path, shown) in pages {
        tab.open(&format!("{}{path}", pad.url));
        tab.sees(shown);
        at_all_sizes(&tab, path);
    }
    let browser = Browser::open();
    let stranger = Tab::new(&browser);
    for (path, shown) in [("", "[name=token]"), ("login", "[name=token]")] {
        stranger.open(&format!("{}{path}", pad.url));
        stranger.sees(shown);
        at_all_sizes(&stranger, &format!("without a login: {path}"));
    }
    pad.goes_away();
    tab.open(&pad.url);
    tab.sees("main >> The server is not reachable");
    at_all_sizes(&tab, "without a server");
}

#[track_caller]
fn at_all_sizes(tab: &Tab, place: &str) {
    for (width, height) in SIZES {
        tab.size(width, height);
        audited(tab, &format!("{place} at {width}"));
    }
}
