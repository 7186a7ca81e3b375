//! The delay of our own parts, from the last sound of a person to the first of the answer.
//!
//! The speech services and the model answer at once: what is left is ours.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use policy::{BoxFuture, Timestamp};
use tokio::sync::mpsc;
use tokio::time::interval;
use voice_session::{
    FromClient, Pcm, SessionParts, Speaks, SpeechFault, ToClient, Transcribes, run_session,
};

use super::talk::parts;
use crate::call::engine::BenchEngine;
use crate::measure::{row, time};

const FRAME_MS: u64 = 20;
const SPEECH_FRAMES: usize = 50;
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The moments of a turn, by the words of their line, and the part that ends there.
const MOMENTS: [(&str, &str); 5] = [
    ("speech ended", "  the silence that ends a speech"),
    ("said", "  to its words"),
    ("requested", "  the end of the turn, from the words"),
    ("answer started", "  to the first words of the answer"),
    ("playing", "  to its first sound"),
];

pub(crate) async fn run(bench: &BenchEngine) -> Result<()> {
    let parts =
        SessionParts { hears: Arc::new(AtOnce), speaks: Arc::new(AtOnce), ..parts(bench).await? };
    let (from, received) = mpsc::channel(1_024);
    let (sent, mut to) = mpsc::channel(1_024);
    let session = tokio::spawn(run_session(parts, received, sent));
    let mut clock = interval(Duration::from_millis(FRAME_MS));
    let (mut frames, mut last_sound, mut found) = (0, Timestamp(0), Vec::new());
    let moments = async {
        while found.len() < MOMENTS.len() {
            tokio::select! {
                _ = clock.tick() => {
                    frames += 1;
                    let is_speech = frames <= SPEECH_FRAMES;
                    if is_speech {
                        last_sound = bench.engine.now();
                    }
                    from.send(FromClient::Audio(frame(frames, is_speech))).await?;
                }
                message = to.recv() => {
                    let ToClient::Recorded(entry) = message.context("the session goes on")? else {
                        continue;
                    };
                    let line = voice::log_line(&entry, entry.at).text;
                    if line.contains(MOMENTS[found.len()].0) {
                        found.push(entry.at);
                    }
                }
            }
        }
        Ok::<_, anyhow::Error>(())
    };
    tokio::time::timeout(WAIT_MAX, moments).await.context("the answer does not come")??;
    from.send(FromClient::Stop).await?;
    while to.recv().await.is_some() {}
    session.await??;
    let whole = found.last().map_or(0, |end| end.ms_since(last_sound));
    let note = "services and model that answer at once";
    row("our own parts, last sound to first sound", &time(Duration::from_millis(whole)), note);
    let mut before = last_sound;
    for ((_, part), at) in MOMENTS.into_iter().zip(found) {
        row(part, &time(Duration::from_millis(at.ms_since(before))), "");
        before = at;
    }
    Ok(())
}

/// A tone, which the detector takes for speech, or silence.
fn frame(number: usize, is_speech: bool) -> Vec<i16> {
    let at = |index: usize| (number * 320 + index) as f64 / 16_000.0;
    #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
    let wave = |index: usize| ((at(index) * 220.0 * std::f64::consts::TAU).sin() * 9_000.0) as i16;
    (0..320).map(|index| if is_speech { wave(index) } else { 0 }).collect()
}

/// Services that take no time.
struct AtOnce;

impl Transcribes for AtOnce {
    fn transcribe(&self, _speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        Box::pin(async { Ok("what is the sum".to_owned()) })
    }

    fn name(&self) -> String {
        "at once".to_owned()
    }
}

impl Speaks for AtOnce {
    fn speak<'a>(&'a self, _sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        Box::pin(async { Ok(Pcm { rate: 24_000, samples: vec![0; 24_000] }) })
    }

    fn name(&self) -> String {
        "at once".to_owned()
    }
}
