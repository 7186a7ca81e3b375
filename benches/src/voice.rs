//! Voice: our own share of the delay, an interruption, many sessions at once, the cascade's parts.
//!
//! A session with its policy, its log and its orchestrator stands between a client and a speech
//! model behind a real WebSocket. A frame's time counts from the client to the model's socket,
//! and from the model's socket to the client. Beside it, a relay passes the same frames on and
//! does nothing else. Then somebody talks with the page in Chromium and interrupts it.

mod cascade;
mod far_side;
pub(crate) mod in_page;
mod relay;
mod talk;

use std::time::Duration;

use anyhow::{Context, Result};

use crate::call::engine::{BenchEngine, target_folder};
use crate::measure::{against, row, time, times};
use talk::Talk;

const DELAY_TARGET: Duration = Duration::from_millis(5);
const FRAMES: usize = 500;
const INTERRUPTIONS: usize = 40;
const CROWD: usize = 100;
const CROWD_FRAMES: usize = 250;

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let bench = BenchEngine::open_unsynced(&target_folder()?).await?;
        one(&bench).await?;
        crowd(&bench).await?;
        cascade::run(&bench).await
    })?;
    in_page::run()
}

/// One session alone, beside a bare relay.
async fn one(bench: &BenchEngine) -> Result<()> {
    let mut talk = Talk::begin(bench).await?;
    let heard = Delays::of(talk.hear(FRAMES).await?)?;
    let relayed = Delays::of(relay::delays(FRAMES).await?)?;
    let note = |found: Duration, relay: Duration| {
        format!("{}; a bare relay: {}", against(DELAY_TARGET, found), times(relay, found))
    };
    row("a frame to the model, p50", &time(heard.p50), &note(heard.p50, relayed.p50));
    row("  p99", &time(heard.p99), &note(heard.p99, relayed.p99));
    talk.begin_answer().await?;
    let said = Delays::of(talk.say(FRAMES).await?)?;
    row("a frame to the client, p50", &time(said.p50), &note(said.p50, relayed.p50));
    row("  p99", &time(said.p99), &note(said.p99, relayed.p99));
    let paused = Delays::of(talk.interruptions(INTERRUPTIONS).await?)?;
    row("speech found to the order to pause, p50", &time(paused.p50), "");
    let note = against(DELAY_TARGET, paused.p99);
    row("  p99", &time(paused.p99), &format!("{note}; then the client fades"));
    talk.hang_up().await
}

/// Many sessions, each with a model of its own, all speaking.
async fn crowd(bench: &BenchEngine) -> Result<()> {
    let before = resident_kb()?;
    let mut talks = Vec::new();
    for _ in 0..CROWD {
        talks.push(Talk::begin(bench).await?);
    }
    let mut running = tokio::task::JoinSet::new();
    for mut talk in talks {
        running
            .spawn(async move { Ok::<_, anyhow::Error>((talk.hear(CROWD_FRAMES).await?, talk)) });
    }
    let (mut delays, mut ended) = (Vec::new(), Vec::new());
    while let Some(heard) = running.join_next().await {
        let (heard, talk) = heard??;
        delays.extend(heard);
        ended.push(talk);
    }
    let each_kb = resident_kb()?.saturating_sub(before) / CROWD as u64;
    let delays = Delays::of(delays)?;
    let what = format!("{CROWD} sessions at once, a frame to the model, p50");
    row(&what, &time(delays.p50), "");
    row("  p99", &time(delays.p99), &against(DELAY_TARGET, delays.p99));
    row("  memory of a session", &format!("{each_kb} kB"), "with its far side in this process");
    for talk in ended {
        talk.hang_up().await?;
    }
    Ok(())
}

/// The middle and the end of many delays.
struct Delays {
    p50: Duration,
    p99: Duration,
}

impl Delays {
    fn of(mut found: Vec<Duration>) -> Result<Self> {
        found.sort_unstable();
        let at = |percent: usize| {
            let place = (found.len() * percent / 100).min(found.len().saturating_sub(1));
            found.get(place).copied().context("at least one frame")
        };
        Ok(Self { p50: at(50)?, p99: at(99)? })
    }
}

/// The memory of this process; Linux only.
fn resident_kb() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)).context("VmRSS")?;
    Ok(number.parse()?)
}
