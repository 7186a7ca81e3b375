//! The DevTools protocol: commands out; answers and events in.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::websocket::WebSocket;

/// Longer than anything takes on a busy machine; reached only when something is wrong.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(40);

pub(crate) struct DevTools {
    socket: WebSocket,
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

impl DevTools {
    /// Takes a socket that is open, and reads it on a thread of its own.
    pub(super) fn start(socket: WebSocket) -> Arc<Self> {
        let messages = socket.messages().unwrap();
        let devtools = Arc::new(Self { socket, heard: Mutex::default(), more: Condvar::new() });
        let reader = Arc::clone(&devtools);
        std::thread::spawn(move || reader.listen(messages));
        devtools
    }

    /// Ends the connection. The browser closes what it opened for it.
    pub(super) fn close(&self) {
        self.socket.close();
    }

    fn listen(&self, messages: impl Iterator<Item = Vec<u8>>) {
        for message in messages {
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
        // If the browser has gone, `wait` reports it.
        let _ = self.socket.send(&message.to_string());
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

    /// Waits for an event in whatever tab, of which `look` makes something; the newest one.
    pub(crate) fn find_event<T>(&self, method: &str, look: impl Fn(&Value) -> Option<T>) -> T {
        self.wait(method, |heard| {
            let mut newest = heard.events.iter().rev().filter(|event| event.method == method);
            newest.find_map(|event| look(&event.params))
        })
    }

    fn wait<T>(&self, what: &str, mut look: impl FnMut(&mut Heard) -> Option<T>) -> T {
        let mut found = None;
        let waits = |heard: &mut Heard| {
            found = look(heard);
            found.is_none() && !heard.is_over
        };
        let heard = self.more.wait_timeout_while(self.heard(), ANSWER_TIME_MAX, waits).unwrap();
        let is_over = heard.0.is_over;
        drop(heard);
        let why = if is_over { "has gone" } else { "does not answer" };
        found.unwrap_or_else(|| panic!("{what}: the browser {why}"))
    }
}
