//! HTML that a tool wrote is shown, and reaches nothing.

use std::net::TcpListener;

use fake_providers::Turn;
use serde_json::json;

use crate::browser::Tab;
use crate::pad::{Pad, SHOWCASE, rests, say};

/// Everything a hostile page might try by itself; `EVIL` is a server that must never hear of it.
const HOSTILE: &str = r#"
<style>@import url("EVIL/import.css"); p { background: url("EVIL/style.png"); color: rgb(1, 2, 3) }</style>
<link rel="stylesheet" href="EVIL/link.css">
<meta http-equiv="refresh" content="0;url=EVIL/refresh">
<base href="EVIL/">
<p id="mark" style="letter-spacing: 3px" onclick="parent.hacked = 1">Harmless</p>
<script>parent.document.title = "hacked"; top.location = "EVIL/script";</script>
<script src="EVIL/script.js"></script>
<img src="EVIL/image.png" onerror="parent.postMessage({ height: 9999 }, '*')">
<svg onload="top.location = 'EVIL/svg'"></svg>
<iframe src="EVIL/frame"></iframe>
<object data="EVIL/object"></object>
<video src="EVIL/video" autoplay></video>
<form action="EVIL/form"><button id="send" autofocus>Send</button></form>
<a id="out" href="EVIL/out" target="_top">Out</a>
<a id="self" href="EVIL/self">Self</a>
<a id="script" href="javascript:top.location='EVIL/js'">Script</a>
"#;

/// What a script in the frame would get, if one ever ran there.
const REACHES: &str = r#"
  Object.fromEntries(await Promise.all(Object.entries({
    parent: () => parent.document.title,
    top: () => top.document.cookie,
    name: () => parent.location.href,
    cookies: () => document.cookie,
    storage: () => localStorage.getItem("theme"),
    session: () => sessionStorage.length,
    databases: async () => (await indexedDB.databases()).length,
    caches: async () => (await caches.keys()).length,
    navigation: () => { top.location = "EVIL/top"; throw new Error("nothing came of it"); },
    window: () => { if (!open("EVIL/window")) throw new Error("no window"); return "a window"; },
    api: async () => (await fetch("/api/session")).status,
    network: async () => (await fetch("EVIL/fetch", { mode: "no-cors" })).type,
    beacon: () => navigator.sendBeacon("EVIL/beacon"),
    code: () => Function("return 1")(),
    socket: () => new Promise((done, fail) => {
      const socket = new WebSocket("EVIL/socket".replace("http", "ws"));
      socket.onopen = () => done("open");
      socket.onerror = () => fail(new Error("shut"));
    }),
  }).map(async ([name, attempt]) => {
    try { return [name, String(await attempt())]; } catch (fault) { return [name, `no: ${fault.name}`]; }
  })))
"#;

/// A tab that shows the hostile page in a form.
fn shown(pad: &Pad, html: &str) -> Tab {
    let tab = pad.talking();
    pad.model.then(Turn::calls("showcase_paint", json!({ "html": html })));
    pad.model.then(Turn::says("Painted."));
    say(&tab, "Paint");
    tab.sees(".assistant >> Painted.");
    rests(&tab);
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.click(".menu [role=menuitem] >> Everything");
    tab.until("find('[data-component=live] iframe')?.clientHeight > 40");
    tab
}

#[test]
fn a_hostile_page_reaches_neither_the_pad_nor_any_network() {
    let evil = TcpListener::bind("127.0.0.1:0").unwrap();
    evil.set_nonblocking(true).unwrap();
    let address = format!("http://{}", evil.local_addr().unwrap());
    let pad = Pad::with(SHOWCASE);
    let tab = shown(&pad, &HOSTILE.replace("EVIL", &address));
    let before = tab.eval("[location.href, document.title]");

    let frame = tab.frame("Live HTML");
    frame.gives("document.getElementById('mark')?.innerText", "Harmless");
    let style = "getComputedStyle(document.getElementById('mark'))";
    frame.gives(&format!("{style}.letterSpacing"), "3px");
    frame.gives(&format!("{style}.color"), "rgb(1, 2, 3)");
    for id in ["mark", "send", "out", "self", "script"] {
        frame.eval(&format!("document.getElementById('{id}').click()"));
    }
    let reached = frame.eval(REACHES.replace("EVIL", &address).trim());
    for (name, got) in reached.as_object().unwrap() {
        let is_shut = got.as_str().unwrap().starts_with("no: ");
        assert!(is_shut || (name == "beacon" && got == "true"), "{name} reaches {got}");
    }

    assert_eq!(tab.eval("[location.href, document.title]"), before);
    assert_eq!(tab.eval("typeof hacked"), "undefined");
    assert_eq!(tab.eval("find('[data-component=live] iframe').clientHeight < 700"), true);
    let heard = evil.accept();
    assert!(heard.is_err(), "somebody was told: {heard:?}");
}

#[test]
fn what_a_model_writes_is_text_and_not_a_page() {
    let pad = Pad::new();
    let said = "Look: <img src=x onerror=\"hacked=1\"> <script>hacked=1</script>\n\n\
                [link](javascript:hacked=1) **bold** <b onclick=\"hacked=1\">b</b>\n\n\
                ```rust\nfn main() {}\n```\n";
    pad.model.then(Turn::says(said));
    let tab = pad.tab();
    say(&tab, "<b>Not bold</b>");
    tab.sees(".assistant strong >> bold");
    rests(&tab);
    tab.reads(".user .text", "<b>Not bold</b>");
    tab.counts(".assistant script, .assistant [onerror], .assistant [onclick]", 0);
    tab.counts(".assistant a[href^='javascript']", 0);
    assert_eq!(tab.eval("typeof hacked"), "undefined");
    tab.sees(".assistant .code [aria-label='Copy code']");
    tab.assert_quiet();
}
