//! HTML that a tool wrote is shown, and reaches nothing.

use std::io::Read;
use std::net::TcpListener;

use fake_providers::Turn;
use serde_json::{Value, json};

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

/// What else a page with scripts might try: each attempt gives what it reached, or fails.
const HOSTILE_SCRIPT: &str = r#"```html title="Hostile"
<!doctype html>
<title>Hostile</title>
<link rel="preconnect" href="EVIL/link"><link rel="dns-prefetch" href="EVIL/dns">
<meta http-equiv="refresh" content="0;url=EVIL/refresh"><base href="EVIL/">
<p id="mark">Harmless</p><img src="EVIL/image.png"><script src="EVIL/script.js"></script>
<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["EVIL/rules"]}]}</script>
<form action="EVIL/form" method="get"><button id="send">Send</button></form>
<a id="out" href="EVIL/out" ping="EVIL/ping">Out</a>
<script>
  const evil = "EVIL";
  const put = (name, fields) => document.head.append(Object.assign(document.createElement(name), fields));
  const inside = (html) => document.body.insertAdjacentHTML("beforeend", html);
  const has = (css) => { if (document.querySelector(css)) return css; throw new Error("none"); };
  const tries = {
    element: () => { put("link", { rel: "preconnect", href: evil }); return has("link"); },
    upper: () => { put("LINK", { rel: "preconnect", href: evil }); return has("link"); },
    space: () => {
      const made = document.createElementNS("http://www.w3.org/1999/xhtml", "x:link");
      made.setAttribute("rel", "preconnect"); made.setAttribute("href", evil);
      document.head.append(made);
      return made.localName === "link" ? "made" : has("link");
    },
    text: () => { inside(`<link rel="preconnect" href="${evil}">`); return has("link"); },
    fragment: () => {
      document.head.append(document.createRange().createContextualFragment(`<LiNk rel=preconnect href="${evil}">`));
      return has("link");
    },
    parsed: () => {
      const made = new DOMParser().parseFromString(`<link rel=preconnect href="${evil}">`, "text/html");
      document.head.append(...made.head.childNodes);
      return has("link");
    },
    entity: () => {
      const xml = `<!DOCTYPE a [<!ENTITY l "&#60;link xmlns='http://www.w3.org/1999/xhtml' rel='preconnect' href='${evil}'/>">]><a>&l;</a>`;
      document.head.append(new DOMParser().parseFromString(xml, "text/xml").documentElement.firstChild);
      return has("link");
    },
    custom: () => {
      customElements.define("x-l", class extends HTMLLinkElement {}, { extends: "link" });
      document.head.append(new (customElements.get("x-l"))());
      return has("link");
    },
    nested: () => { inside(`<iframe srcdoc="<script>new RTCPeerConnection()<\/script>"></iframe>`); return has("iframe"); },
    frame: () => { document.body.append(document.createElement("iframe")); return has("iframe"); },
    webrtc: () => new RTCPeerConnection({ iceServers: [{ urls: evil.replace("http://", "stun:") }] }).constructor.name,
    policy: () => trustedTypes.createPolicy("other", { createHTML: (html) => html }).name,
    rules: () => {
      const made = document.createElement("script");
      made.type = "speculationrules";
      made.text = JSON.stringify({ prefetch: [{ source: "list", urls: [evil + "/more"] }] });
      document.head.append(made);
      return "rules";
    },
    worker: () => new Worker(URL.createObjectURL(new Blob(["1"]))).constructor.name,
    popup: () => { if (!open(evil)) throw new Error("no window"); return "a window"; },
    sent: () => { document.getElementById("send").click(); throw new Error("nothing came of it"); },
    left: () => { document.getElementById("out").click(); throw new Error("nothing came of it"); },
  };
  window.reached = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try { reached[name] = String(attempt()); } catch (fault) { reached[name] = `no: ${fault.name}`; }
  }
  document.getElementById("mark").textContent = "Tried";
</script>
```
"#;

#[test]
fn a_hostile_page_of_a_model_runs_and_reaches_nothing() {
    let evil = TcpListener::bind("127.0.0.1:0").unwrap();
    evil.set_nonblocking(true).unwrap();
    let address = format!("http://{}", evil.local_addr().unwrap());
    let pad = Pad::new();
    pad.model.then(Turn::says(&HOSTILE_SCRIPT.replace("EVIL", &address)));
    let tab = pad.tab();
    say(&tab, "Attack");
    rests(&tab);
    tab.click(".artifact [data-open-artifact]");
    tab.sees(".artifact-panel iframe.page[data-ready]");
    tab.until("document.title.startsWith('Attack')");
    let before = tab.eval("[location.href, document.title]");
    let frame = tab.frame("Hostile");
    frame.gives("document.getElementById('mark')?.textContent", "Tried");
    let shut = |reached: Value| {
        for (name, got) in reached.as_object().unwrap() {
            let is_shut = got.as_str().unwrap().starts_with("no: ");
            assert!(is_shut || (name == "beacon" && got == "true"), "{name} reaches {got}");
        }
    };
    shut(frame.eval("reached"));
    shut(frame.eval(REACHES.replace("EVIL", &address).trim()));
    // Last, because the frame is gone afterwards: it leaves for another place, which the policy
    // of the page around it does not allow.
    tab.eval("addEventListener('securitypolicyviolation', ({ blockedURI }) => { window.refused = blockedURI; })");
    frame.eval(&format!("void setTimeout(() => {{ location = '{address}/left'; }})"));
    tab.until(&format!("window.refused?.startsWith('{address}')"));
    tab.sees(".artifact-panel >> The page tried to go somewhere else and was stopped.");

    assert_eq!(tab.eval("[location.href, document.title]"), before);
    tab.sees(".artifact-panel >> Hostile");
    // Before it refuses to leave, the browser may open a connection, over which it says nothing.
    while let Ok((mut connection, _)) = evil.accept() {
        connection.set_nonblocking(true).unwrap();
        let mut said = String::new();
        let _ = connection.read_to_string(&mut said);
        assert_eq!(said, "", "somebody was told");
    }
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
