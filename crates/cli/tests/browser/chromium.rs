//! One Chromium for all tests of a run; each test has its own context in it.
//!
//! A context has its own cookies, storage and cache. The first test starts Chromium, under a
//! lock, and writes its address to a file; the others read it there. A test that finds nobody
//! at that address starts the next Chromium. A shell waits for the end of the test runner,
//! however it ends, and then stops Chromium and removes its files.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, parent_id};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use super::devtools::DevTools;
use super::websocket::WebSocket;

/// Takes the process to wait for, the folder of the run, and Chromium's flags.
const START_AND_STOP: &str = r#"
runner=$1 folder=$2
shift 2
chromium "$@" &
exec 2>/dev/null
tail --pid="$runner" --follow /dev/null
kill $!
wait
rm -rf "$folder"
"#;

const FLAGS: [&str; 18] = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-port=0",
    // Its first page, with suggestions and a search box, takes longer than a test.
    "--no-startup-window",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Tests run side by side, and each of their windows counts as the one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // Without pages of the browser's own toolbar and address bar, which it would load with each
    // window.
    "--disable-features=OptimizationHints,MediaRouter,Translate,PreloadTopChromeWebUI,\
     WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    "--mute-audio",
    "--force-color-profile=srgb",
    // A mouse, which a browser without a screen does not have by itself.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,\
     availablePointerTypes=4",
];

/// A browser as one test sees it.
pub(crate) struct Browser {
    pub(super) devtools: Arc<DevTools>,
    pub(super) context: Value,
}

impl Browser {
    pub(crate) fn open() -> Self {
        Self::of(&Run::current())
    }

    fn of(run: &Run) -> Self {
        let devtools = DevTools::start(run.connect());
        let alone = json!({ "disposeOnDetach": true });
        let context = devtools.call(None, "Target.createBrowserContext", alone);
        Self { context: context["browserContextId"].clone(), devtools }
    }

    /// A Chromium of this test alone, with further flags; it ends with the process of the test.
    #[allow(dead_code, reason = "only the tests of voice need one")]
    pub(crate) fn alone(flags: Vec<String>) -> Self {
        let run = Run { runner: std::process::id(), flags, ..Run::current() };
        let folder = format!("chromium-of-test-{}", std::process::id());
        let run = Run { folder: std::env::temp_dir().join(folder), ..run };
        Self::of(&run)
    }

    /// Lets pages use the microphone, or forbids it: `granted`, `denied`.
    #[allow(dead_code, reason = "only the tests of voice need it")]
    pub(crate) fn set_microphone(&self, setting: &str) {
        let permission = json!({ "permission": { "name": "microphone" }, "setting": setting,
            "browserContextId": self.context });
        self.devtools.call(None, "Browser.setPermission", permission);
    }

    /// Gives the browser a cookie, as a response of `url` would.
    pub(crate) fn set_cookie(&self, url: &str, name: &str, value: &str) {
        let cookie = json!({ "url": url, "name": name, "value": value, "httpOnly": true,
            "sameSite": "Strict" });
        let cookies = json!({ "cookies": [cookie], "browserContextId": self.context });
        self.devtools.call(None, "Storage.setCookies", cookies);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.devtools.close();
    }
}

/// The tests that share a Chromium: those of one `cargo nextest run`, or of one process.
struct Run {
    runner: u32,
    folder: PathBuf,
    /// Beside the usual ones.
    flags: Vec<String>,
}

impl Run {
    fn current() -> Self {
        let (runner, id) = match std::env::var("NEXTEST_RUN_ID") {
            Ok(id) => (parent_id(), id),
            Err(_) => (std::process::id(), std::process::id().to_string()),
        };
        let folder = std::env::temp_dir().join(format!("chromium-of-run-{id}"));
        Self { runner, folder, flags: Vec::new() }
    }

    fn connect(&self) -> WebSocket {
        fs::create_dir_all(&self.folder).unwrap();
        // Released when the file is closed.
        let lock = File::create(self.folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let address = self.folder.join("address");
        let running = fs::read_to_string(&address).ok();
        if let Some(socket) = running.and_then(|url| WebSocket::connect(&url).ok()) {
            return socket;
        }
        let url = self.start();
        fs::write(&address, &url).unwrap();
        WebSocket::connect(&url).unwrap()
    }

    /// Starts Chromium and gives the address that it prints.
    #[expect(clippy::zombie_processes, reason = "it outlives the test")]
    fn start(&self) -> String {
        let profile = tempfile::tempdir_in(&self.folder).unwrap().keep();
        let mut command = Command::new("sh");
        command.args(["-c", START_AND_STOP, "sh", &self.runner.to_string()]).arg(&self.folder);
        command.args(FLAGS).args(&self.flags).arg(format!("--user-data-dir={}", profile.display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // A group of its own: it is not stopped with the test that started it.
        let mut shell = command.process_group(0).spawn().unwrap();
        let mut said = Vec::new();
        for line in BufReader::new(shell.stderr.take().unwrap()).lines().map_while(Result::ok) {
            match line.strip_prefix("DevTools listening on ") {
                Some(url) => return url.to_owned(),
                None => said.push(line),
            }
        }
        panic!("Chromium did not start; run `make setup-tests`\n{}", said.join("\n"));
    }
}
