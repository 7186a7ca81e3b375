//! Nothing in a panel moves while its content comes: a quick click hits what it was meant for.

use crate::approvals::called;
use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests};

/// Counts what moves, and holds answers of the server back between `hold()` and `letGo()`.
const WATCH: &str = "
    window.moved = [];
    const about = ({ node, previousRect: from, currentRect: to }) =>
        `${node?.outerHTML?.slice(0, 90)} from ${from.x},${from.y} to ${to.x},${to.y}`;
    window.watch = new PerformanceObserver((list) => window.note(list.getEntries()));
    const isInside = ({ node }) => (node?.closest ? node : node?.parentElement)?.closest('dialog');
    window.note = (entries) => moved.push(...entries.flatMap(({ sources }) => sources.filter(isInside).map(about)));
    watch.observe({ type: 'layout-shift', buffered: true });
    const real = window.fetch;
    let gate = null;
    window.held = 0;
    window.hold = () => (gate = new Promise((go) => (window.letGo = () => ((gate = null), go()))), held = 0);
    window.fetch = async (...all) => {
        const isHeld = gate && String(all[0]).startsWith('/api/');
        if (isHeld) {
            window.held += 1;
            await gate;
        }
        return real(...all);
    };";

/// Opens a panel and waits for `full`, with the answers held back until the page has drawn without
/// them.
#[track_caller]
fn opens_without_a_move(tab: &Tab, name: &str, open: &[&str], full: &str) {
    tab.eval("(note(watch.takeRecords()), moved.length = 0, hold())");
    for step in open {
        tab.click(step);
    }
    tab.until("held > 0");
    frames(tab);
    tab.eval("letGo()");
    tab.sees(full);
    tab.until("!document.querySelector('dialog [aria-busy]')");
    frames(tab);
    let moved = tab.eval("(note(watch.takeRecords()), moved)");
    assert_eq!(moved, serde_json::json!([]), "{name}");
    tab.press("Escape");
    tab.misses("dialog");
}

/// Two frames: what was done before is laid out and drawn.
fn frames(tab: &Tab) {
    tab.eval(
        "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
}

const MORE: &str = "#bar-tools [aria-label=More]";

/// An entry of the menu *More*, and what its panel shows when it is complete.
const PANELS: [(&str, &str); 10] = [
    ("Personas", "dialog button >> New persona"),
    ("Library", "dialog button >> New snippet"),
    ("Documents", "dialog #folders p"),
    ("Settings", "dialog form button >> Save"),
    ("Account", "dialog .period"),
    ("Settings of this conversation", "dialog button >> Save as preset"),
    ("Share…", "dialog #share-end"),
    ("Calls and usage", "dialog h3 >> Recent calls"),
    ("MCP servers", "dialog button >> Add a server"),
    ("Providers and keys", "dialog .list >> anthropic"),
];

#[test]
fn no_panel_moves_while_its_content_comes() {
    let pad = Pad::with(SHOWCASE);
    pad.model.then(fake_providers::Turn::says("Hello."));
    let tab = pad.tab_with(WATCH);
    crate::pad::say(&tab, "Hello");
    tab.sees(".assistant >> Hello.");
    rests(&tab);
    let archived = "(await fetch('/api/conversations', { method: 'POST', headers: { 'Content-Type': \
        'application/json' }, body: '{}' }).then((made) => made.json()).then(({ id }) => \
        fetch(`/api/conversations/${id}`, { method: 'PATCH', headers: { 'Content-Type': \
        'application/json' }, body: '{\"archived\":true}' }))).status";
    assert_eq!(tab.eval(archived), 204);
    called(&pad, "Dinner at eight?");
    tab.sees(".inbox-badge >> Inbox: 1 thing waits for you");
    for size in [(1280, 800), (390, 844)] {
        tab.size(size.0, size.1);
        for (entry, full) in PANELS {
            let entry = format!(".menu [role=menuitem] >> {entry}");
            opens_without_a_move(&tab, &entry, &[MORE, &entry], full);
        }
        let badge = [".inbox-badge"];
        opens_without_a_move(&tab, "the inbox", &badge, "dialog .approval >> Dinner");
        let tools = ["#bar-tools [aria-label=Tools]"];
        opens_without_a_move(&tab, "the tools", &tools, "dialog .tool");
        opens_without_a_move(&tab, "the models", &["#model"], "dialog .model-row");
        tab.click("#bar-tools [aria-label='Tool features']");
        let form = ".menu [role=menuitem] >> Everything";
        tab.sees(form); // the menu comes from the server too
        opens_without_a_move(&tab, "a form", &[form], "dialog td >> You");
    }
    tab.assert_quiet();
}
