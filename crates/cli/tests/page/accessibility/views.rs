//! The pages beside the chat, checked by axe-core in light and dark, on a phone and on a large
//! screen.

use fake_providers::Turn;
use serde_json::json;

use super::audited;
use crate::approvals::called;
use crate::browser::{Browser, Tab};
use crate::pad::{Pad, SHOWCASE, rests, say};

const SIZES: [(u32, u32); 2] = [(1440, 900), (390, 844)];

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
