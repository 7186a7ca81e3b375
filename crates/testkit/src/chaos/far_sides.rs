//! The far sides of the test: a service that counts effects, and a model.
//!
//! Both delay at random, so that a kill interrupts calls and answers.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::pause;
use super::random::Random;
use crate::Gate;
use fake_providers::{FakeProvider, Step, Turn};

/// The delay of an effect.
const EFFECT_TIME_MAX: Duration = Duration::from_millis(120);
/// The pause of the model within an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_millis(300);
const HEAD_BYTES_MAX: usize = 16 << 10;

pub(super) struct FarSides {
    /// The port of the service.
    pub port: u16,
    /// The address of the model.
    pub provider: String,
    marks: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl FarSides {
    pub(super) fn start(seed: u64) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let marks: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
        let shared = Arc::clone(&marks);
        let mut random = Random::new(seed ^ 0xeffe);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (shared, time) = (Arc::clone(&shared), random.up_to(EFFECT_TIME_MAX));
                std::thread::spawn(move || mark(socket, &shared, time));
            }
        });
        let provider = model(seed)?;
        Ok(Arc::new(Self { port, provider, marks }))
    }

    /// How often this was done.
    pub(super) fn done(&self, id: &str) -> u32 {
        locked(&self.marks).get(id).copied().unwrap_or(0)
    }

    pub(super) fn all(&self) -> BTreeMap<String, u32> {
        locked(&self.marks).clone()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts an effect at once, and confirms it later.
fn mark(mut socket: TcpStream, marks: &Mutex<BTreeMap<String, u32>>, time: Duration) {
    let Some(id) = id_of(&mut socket) else { return };
    *locked(marks).entry(id).or_default() += 1;
    pause(time);
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\ndone";
    drop(socket.write_all(answer.as_bytes()));
}

/// `POST /ID HTTP/1.1`
fn id_of(socket: &mut TcpStream) -> Option<String> {
    socket.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let (mut head, mut piece) = (Vec::new(), [0; 4096]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = socket.read(&mut piece).ok().filter(|count| *count > 0)?;
        head.extend_from_slice(piece.get(..count)?);
        if head.len() > HEAD_BYTES_MAX {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    Some(head.split(' ').nth(1)?.trim_start_matches('/').to_owned())
}

/// The address of a model that obeys `mark ID`, `ask ID` or `say ID`.
fn model(seed: u64) -> io::Result<String> {
    let (send, address) = channel();
    let random = Mutex::new(Random::new(seed ^ 0x30de1));
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
            return;
        };
        runtime.block_on(async {
            let Ok(provider) = FakeProvider::compatible().await else { return };
            provider.answering(move |body| {
                let time = locked(&random).up_to(ANSWER_TIME_MAX);
                answer(body, time)
            });
            drop(send.send(provider.base_url()));
            std::future::pending::<()>().await;
        });
    });
    address.recv().map_err(|_| io::Error::other("the model's address is not known"))
}

fn answer(body: &Value, time: Duration) -> Step {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    // The host may also write as the user, about an interrupted answer.
    let is_typed = |message: &Value| {
        let text = plain(&message["content"]);
        ["mark ", "ask ", "say "].iter().any(|verb| text.starts_with(verb))
    };
    let position = messages.iter().rposition(|one| one["role"] == "user" && is_typed(one));
    let text = position.map(|at| plain(&messages[at]["content"])).unwrap_or_default();
    let answered = messages.iter().skip(position.unwrap_or(0)).rfind(|one| one["role"] == "tool");
    let (verb, id) = text.split_once(' ').unwrap_or(("say", "?"));
    let turn = match (verb, answered) {
        ("mark", None) => Turn::calls("mark", json!({ "id": id })),
        ("ask", None) => Turn::calls("mark_asked", json!({ "id": id })),
        (_, Some(result)) if !plain(&result["content"]).contains("marked") => {
            Turn::says(&format!("Not done: {id}, and that is all there is to say."))
        }
        _ => Turn::says(&format!("Done: {id}, and that is all there is to say.")),
    };
    let gate = Gate::new();
    // Before the first word, or after some.
    let frame = if time.as_millis().is_multiple_of(2) { 3 } else { 1 };
    let turn = turn.gate_at(frame, &gate).into();
    std::thread::spawn(move || {
        pause(time);
        gate.open();
    });
    turn
}

fn plain(content: &Value) -> String {
    content.as_str().or(content[0]["text"].as_str()).unwrap_or_default().to_owned()
}
