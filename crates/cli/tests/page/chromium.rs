//! A real browser, spoken to over a pipe.
//!
//! Chromium reads commands of its DevTools protocol from file handle 3 and answers on 4, each
//! message ended by a zero byte. The shell lends it our two pipes, so nothing listens on a
//! port, no client library is needed, and the browser ends when the test does.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than anything takes on a busy machine; reached only when something is wrong.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(40);

const LEND_PIPES: &str = r#"exec 3<&0 4>&1 </dev/null >&2; exec "$@""#;

const FLAGS: [&str; 13] = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    "--force-color-profile=srgb",
    // A mouse, which a browser without a screen does not have by itself.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,\
     availablePointerTypes=4",
];

pub(crate) struct Browser {
    child: Child,
    pub wire: Arc<Wire>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", LEND_PIPES, "sh", "chromium"]).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let wire = Arc::new(Wire::new(to));
        let reader = Arc::clone(&wire);
        std::thread::spawn(move || reader.listen(from));
        wire.call(None, "Browser.getVersion", json!({}));
        Self { child, wire, _profile: profile }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.wire.send(None, "Browser.close", &json!({}));
        let _ = self.child.wait();
    }
}

/// Commands out; answers and events in.
pub(crate) struct Wire {
    to: Mutex<ChildStdin>,
    heard: Mutex<Heard>,
    more: Condvar,
}

#[derive(Default)]
struct Heard {
    sent: u64,
    answers: BTreeMap<u64, Value>,
    events: Vec<Event>,
    is_over: bool,
}

/// Something that happened in a tab.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub session: String,
    pub method: String,
    pub params: Value,
}

impl Wire {
    fn new(to: ChildStdin) -> Self {
        Self { to: Mutex::new(to), heard: Mutex::default(), more: Condvar::new() }
    }

    fn listen(&self, from: ChildStdout) {
        for message in BufReader::new(from).split(0).map_while(Result::ok) {
            let message: Value = serde_json::from_slice(&message).unwrap();
            let mut heard = self.heard();
            match message["id"].as_u64() {
                Some(id) => drop(heard.answers.insert(id, message)),
                None => heard.events.push(Event {
                    session: message["sessionId"].as_str().unwrap_or_default().to_owned(),
                    method: message["method"].as_str().unwrap_or_default().to_owned(),
                    params: message["params"].clone(),
                }),
            }
            self.more.notify_all();
        }
        self.heard().is_over = true;
        self.more.notify_all();
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap()
    }

    fn send(&self, session: Option<&str>, method: &str, params: &Value) -> u64 {
        let id = {
            let mut heard = self.heard();
            heard.sent += 1;
            heard.sent
        };
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut to = self.to.lock().unwrap();
        // A browser that has gone is told by the answer that never comes.
        let _ = to.write_all(format!("{message}\0").as_bytes()).and_then(|()| to.flush());
        id
    }

    /// The answer to a command, or what the browser says is wrong with it.
    pub(crate) fn try_call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, String> {
        let id = self.send(session, method, &params);
        let mut answer = self.wait(method, |heard| heard.answers.remove(&id));
        match answer.get("error") {
            Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
            None => Ok(answer["result"].take()),
        }
    }

    #[track_caller]
    pub(crate) fn call(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.try_call(session, method, params).unwrap_or_else(|why| panic!("{method}: {why}"))
    }

    /// How many events there were; what comes later is counted from here.
    pub(crate) fn now(&self) -> usize {
        self.heard().events.len()
    }

    pub(crate) fn events(&self, session: &str, method: &str) -> Vec<Value> {
        let heard = self.heard();
        let meant = |event: &&Event| event.session == session && event.method == method;
        heard.events.iter().filter(meant).map(|event| event.params.clone()).collect()
    }

    /// Waits for an event that comes after `from`.
    pub(crate) fn event(&self, from: usize, session: &str, method: &str) -> Value {
        self.wait(method, |heard| {
            let mut late = heard.events.iter().skip(from);
            let found = late.find(|event| event.session == session && event.method == method);
            found.map(|event| event.params.clone())
        })
    }

    /// Waits for an event in whatever tab, of which `look` makes something.
    pub(crate) fn find_event<T>(
        &self,
        from: usize,
        method: &str,
        look: impl Fn(&Value) -> Option<T>,
    ) -> T {
        self.wait(method, |heard| {
            let mut late = heard.events.iter().skip(from).filter(|event| event.method == method);
            late.find_map(|event| look(&event.params))
        })
    }

    fn wait<T>(&self, what: &str, mut look: impl FnMut(&mut Heard) -> Option<T>) -> T {
        let mut found = None;
        let waits = |heard: &mut Heard| {
            found = look(heard);
            found.is_none() && !heard.is_over
        };
        let heard = self.more.wait_timeout_while(self.heard(), ANSWER_TIME_MAX, waits).unwrap();
        drop(heard);
        found.unwrap_or_else(|| panic!("the browser never answered {what}; is it installed?"))
    }
}
