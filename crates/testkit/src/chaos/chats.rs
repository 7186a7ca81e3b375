//! Clients that chat, disconnect, and read the outcome later.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, Sent};
use super::random::Random;
use super::{OWNERS, Run, pause};

const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Some disconnect before the answer.
const STAYS: Duration = Duration::from_millis(900);

/// How an accepted turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With an answer of the model.
    Answered,
    /// The outcome of its call is unknown: the model and the person are informed.
    Open,
    /// With a note that it was interrupted.
    Ended,
    /// A person is asked for the outcome of its call.
    InDoubt,
}

#[derive(Debug)]
pub(super) struct Chat {
    pub id: String,
    pub owner: &'static str,
    path: String,
    /// The fault during which it began.
    pub phase: usize,
    /// Whether it was accepted, as far as the client knows.
    pub accepted: bool,
    text: String,
    pub end: Result<End, String>,
}

pub(super) fn drive(run: &Run<'_>, number: u32, seed: u64) -> Vec<Chat> {
    let owner = OWNERS[usize::try_from(number).unwrap_or(0) % OWNERS.len()];
    let client = Client { servers: run.servers, owner };
    let mut random = Random::new(seed ^ 0xc4a7 ^ u64::from(number));
    let mut chats = Vec::new();
    let mut count = 0;
    while !run.ended() {
        let Some(path) = begin(&client) else {
            pause(LOOK_EVERY);
            continue;
        };
        let id = format!("c{number}-{count}");
        count += 1;
        let verb = ["mark", "ask", "say"][usize::try_from(random.below(3)).unwrap_or(0)];
        let text = format!("{verb} {id}");
        let phase = run.tally.phase();
        let begun = Instant::now();
        let accepted = match client.post(&format!("{path}/messages"), &json!({ "text": text })) {
            Sent::NotConnected => continue,
            Sent::CutOff => false,
            Sent::Answer(answer) if answer.status == 202 => true,
            // The store did not answer; whether it has the message is not known.
            Sent::Answer(answer) if answer.status == 503 => false,
            Sent::Answer(answer) => {
                let end = Err(format!("it was answered with {} {}", answer.status, answer.body));
                chats.push(Chat { id, owner, path, phase, accepted: false, text, end });
                continue;
            }
        };
        let end = Err("not checked".to_owned());
        let mut chat = Chat { id, owner, path, phase, accepted, text, end };
        if accepted {
            run.tally.acknowledged(phase, begun);
        }
        let leaves = Instant::now() + random.up_to(STAYS);
        chat.look_until(&client, &|| Instant::now() > leaves || run.ended());
        chats.push(chat);
    }
    for chat in chats.iter_mut().filter(|chat| chat.end.is_err()) {
        chat.look_until(&client, &|| run.is_late());
    }
    chats
}

fn begin(client: &Client<'_>) -> Option<String> {
    match client.post("/api/conversations", &json!({})) {
        Sent::Answer(answer) => Some(format!("/api/conversations/{}", answer.body["id"].as_str()?)),
        Sent::NotConnected | Sent::CutOff => None,
    }
}

impl Chat {
    fn look_until(&mut self, client: &Client<'_>, is_over: &dyn Fn() -> bool) {
        loop {
            if let Sent::Answer(answer) = client.get(&self.path) {
                self.end = end_of(&answer.body, self);
                if self.end.is_ok() {
                    return;
                }
            }
            if is_over() {
                return;
            }
            pause(LOOK_EVERY);
        }
    }
}

/// How the only turn of a conversation ended, if it has.
fn end_of(view: &Value, chat: &Chat) -> Result<End, String> {
    let entries = view["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = entries.iter().filter(|entry| entry["text"] == chat.text.as_str()).count();
    match (count, chat.accepted) {
        (0, false) if view["open"] == false => return Ok(End::Ended), // it was never accepted
        (1, _) => {}
        _ => return Err(format!("it was sent once and is there {count} times: {view}")),
    }
    let waiting = view["waiting"].as_array().map(Vec::as_slice).unwrap_or_default();
    if waiting.iter().any(|one| one["inDoubt"].is_string()) {
        return Ok(End::InDoubt);
    }
    if view["open"] != false {
        return Err(format!("it is open: {view}"));
    }
    let last = entries.last().map(|entry| {
        let text = entry["text"].as_str().unwrap_or_default();
        match text {
            _ if text == chat.text || !text.contains(&chat.id) => End::Ended,
            _ if text.starts_with("Not done") => End::Open,
            _ => End::Answered,
        }
    });
    match last {
        Some(End::Ended) if entries.last().is_some_and(|last| last["entry"] != "ended") => {
            Err(format!("it ended without an answer: {view}"))
        }
        // Its call did not begin, because the store did not answer.
        Some(End::Open) if view.to_string().contains("was not run") => Ok(End::Answered),
        Some(End::Open) if !view.to_string().contains("ledger resolve") => {
            Err(format!("no person is asked about the outcome: {view}"))
        }
        Some(end) => Ok(end),
        None => Err(format!("nothing is there: {view}")),
    }
}
