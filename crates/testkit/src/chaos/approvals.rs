//! Approves every request.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Sent};
use super::{Run, pause};

const LOOK_EVERY: Duration = Duration::from_millis(60);

/// Approves until the test ends. Of two answers the first counts, so a refusal is not a finding.
pub(super) fn agree(run: &Run<'_>, owner: &'static str) {
    let client = Client { servers: run.servers, owner };
    while !run.rests() {
        if let Sent::Answer(answer) = client.get("/api/approvals") {
            for question in answer.body.as_array().into_iter().flatten() {
                let id = question["id"].as_str().unwrap_or_default();
                drop(client.post(&format!("/api/approvals/{id}"), &yes()));
            }
        }
        pause(LOOK_EVERY);
    }
}

fn yes() -> Value {
    json!({ "answer": "approve" })
}
