//! A client that writes under an idempotency key, and retries until the outcome is known.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, HttpResponse, Sent};
use super::{OWNERS, Run, pause};

const AGAIN_AFTER: Duration = Duration::from_millis(40);

/// The final outcome of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Acknowledged,
    InDoubt,
    /// It did not run, and will not under this key.
    Refused(String),
    Never(String),
}

#[derive(Debug)]
pub(super) struct Write {
    pub id: String,
    pub owner: &'static str,
    tool: &'static str,
    pub end: End,
    /// How often it was sent again after a kill.
    pub cut_off: u32,
    pub replayed: bool,
    /// The fault during which it began.
    pub phase: usize,
}

pub(super) fn drive(run: &Run<'_>, number: u32) -> Vec<Write> {
    let owner = OWNERS[usize::try_from(number).unwrap_or(0) % OWNERS.len()];
    let mut writes = Vec::new();
    for count in 0_u32.. {
        if run.ended() {
            break;
        }
        let tool = if count % 3 == 2 { "mark_asked" } else { "mark" };
        let id = format!("w{number}-{count}");
        let end = End::Never(String::new());
        let phase = run.tally.phase();
        let mut write = Write { id, owner, tool, end, cut_off: 0, replayed: false, phase };
        write.settle(run);
        writes.push(write);
    }
    writes
}

impl Write {
    fn settle(&mut self, run: &Run<'_>) {
        let client = Client { servers: run.servers, owner: self.owner };
        let (mut last, begun) = (String::new(), Instant::now());
        while !run.is_late() {
            match self.send(&client) {
                Sent::NotConnected => pause(AGAIN_AFTER),
                Sent::CutOff => self.cut_off += 1,
                Sent::Answer(answer) => {
                    last = format!("{} {}", answer.status, answer.body);
                    self.replayed |= answer.replayed;
                    if let Some(end) = end_of(&answer) {
                        if end == End::Acknowledged {
                            run.tally.acknowledged(self.phase, begun);
                        }
                        self.end = end;
                        return;
                    }
                    pause(AGAIN_AFTER);
                }
            }
        }
        self.end = End::Never(last);
    }

    fn send(&self, client: &Client<'_>) -> Sent {
        let key = format!("idempotency-key: {}\r\n", self.id);
        let path = format!("/api/call/{}", self.tool);
        client.send("POST", &path, &key, Some(&json!({ "id": self.id })))
    }

    /// Sends the same key once more at the end: the answer must be the same, without an effect.
    pub(super) fn again(&self, run: &Run<'_>) -> Option<String> {
        let client = Client { servers: run.servers, owner: self.owner };
        let Sent::Answer(answer) = self.send(&client) else {
            return Some(format!("{}: the same key got no answer in the end", self.id));
        };
        let is_same = match self.end {
            End::Acknowledged => answer.status == 200 && answer.body["data"]["marked"] == self.id,
            End::InDoubt => answer.status == 409 && answer.body["inDoubt"].is_object(),
            End::Refused(_) => answer.body["ok"] == false,
            End::Never(_) => true,
        };
        let (id, HttpResponse { status, body, .. }) = (&self.id, &answer);
        (!is_same).then(|| {
            format!("{id}: the outcome was {:?}, and the same key then {status} {body}", self.end)
        })
    }
}

/// The final outcome of an answer; none if it must be sent again.
fn end_of(answer: &HttpResponse) -> Option<End> {
    let HttpResponse { status, body, .. } = answer;
    let is = |name: &str| body[name] != Value::Null;
    match status {
        200 => Some(End::Acknowledged),
        // It began, and the store could not record how it ended.
        500 if body["error"]["partialSideEffects"] == true => Some(End::InDoubt),
        // The store could not record its beginning: it did not run, and may.
        409 if body.to_string().contains("could not be recorded first") => None,
        409 if is("inDoubt") => Some(End::InDoubt),
        409 if is("approval") => None,
        409 if body.to_string().contains("has not ended") => None,
        409 if body["error"]["type"] == "CONFLICT" => Some(End::Refused(body["error"].to_string())),
        429 | 503 => None,
        _ => Some(End::Refused(format!("{status} {body}"))),
    }
}
