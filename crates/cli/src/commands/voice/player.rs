//! Plays a session's audio in real time, into samples: what came out when, and how far it is.

use std::collections::BTreeMap;

use voice::UtteranceId;
use voice_session::OUTPUT_RATE;

/// How often the position is reported, in milliseconds.
const REPORT_MS: u64 = 100;
/// The tone that says that something is being done.
const TONE_HERTZ: f64 = 660.0;
const TONE_MS: u32 = 120;
const TONE_LOUDNESS: f64 = 2_500.0;

/// What is played now, and what waits.
#[derive(Default)]
pub(super) struct Player {
    tracks: BTreeMap<UtteranceId, Track>,
    playing: Option<UtteranceId>,
    tone: Vec<i16>,
    since_report_ms: u64,
}

#[derive(Default)]
struct Track {
    samples: Vec<i16>,
    played: usize,
}

impl Track {
    fn ms(&self) -> u64 {
        self.played as u64 * 1_000 / u64::from(OUTPUT_RATE)
    }
}

impl Player {
    pub(super) fn audio(&mut self, utterance: UtteranceId, samples: &[i16]) {
        self.tracks.entry(utterance).or_default().samples.extend_from_slice(samples);
    }

    pub(super) fn play(&mut self, utterance: UtteranceId) {
        self.tracks.entry(utterance).or_default();
        self.playing = Some(utterance);
    }

    /// Holds playback; gives the position.
    pub(super) fn pause(&mut self, utterance: UtteranceId) -> Option<(UtteranceId, u64)> {
        self.playing = None;
        self.tracks.get(&utterance).map(|track| (utterance, track.ms()))
    }

    pub(super) fn cut(&mut self, utterance: UtteranceId) {
        self.tracks.remove(&utterance);
        if self.playing == Some(utterance) {
            self.playing = None;
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the tone is quiet")]
    pub(super) fn tone(&mut self) {
        let samples = OUTPUT_RATE * TONE_MS / 1_000;
        let at = |index: u32| {
            let angle = f64::from(index) * TONE_HERTZ * std::f64::consts::TAU;
            let fade = f64::from(samples - index) / f64::from(samples);
            ((angle / f64::from(OUTPUT_RATE)).sin() * TONE_LOUDNESS * fade) as i16
        };
        self.tone = (0..samples).map(at).collect();
    }

    /// The next milliseconds of sound, and a report if one is due.
    pub(super) fn step(&mut self, ms: u64) -> (Vec<i16>, Option<(UtteranceId, u64)>) {
        let count = usize::try_from(ms * u64::from(OUTPUT_RATE) / 1_000).unwrap_or_default();
        let mut sound = vec![0_i16; count];
        let mut report = None;
        if let Some(id) = self.playing
            && let Some(track) = self.tracks.get_mut(&id)
        {
            let rest = &track.samples[track.played..];
            let taken = rest.len().min(count);
            sound[..taken].copy_from_slice(&rest[..taken]);
            track.played += taken;
            self.since_report_ms += ms;
            let is_end = taken > 0 && track.played == track.samples.len();
            if is_end || (taken > 0 && self.since_report_ms >= REPORT_MS) {
                self.since_report_ms = 0;
                report = Some((id, track.ms()));
            }
        }
        let beep = self.tone.len().min(count);
        for (sample, tone) in sound.iter_mut().zip(self.tone.drain(..beep)) {
            *sample = sample.saturating_add(tone);
        }
        (sound, report)
    }
}

#[cfg(test)]
mod tests;
