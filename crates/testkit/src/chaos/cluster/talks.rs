//! Clients that talk for long in one conversation, while its stream is followed over all servers.
//!
//! In the end the stream is read once more from its start. What was followed live, through all
//! faults, must have the same events at the same positions: no gap, and none twice.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::client::{Client, Sent};
use super::super::random::Random;
use super::super::{OWNERS, Run, pause};
use super::sse::Feed;

const TURNS_PER_TALK: u32 = 6;
const TURN_TIME_MAX: Duration = Duration::from_secs(60);
const FEED_TIME_MAX: Duration = Duration::from_secs(40);
const LOOK_EVERY: Duration = Duration::from_millis(40);

/// What one talker found.
#[derive(Debug, Default)]
pub(super) struct TalkOutcome {
    pub talks: u32,
    pub turns: u32,
    /// Positions that were compared.
    pub positions: usize,
    pub connections: u32,
    pub reloads: usize,
    pub findings: Vec<String>,
    /// The fault during which each effect was asked for.
    pub phases: BTreeMap<String, usize>,
}

pub(super) fn drive(run: &Run<'_>, number: u32, seed: u64) -> TalkOutcome {
    let owner = OWNERS[usize::try_from(number).unwrap_or(0) % OWNERS.len()];
    let client = Client { servers: run.servers, owner };
    let mut random = Random::new(seed ^ 0x7a1c ^ u64::from(number));
    let mut outcome = TalkOutcome::default();
    while !run.ended() {
        let Sent::Answer(begun) = client.post("/api/conversations", &json!({})) else {
            pause(LOOK_EVERY);
            continue;
        };
        let Some(id) = begun.body["id"].as_str() else { continue };
        let path = format!("/api/conversations/{id}");
        let last: OnceLock<Option<(u64, Instant)>> = OnceLock::new();
        let mut feed = Feed::from_the_start();
        std::thread::scope(|threads| {
            let (last, feed, path) = (&last, &mut feed, path.as_str());
            threads.spawn(move || {
                feed.follow(run.servers, owner, path, &|feed| match last.get() {
                    Some(Some((wanted, since))) => {
                        feed.reached() >= *wanted || since.elapsed() > FEED_TIME_MAX
                    }
                    Some(None) => true,
                    None => false,
                });
            });
            let end = talk(run, &client, path, number, &mut random, &mut outcome);
            last.get_or_init(|| Some((end?, Instant::now())));
        });
        outcome.talks += 1;
        if let Some(Some((wanted, _))) = last.get() {
            compare(run, owner, &path, *wanted, &feed, &mut outcome);
        }
    }
    outcome
}

/// Some turns, one after the other; the last position of the log if all is at rest.
fn talk(
    run: &Run<'_>,
    client: &Client<'_>,
    path: &str,
    number: u32,
    random: &mut Random,
    outcome: &mut TalkOutcome,
) -> Option<u64> {
    let mut end = None;
    for _ in 0..TURNS_PER_TALK {
        if run.ended() {
            break;
        }
        let verb = if random.one_in(2) { "mark" } else { "say" };
        let (id, phase) = (format!("t{number}-{}", outcome.turns), run.tally.phase());
        outcome.turns += 1;
        outcome.phases.insert(id.clone(), phase);
        let text = format!("{verb} {id}");
        match turn(run, client, path, &text, phase) {
            Ok(view) => end = view["last"].as_u64(),
            // A person is asked: this conversation waits.
            Err(None) => return None,
            Err(Some(why)) => {
                outcome.findings.push(format!("{path} {why}"));
                return None;
            }
        }
    }
    end
}

/// The conversation after this turn has ended; `Err(None)` if a person is asked.
fn turn(
    run: &Run<'_>,
    client: &Client<'_>,
    path: &str,
    text: &str,
    phase: usize,
) -> Result<Value, Option<String>> {
    let (begun, mut is_sent, mut is_known) = (Instant::now(), false, false);
    let mut last = String::new();
    while begun.elapsed() < TURN_TIME_MAX {
        if let Sent::Answer(answer) = client.get(path)
            && answer.status == 200
        {
            let view = answer.body;
            let entries = view["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
            let times = entries.iter().filter(|entry| entry["text"] == text).count();
            last = view.to_string();
            match (times, is_known) {
                (0, true) => {
                    return Err(Some(format!("`{text}` was acknowledged and is gone: {last}")));
                }
                (0, false) => is_sent = false,
                (1, _) => is_sent = true,
                _ => return Err(Some(format!("`{text}` is there {times} times: {last}"))),
            }
            if view["waiting"].to_string().contains("inDoubt") {
                return Err(None);
            }
            if is_sent && view["open"] == false {
                return Ok(view);
            }
        }
        if !is_sent {
            let body = json!({ "text": text });
            match client.post(&format!("{path}/messages"), &body) {
                Sent::Answer(answer) if answer.status == 202 => {
                    (is_sent, is_known) = (true, true);
                    run.tally.acknowledged(phase, begun);
                }
                Sent::Answer(answer) => last = format!("{} {}", answer.status, answer.body),
                Sent::NotConnected | Sent::CutOff => {}
            }
        }
        pause(LOOK_EVERY);
    }
    Err(Some(format!("`{text}` has no end: {last}")))
}

/// Compares what was followed with the stream as it is read afterwards.
fn compare(
    run: &Run<'_>,
    owner: &str,
    path: &str,
    wanted: u64,
    feed: &Feed,
    outcome: &mut TalkOutcome,
) {
    let mut again = Feed::from_the_start();
    let begun = Instant::now();
    again.follow(run.servers, owner, path, &|feed| {
        feed.reached() >= wanted || begun.elapsed() > FEED_TIME_MAX
    });
    outcome.connections += feed.connections;
    outcome.reloads += feed.reloaded.len();
    let faults = feed.faults.iter().map(|fault| format!("{path}/stream: {fault}"));
    outcome.findings.extend(faults);
    if feed.reached() < wanted || again.reached() < wanted {
        let (one, other) = (feed.reached(), again.reached());
        let text = format!("{path}/stream: the log ends at {wanted}, the stream at {one}, {other}");
        outcome.findings.push(text);
        return;
    }
    // What a reader was told to read again as a whole is not in its stream.
    let skipped: Vec<_> = feed.reloaded.iter().chain(&again.reloaded).copied().collect();
    let is_streamed = |(at, _): &&(u64, String)| {
        *at <= wanted && !skipped.iter().any(|(after, upto)| after < at && at <= upto)
    };
    let (live, later): (Vec<_>, Vec<_>) = (
        feed.events.iter().filter(is_streamed).collect(),
        again.events.iter().filter(is_streamed).collect(),
    );
    outcome.positions += live.len();
    if live != later {
        outcome.findings.push(format!("{path}/stream: {live:?} live, and {later:?} later"));
    }
}
