//! `ghosthand serve` over Ghostpad's own tools, with a model that says what a test wrote.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use fake_providers::{FakeProvider, Turn};
use testkit::Gate;
use tokio::runtime::Runtime;

use crate::browser::{Browser, Tab};
use crate::program::{command, copy_unlocked, exchange_heads, repository};

/// A module with every component, every option of widgets, and a tool that asks first.
pub(crate) const SHOWCASE: &[(&str, &str)] = &[("showcase.py", include_str!("showcase.py"))];

pub(crate) struct Pad {
    pub url: String,
    /// As the printed link has it; none where the test named one.
    pub token: Option<String>,
    pub model: FakeProvider,
    browser: Browser,
    server: Child,
    /// Kept open: the server may still have something to say.
    _said: BufReader<ChildStdout>,
    dir: tempfile::TempDir,
    runtime: Runtime,
}

impl Pad {
    /// Answers with what the test adds to `model`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// The pad's tools and further modules, each a name and a text.
    pub(crate) fn with(modules: &[(&str, &str)]) -> Self {
        Self::start(modules, true, None, "")
    }

    /// The same with further settings; `{base}` in them is the address of `model`.
    pub(crate) fn set(modules: &[(&str, &str)], settings: &str) -> Self {
        Self::start(modules, true, None, settings)
    }

    /// Answers with the stand-in that needs no key, as after a first `make run`.
    pub(crate) fn rehearsing() -> Self {
        Self::start(&[], false, None, "")
    }

    /// Lets in only who has this token.
    pub(crate) fn behind(token: &str) -> Self {
        Self::start(&[], true, Some(token), "")
    }

    /// The same in a browser of its own.
    #[allow(dead_code, reason = "the tests of other pages do not need it")]
    pub(crate) fn browsed_by(modules: &[(&str, &str)], settings: &str, browser: Browser) -> Self {
        Self::start_in(modules, true, None, settings, browser)
    }

    fn start(modules: &[(&str, &str)], is_scripted: bool, token: Option<&str>, more: &str) -> Self {
        Self::start_in(modules, is_scripted, token, more, Browser::open())
    }

    fn start_in(
        modules: &[(&str, &str)],
        is_scripted: bool,
        token: Option<&str>,
        more: &str,
        browser: Browser,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let model = runtime.block_on(FakeProvider::compatible()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let tools = dir.path().join("tools");
        copy_unlocked(&repository().join("apps/pad/tools"), &tools);
        for (file, text) in modules {
            let path = tools.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        if is_scripted {
            let base = model.base_url();
            let more = more.replace("{base}", &base);
            let settings = format!(
                "model = \"fake:scripted\"\n\n[providers.fake]\nwire = \"chat\"\n\
                 base_url = \"{base}/v1\"\nkey_env = \"FAKE_KEY\"\n\n{more}"
            );
            fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
        }
        if let Some(token) = token {
            fs::write(dir.path().join("tokens.txt"), token).unwrap();
        }
        let flags = token.map(|_| ["--token-file", "tokens.txt"]);
        let (server, said, link) = serve(dir.path(), flags.as_ref().map_or(&[], |flags| flags));
        let (url, token) = link.split_once("login#").unwrap_or((&link, ""));
        let token = (!token.is_empty()).then(|| token.to_owned());
        if let Some(token) = &token {
            sign_in(&browser, url, token);
        }
        let url = url.to_owned();
        Self { url, token, model, browser, server, _said: said, dir, runtime }
    }

    /// A tab with the page, ready to be used.
    pub(crate) fn tab(&self) -> Tab {
        self.tab_at("")
    }

    /// A tab that has only just been opened.
    pub(crate) fn opened(&self) -> Tab {
        let tab = Tab::new(&self.browser);
        tab.open(&self.url);
        tab
    }

    /// A tab with the page, into which a script of the test was put before it ran.
    #[allow(dead_code, reason = "the tests of other pages do not need it")]
    pub(crate) fn tab_with(&self, script: &str) -> Tab {
        let tab = Tab::new(&self.browser);
        tab.call("Page.addScriptToEvaluateOnNewDocument", serde_json::json!({ "source": script }));
        tab.open(&self.url);
        tab.sees("#bar-tools button");
        tab
    }

    #[allow(dead_code, reason = "the tests of other pages do not need it")]
    pub(crate) fn browser(&self) -> &Browser {
        &self.browser
    }

    /// A tab at a place of the page, such as `#/ID`.
    pub(crate) fn tab_at(&self, place: &str) -> Tab {
        let tab = Tab::new(&self.browser);
        tab.open(&format!("{}{place}", self.url));
        tab.sees("#bar-tools button");
        tab
    }

    /// A tab in which a conversation is open: one message was said and answered.
    pub(crate) fn talking(&self) -> Tab {
        self.model.then(Turn::says("Hello."));
        let tab = self.tab();
        say(&tab, "Hello");
        tab.sees(".assistant >> Hello.");
        rests(&tab);
        tab
    }

    /// Begins another conversation in the tab, with this message and an answer.
    pub(crate) fn begins_anew(&self, tab: &Tab, text: &str) {
        tab.click("#new");
        tab.sees(".welcome");
        self.model.then(Turn::says("Fine."));
        say(tab, text);
        tab.sees(".assistant >> Fine.");
        rests(tab);
    }

    /// A tab in which the answer `One two three four.` is being written: it goes on after two
    /// words when the gate is opened.
    pub(crate) fn counting(&self) -> (Tab, Gate) {
        let gate = Gate::new();
        self.model.then(Turn::says("One two three four.").gate_at(4, &gate));
        let tab = self.tab();
        say(&tab, "Count");
        tab.sees(".assistant.writing >> One two");
        (tab, gate)
    }

    /// The server ends, as if the connection to it were lost.
    #[allow(dead_code, reason = "not every group of tests that has this file takes it away")]
    pub(crate) fn goes_away(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// The server is back at its address, with everything it had stored.
    #[allow(dead_code, reason = "as above")]
    pub(crate) fn comes_back(&mut self) {
        let address = self.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let (server, said, _) = serve_at(self.dir.path(), &address, &[]);
        (self.server, self._said) = (server, said);
    }

    /// The project that is served.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Waits for something at the far side.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.block_on(what)
    }
}

impl Drop for Pad {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Starts the server and reads where it listens.
fn serve(dir: &Path, flags: &[&str]) -> (Child, BufReader<ChildStdout>, String) {
    serve_at(dir, "127.0.0.1:0", flags)
}

fn serve_at(dir: &Path, address: &str, flags: &[&str]) -> (Child, BufReader<ChildStdout>, String) {
    let mut command = command(dir);
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GHOSTHAND_MODEL"] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", dir.join("home")).env("FAKE_KEY", "sk-test");
    command.args(["serve", "--listen", address]).args(flags);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(server.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let url = line.split_whitespace().find(|word| word.starts_with("http://"));
    let url = url.unwrap_or_else(|| panic!("no address in {line:?}"));
    (server, said, url.to_owned())
}

/// Signs the browser in, as the page does that the printed link leads to.
fn sign_in(browser: &Browser, url: &str, token: &str) {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let form = format!("token={token}");
    let (head, _) = exchange_heads(address, "", "POST", "/login", &form);
    let cookie = head.split_once("set-cookie: ").and_then(|(_, cookie)| cookie.split_once(';'));
    let cookie = cookie.and_then(|(cookie, _)| cookie.split_once('='));
    let (name, value) = cookie.unwrap_or_else(|| panic!("no cookie in {head}"));
    browser.set_cookie(url, name, value);
}

/// Types a message and sends it.
#[track_caller]
pub(crate) fn say(tab: &Tab, text: &str) {
    tab.fill("#draft", text);
    tab.press("Enter");
}

/// Waits until no turn runs and the page shows what the log has.
#[track_caller]
pub(crate) fn rests(tab: &Tab) {
    tab.until("find('#send') && !document.querySelector('.live, .writing, #log[aria-busy=true]')");
}
