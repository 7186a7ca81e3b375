//! Recorded answers of the real Notion (from notion-sdk-py, MIT), and a server of them.

use std::io;

use serde_json::{Value, json};

use crate::web::{Web, WebAnswer};

/// One request with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub method: String,
    pub path: String,
    pub status: u16,
    pub response: Value,
}

/// Recordings of pages, blocks, databases, data sources and errors.
pub fn recordings() -> Vec<Recording> {
    let lines = include_str!("../../corpus/notion-exchanges.jsonl").lines();
    let recording = |line: &str| {
        let mut json: Value = serde_json::from_str(line).ok()?;
        Some(Recording {
            method: json["method"].as_str()?.to_owned(),
            path: json["path"].as_str()?.to_owned(),
            status: u16::try_from(json["status"].as_u64()?).ok()?,
            response: json["response"].take(),
        })
    };
    lines.filter_map(recording).collect()
}

/// A server that gives the recorded answers, and otherwise answers like Notion to an unknown address.
/// A request for a hundred children gets the recorded two, which "at most" allows; a page that was
/// recorded at its creation can also be read.
pub async fn replay() -> io::Result<Web> {
    let recordings = recordings();
    Web::start(move |request| {
        let wanted = sorted(&request.path.replace("page_size=100", "page_size=2"));
        let same = |recording: &&Recording| {
            recording.method == request.method && sorted(&recording.path) == wanted
        };
        let made = |recording: &&Recording| {
            let Recording { response, .. } = recording;
            let id = response["id"].as_str().unwrap_or_default();
            let at = match response["object"].as_str() {
                Some("page") => format!("/v1/pages/{id}"),
                Some("page_markdown") => format!("/v1/pages/{id}/markdown"),
                _ => return false,
            };
            request.method == "GET" && at == request.path
        };
        let found = recordings.iter().find(same).or_else(|| recordings.iter().find(made));
        match found {
            Some(recording) => WebAnswer::json(recording.status, &recording.response),
            None => WebAnswer::json(400, &unknown()),
        }
    })
    .await
}

fn sorted(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut pairs: Vec<_> = query.split('&').collect();
    pairs.sort_unstable();
    format!("{path}?{}", pairs.join("&"))
}

fn unknown() -> Value {
    json!({ "object": "error", "status": 400, "code": "invalid_request_url",
            "message": "Invalid request URL." })
}
