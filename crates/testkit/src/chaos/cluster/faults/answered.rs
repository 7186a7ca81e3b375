//! After a fault nothing is stuck: a new message in an old conversation is answered.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{FaultKind, Faults};
use crate::chaos::client::{Client, Sent};
use crate::chaos::{OWNERS, pause};

/// The time in which a message must be answered after a fault.
const ANSWERED_TIME_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Faults<'_> {
    /// A new message in an old conversation is answered.
    pub(super) fn is_answered(&mut self, kind: FaultKind) {
        let client = Client { servers: self.nodes, owner: OWNERS[0] };
        let begun = Instant::now();
        let is_late = || begun.elapsed() > ANSWERED_TIME_MAX;
        self.messages += 1;
        let (text, mut last) = (format!("say p{}", self.messages), String::new());
        let wanted = format!("Done: p{},", self.messages);
        let mut is_sent = false;
        while !is_late() {
            pause(LOOK_EVERY);
            let Some(path) = &self.path else {
                if let Sent::Answer(answer) = client.post("/api/conversations", &json!({})) {
                    let id = answer.body["id"].as_str();
                    self.path = id.map(|id| format!("/api/conversations/{id}"));
                }
                continue;
            };
            let Sent::Answer(view) = client.get(path) else { continue };
            let all = view.body["entries"].to_string();
            last = format!("{} {}", view.status, view.body);
            if view.status != 200 {
                continue;
            }
            is_sent |= all.contains(&format!("{text}\""));
            if is_sent && all.contains(&wanted) && view.body["open"] == false {
                return;
            }
            if !is_sent
                && let Sent::Answer(answer) =
                    client.post(&format!("{path}/messages"), &json!({ "text": text }))
            {
                last = format!("{} {}", answer.status, answer.body);
                is_sent = answer.status == 202;
            }
        }
        self.path = None;
        self.outcome.findings.push((kind, format!("stuck: `{text}` is not answered: {last}")));
    }
}
