//! Our messages, and those of the played providers, fit the types of the official SDKs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use policy::Timestamp;
use serde_json::{Value, json};
use voice::{
    Capabilities, Incoming, Outgoing, RoadCommand, SpeechId, all_capabilities, parse_script, road,
};

/// Sessions in which every kind of message is sent.
const SCRIPTS: [&str; 5] = [
    "history user \"hello\"\nhistory assistant \"Hi.\"\npending \"go on\"\n\
     tool kb_search retrieval parameters {\"type\":\"object\",\"required\":[\"q\"],\"properties\":{\"q\":{\"type\":\"string\"}}}\n\
     at 1s provider says \"It is three.\" for 1s\n\
     at 3s user says \"search for tea\" for 1.2s\n\
     at 5s provider calls kb_search {\"q\":\"tea\"} as call-number-1\n\
     at 5.5s tool call-number-1 returns {\"n\":1}\n\
     at 6s provider says \"Found it, with sugar and milk.\" for 4s\n\
     at 7s user interrupts with \"stop\"\n",
    "tool book writes\n\
     at 0s user says \"book it\" for 1.2s\n\
     at 2s provider calls book {} as call-number-1\n\
     at 2.5s user says \"and the weather\" for 1.2s\n\
     at 5s provider begins \"Sunny\" for 2s\n\
     at 5.2s user interrupts\n\
     at 9s tool call-number-1 returns {}\n\
     at 10s connection lost\n\
     at 11s connection back\n",
    "tool pay writes asks\n\
     at 0s user says \"pay\" for 1.2s\n\
     at 2s provider calls pay {} as call-number-1\n\
     at 12s user says \"yes\" for 1s\n\
     at 14s tool call-number-1 fails \"No money.\"\n",
    "tool end_voice_session writes repeatable\n\
     at 0s user says \"bye\" for 1.2s\n\
     at 2s provider calls end_voice_session {} as call-number-1\n\
     at 2.5s tool call-number-1 returns {} with [{\"type\":\"END_VOICE_SESSION\",\"after\":\"current_turn\"}]\n\
     at 3s provider says \"Bye.\" for 1s\n",
    "tool look reads\n\
     at 0s user says \"look\" for 1.2s\n\
     at 2s provider calls look \"{bad\" as call-number-1\n\
     at 2.5s provider calls look {} as call-number-2\n\
     at 2.7s provider withdraws call-number-2\n\
     at 4s user speaks\n\
     at 4.1s partial \"and\"\n\
     at 5s user stops saying \"and now\"\n\
     at 6s provider breaks off\n\
     at 7s provider goes away in 60s\n",
];

fn frames() -> Vec<String> {
    let mut lines = Vec::new();
    let models = all_capabilities().iter().filter(|row| row.road.as_str() != "cascade");
    for row in models {
        let wire = row.road.as_str();
        let line = |side: &str, frame: &Value| {
            json!({ "wire": wire, "side": side, "frame": frame }).to_string()
        };
        for script in SCRIPTS {
            let run = parse_script(script).unwrap().run_on(&row.name).unwrap();
            let sent =
                run.sent.iter().chain(&audio(row)).filter_map(message).cloned().collect::<Vec<_>>();
            lines.extend(sent.iter().map(|frame| line("client", frame)));
            // Arguments that are not JSON cannot be sent on this wire.
            let is_sendable = |frame: &&Value| {
                !frame.pointer("/toolCall/functionCalls/0/args").is_some_and(Value::is_string)
            };
            lines
                .extend(run.received.iter().filter(is_sendable).map(|frame| line("server", frame)));
        }
    }
    lines
}

fn message(outgoing: &Outgoing) -> Option<&Value> {
    match outgoing {
        Outgoing::Message(message) => Some(message),
        Outgoing::Turn(_) => None,
    }
}

/// Audio of the person, which scripts do not have.
fn audio(row: &Capabilities) -> Vec<Outgoing> {
    let mut road = road(row);
    let now = Timestamp(0);
    road.receive(now, Incoming::Message("{\"setupComplete\":{}}"));
    let mut sent = road.hear(&[1; 320]);
    sent.extend(road.send(now, &RoadCommand::UserTurn { speech: SpeechId(1) }));
    sent.extend(road.hear(&[2; 320]));
    assert!(!sent.is_empty(), "{}", row.name);
    sent
}

/// Asks the SDKs; says whether all lines fit, and the table.
fn check(lines: &[String]) -> (bool, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_frames.py");
    #[expect(clippy::disallowed_methods, reason = "the SDKs are Python; the input is ours")]
    let mut child = Command::new(testkit::packages::python("model-sdks"))
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn every_message_fits_the_sdk_s_types() {
    let lines = frames();
    assert!(lines.len() > 500, "{}", lines.len());
    let (fits, table) = check(&lines);
    println!("{table}");
    assert!(fits, "{table}");
}

#[test]
fn a_message_with_an_unknown_field_does_not_fit() {
    let bad = [
        json!({ "wire": "realtime", "side": "client", "frame": { "type": "response.create", "surprise": 1 } }),
        json!({ "wire": "realtime", "side": "server", "frame": {
            "type": "input_audio_buffer.committed", "event_id": "e", "item_id": "i", "surprise": 1 } }),
        json!({ "wire": "live", "side": "client", "frame": { "type": "session.close", "surprise": 1 } }),
        json!({ "wire": "live", "side": "client", "frame": {
            "type": "session.commentary.append", "content": "no delegation id" } }),
        json!({ "wire": "gemini", "side": "client", "frame": { "realtimeInput": { "surprise": 1 } } }),
        json!({ "wire": "gemini", "side": "server", "frame": { "surprise": 1 } }),
    ];
    let lines: Vec<String> = bad.iter().map(ToString::to_string).collect();
    let (fits, table) = check(&lines);
    assert!(!fits);
    for number in 1..=bad.len() {
        assert!(table.contains(&format!("line {number}, ")), "line {number} fits\n{table}");
    }
}
