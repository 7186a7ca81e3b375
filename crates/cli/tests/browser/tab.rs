//! One tab, used as a person uses it: looked at, clicked, typed into.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::chromium::Browser;
use super::devtools::DevTools;

/// What every script here may use: `find`, `until`, `middle`.
const WORDS: &str = include_str!("words.js");

const LOADED: &str = "Page.loadEventFired";

pub(crate) struct Tab {
    devtools: Arc<DevTools>,
    session: String,
    /// Chromium takes a screen for one without a mouse once touch was switched off in a page.
    is_touch: AtomicBool,
}

impl Tab {
    pub(crate) fn new(browser: &Browser) -> Self {
        let devtools = Arc::clone(&browser.devtools);
        let new = json!({ "url": "about:blank", "newWindow": true,
            "browserContextId": browser.context });
        let target = devtools.call(None, "Target.createTarget", new)["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = devtools.call(None, "Target.attachToTarget", attach)["sessionId"].clone();
        let tab = Self {
            devtools,
            session: session.as_str().unwrap().to_owned(),
            is_touch: AtomicBool::new(false),
        };
        for part in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            tab.call(part, json!({}));
        }
        // A second window is no less looked at than the first.
        tab.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        tab.size(1280, 800);
        tab.scheme("light");
        tab
    }

    /// A frame without an origin, by its title. It is a page of its own to the browser.
    #[track_caller]
    pub(crate) fn frame(&self, title: &str) -> Self {
        let follow = json!({ "autoAttach": true, "waitForDebuggerOnStart": false,
            "flatten": true });
        self.call("Target.setAutoAttach", follow);
        let id = self.eval(&format!("find('iframe[title=\"{title}\"]').id = 'frame-looked-at'"));
        let document = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let wanted =
            json!({ "nodeId": document, "selector": format!("#{}", id.as_str().unwrap()) });
        let node = self.call("DOM.querySelector", wanted)["nodeId"].clone();
        let told = self.call("DOM.describeNode", json!({ "nodeId": node }));
        let target = told["node"]["frameId"].clone();
        // A frame that came after an earlier look is attached already.
        let session = self.devtools.find_event("Target.attachedToTarget", |params| {
            (params["targetInfo"]["targetId"] == target).then(|| params["sessionId"].clone())
        });
        let session = session.as_str().unwrap().to_owned();
        Self { devtools: Arc::clone(&self.devtools), session, is_touch: AtomicBool::new(false) }
    }

    #[track_caller]
    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        self.devtools.call(Some(&self.session), method, params)
    }

    pub(crate) fn events(&self, method: &str) -> Vec<Value> {
        self.devtools.events(&self.session, method)
    }

    #[track_caller]
    pub(crate) fn open(&self, url: &str) {
        self.hears(LOADED, || drop(self.call("Page.navigate", json!({ "url": url }))));
    }

    #[track_caller]
    pub(crate) fn reload(&self) {
        self.hears(LOADED, || drop(self.call("Page.reload", json!({}))));
    }

    /// Waits for an event that comes of some work.
    pub(crate) fn hears(&self, method: &str, work: impl FnOnce()) -> Value {
        let from = self.devtools.now();
        work();
        self.devtools.event(from, &self.session, method)
    }

    /// What a script gives; a promise is waited for.
    #[track_caller]
    pub(crate) fn eval(&self, script: &str) -> Value {
        self.try_eval(script).unwrap_or_else(|why| panic!("{script}\n{why}"))
    }

    /// The same, of a script that only looks: if the page was left meanwhile, it looks again.
    #[track_caller]
    fn watch(&self, script: &str) -> Value {
        const LEFT: [&str; 2] = ["navigated or closed", "context was destroyed"];
        let is_left = |why: &String| LEFT.iter().any(|left| why.contains(left));
        loop {
            match self.try_eval(script) {
                Err(why) if is_left(&why) => {}
                given => return given.unwrap_or_else(|why| panic!("{script}\n{why}")),
            }
        }
    }

    #[track_caller]
    fn try_eval(&self, script: &str) -> Result<Value, String> {
        let run = json!({
            "expression": format!("(async () => {{ {WORDS}\nreturn {script} }})()"),
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
            "allowUnsafeEvalBlockedByCSP": false,
        });
        let told = self.devtools.try_call(Some(&self.session), "Runtime.evaluate", run)?;
        if let Some(fault) = told.get("exceptionDetails") {
            let said = &fault["exception"]["description"];
            panic!("{script}\n{}\n{}", said.as_str().unwrap_or("?"), self.faults().join("\n"));
        }
        Ok(told["result"]["value"].clone())
    }

    /// Waits until a condition holds.
    #[track_caller]
    pub(crate) fn until(&self, condition: &str) -> Value {
        self.watch(&format!("await until(() => {condition}, {})", json!(condition)))
    }

    /// Waits until something is there to be seen: `css`, or `css >> words`.
    #[track_caller]
    pub(crate) fn sees(&self, what: &str) {
        self.until(&format!("Boolean(find({}))", json!(what)));
    }

    /// Waits until nothing of the kind is there.
    #[track_caller]
    pub(crate) fn misses(&self, what: &str) {
        self.until(&format!("!find({})", json!(what)));
    }

    /// Waits until a script gives this value: a page that is just being drawn is looked at again.
    #[track_caller]
    pub(crate) fn gives(&self, script: &str, expected: impl Into<Value>) {
        let expected = json!(expected.into().to_string());
        let given = format!("JSON.stringify({script})");
        let told = format!("`${{{}}} to be ${{{expected}}}; it is ${{{given}}}`", json!(script));
        self.watch(&format!("await until(() => {given} === {expected}, () => {told})"));
    }

    /// Waits until something has exactly these words.
    #[track_caller]
    pub(crate) fn reads(&self, what: &str, words: &str) {
        self.gives(&format!("find({})?.innerText.trim()", json!(what)), words);
    }

    /// Waits until there are so many of a kind.
    #[track_caller]
    pub(crate) fn counts(&self, css: &str, number: u64) {
        self.gives(&format!("document.querySelectorAll({}).length", json!(css)), number);
    }

    #[track_caller]
    pub(crate) fn click(&self, what: &str) {
        self.clicks(what, 1);
    }

    /// Clicks so many times, as fast as the browser takes it.
    #[track_caller]
    pub(crate) fn clicks(&self, what: &str, times: u32) {
        for _try in 0..5 {
            let at = self.watch(&format!("await middle({})", json!(what)));
            for count in 1..=times {
                for kind in ["mousePressed", "mouseReleased"] {
                    let click = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left",
                        "clickCount": count });
                    self.call("Input.dispatchMouseEvent", click);
                }
            }
            // What moves away under the mouse is clicked again, as a person would.
            if self.watch("window.clicked ?? true") == true {
                return;
            }
        }
        panic!("{what} never got its click");
    }

    /// Moves the mouse there, so that what is shown to a mouse is shown.
    #[track_caller]
    pub(crate) fn hover(&self, what: &str) {
        let at = self.watch(&format!("await middle({})", json!(what)));
        let there = json!({ "type": "mouseMoved", "x": at[0], "y": at[1] });
        self.call("Input.dispatchMouseEvent", there);
    }

    /// Writes where the cursor stands.
    #[track_caller]
    pub(crate) fn types(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Clicks into a field, and puts a text in the place of what it has; it must stay there.
    #[track_caller]
    pub(crate) fn fill(&self, what: &str, text: &str) {
        self.click(what);
        self.until(&format!("document.activeElement === find({})", json!(what)));
        self.eval("document.activeElement.select?.()");
        self.types(text);
        self.until(&format!("document.activeElement.value === {}", json!(text)));
    }

    /// Presses a key such as `Enter`, `Tab`, `Shift+Tab`, `Ctrl+k`.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let mut names: Vec<_> = keys.split('+').collect();
        let key = names.pop().unwrap();
        let bit = |name: &&str| match *name {
            "Alt" => 1,
            "Ctrl" => 2,
            "Shift" => 8,
            other => panic!("no such key to hold: {other}"),
        };
        let held: i32 = names.iter().map(bit).sum();
        let (code, text) = match key {
            "Enter" => (13, Some("\r")),
            "Tab" => (9, None),
            "Escape" => (27, None),
            " " => (32, Some(" ")),
            "ArrowUp" => (38, None),
            "ArrowDown" => (40, None),
            letter => (i32::from(letter.to_ascii_uppercase().as_bytes()[0]), None),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "modifiers": held,
                "windowsVirtualKeyCode": code, "code": if key == " " { "Space" } else { key } });
            if let (Some(text), "keyDown", 0) = (text, kind, held) {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        let is_phone = width < 600;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        if self.is_touch.swap(is_phone, Ordering::Relaxed) != is_phone {
            self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": is_phone }));
        }
    }

    /// `light` or `dark`; nothing moves, so that nothing has to be waited for.
    pub(crate) fn scheme(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Cuts the tab off from the server, or lets it back.
    pub(crate) fn offline(&self, is_off: bool) {
        let conditions = json!({ "offline": is_off, "latency": 0, "downloadThroughput": -1,
            "uploadThroughput": -1 });
        self.call("Network.emulateNetworkConditions", conditions);
    }

    pub(crate) fn shot(&self, file: &Path) {
        let told = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = STANDARD.decode(told["data"].as_str().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    /// Scripts that broke, and what the page's own rules had to stop.
    pub(crate) fn faults(&self) -> Vec<String> {
        let thrown = self.events("Runtime.exceptionThrown").into_iter();
        let thrown = thrown.map(|event| event["exceptionDetails"].to_string());
        let logged = self.events("Log.entryAdded").into_iter().map(|event| event["entry"].clone());
        let stopped = logged.filter(|entry| entry["source"] == "security");
        let said = self.events("Runtime.consoleAPICalled").into_iter();
        let said = said.filter(|event| event["type"] == "error");
        let rest = stopped.chain(said).map(|event| event.to_string());
        thrown.chain(rest).collect()
    }

    #[track_caller]
    pub(crate) fn assert_quiet(&self) {
        assert_eq!(self.faults(), Vec::<String>::new());
    }
}
