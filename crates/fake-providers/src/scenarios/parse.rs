//! Reads a scenario from its file.

use std::time::Duration;

use contract::{Block, Native, Wire};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::expect::{Expect, Expected, ExpectedFault};
use super::{Form, Scenario};

/// The first part of a file.
struct Header {
    scenario: Scenario,
    crlf: bool,
    /// The frames are the raw text of the stream, not one JSON text per line.
    raw: bool,
    expected: Expected,
    fault: Option<ExpectedFault>,
}

pub(super) fn parse(wire: Wire, name: &'static str, text: &str) -> Result<Scenario, String> {
    let (head, body) = text.split_once("---\n").ok_or("no line of dashes")?;
    let scenario = Scenario {
        wire,
        name,
        about: String::new(),
        status: 200,
        headers: Vec::new(),
        form: Form::Events,
        frames: Vec::new(),
        expect: Expect::Reply(Expected::default()),
    };
    let mut header =
        Header { scenario, crlf: false, raw: false, expected: Expected::default(), fault: None };
    for line in head.lines() {
        read_line(&mut header, line).map_err(|why| format!("`{line}`: {why}"))?;
    }
    let Header { mut scenario, crlf, raw, expected, fault } = header;
    scenario.expect = match fault {
        Some(fault) => Expect::Fault(fault),
        None if expected.stop.is_none() => return Err("neither `stop` nor `fault`".into()),
        None => Expect::Reply(expected),
    };
    let mut frames = match (scenario.form, raw) {
        (Form::Whole, _) => body.trim_end().to_owned(),
        (Form::Events, true) => body.to_owned(),
        (Form::Events, false) => body.lines().map(|line| frame(wire, line)).collect(),
    };
    if crlf {
        frames = frames.replace('\n', "\r\n");
    }
    scenario.frames = frames.into_bytes();
    Ok(scenario)
}

fn read_line(header: &mut Header, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let Header { scenario, expected, .. } = header;
    match (word, rest) {
        ("#", about) => about.clone_into(&mut scenario.about),
        ("status", status) => scenario.status = json(status)?,
        ("header", rest) => {
            let (name, value) = rest.split_once(": ").ok_or("no `name: value`")?;
            scenario.headers.push((name.to_owned(), value.to_owned()));
        }
        ("form", "whole") => scenario.form = Form::Whole,
        ("form", "raw") => header.raw = true,
        ("ends", "crlf") => header.crlf = true,
        ("block", block) => expected.blocks.push(json::<Block>(block)?),
        ("native", item) => {
            let block = expected.blocks.last_mut().ok_or("no block before it")?;
            block.native =
                Some(Native { wire: scenario.wire, from: String::new(), item: json(item)? });
        }
        ("also", "silent") => expected.also_silent = true,
        ("stop", stop) => expected.stop = Some(json(stop)?),
        ("usage", usage) => expected.usage = json(usage)?,
        ("model", model) => model.clone_into(&mut expected.model),
        ("keeps", text) => expected.keeps.push(text.to_owned()),
        ("fault", kind) => {
            let kind = json(&Value::from(kind).to_string())?;
            header.fault = Some(ExpectedFault { kind, retry_after: None });
        }
        ("retry_after_ms", milliseconds) => {
            let fault = header.fault.as_mut().ok_or("no fault before it")?;
            fault.retry_after = Some(Duration::from_millis(json(milliseconds)?));
        }
        (_, _) => return Err("no such line".into()),
    }
    Ok(())
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// One line as it is sent: a comment, an unfinished frame, or a frame.
fn frame(wire: Wire, line: &str) -> String {
    if line.starts_with(':') {
        return format!("{line}\n\n");
    }
    if let Some(torn) = line.strip_prefix('~') {
        return format!("data: {torn}");
    }
    let data: Value = serde_json::from_str(line).unwrap_or_default();
    match (wire, data["type"].as_str()) {
        (Wire::Anthropic | Wire::Responses, Some(event)) => {
            format!("event: {event}\ndata: {line}\n\n")
        }
        (_, _) => format!("data: {line}\n\n"),
    }
}
