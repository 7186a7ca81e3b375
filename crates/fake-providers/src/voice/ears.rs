//! Finds speech by its loudness, in the time of the audio.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The length of one look, in milliseconds.
const LOOK_MS: u32 = 20;
/// Louder samples are speech.
const LOUD: i16 = 500;
/// So many loud looks begin a speech, and so many quiet ones end it.
const BEGINS: u32 = 3;
const ENDS: u32 = 20;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Started { at_ms: u64 },
    Stopped { at_ms: u64 },
}

#[derive(Debug)]
pub(super) struct Ears {
    rate: u32,
    held: Vec<i16>,
    looks: u64,
    /// Looks in a row that say otherwise.
    others: u32,
    is_speech: bool,
}

impl Ears {
    pub(super) fn new(rate: u32) -> Self {
        Self { rate, held: Vec::new(), looks: 0, others: 0, is_speech: false }
    }

    /// Takes audio in base64; none if it is not.
    pub(super) fn feed(&mut self, audio: &str) -> Option<Vec<Found>> {
        let bytes = STANDARD.decode(audio).ok().filter(|bytes| bytes.len() % 2 == 0)?;
        let samples = bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        self.held.extend(samples);
        let look = (self.rate * LOOK_MS / 1_000) as usize;
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(samples) = self.held.get(at..at + look) {
            at += look;
            let is_loud = samples.iter().any(|one| one.saturating_abs() > LOUD);
            found.extend(next(&mut self.is_speech, &mut self.others, &mut self.looks, is_loud));
        }
        self.held.drain(..at);
        Some(found)
    }
}

fn next(is_speech: &mut bool, others: &mut u32, looks: &mut u64, is_loud: bool) -> Option<Found> {
    *looks += 1;
    *others = if is_loud == *is_speech { 0 } else { *others + 1 };
    let enough = if *is_speech { ENDS } else { BEGINS };
    if *others < enough {
        return None;
    }
    (*is_speech, *others) = (!*is_speech, 0);
    let at_ms = *looks * u64::from(LOOK_MS);
    Some(if *is_speech { Found::Started { at_ms } } else { Found::Stopped { at_ms } })
}

/// A sound of this length, in base64: a wave, or silence.
pub(super) fn sound(ms: u64, rate: u32, level: f64) -> String {
    let count = ms * u64::from(rate) / 1_000;
    let wave = |at: u64| (at as f64 * 300.0 * std::f64::consts::TAU / f64::from(rate)).sin();
    #[expect(clippy::cast_possible_truncation, reason = "the level is that of 16 bits")]
    let bytes: Vec<u8> =
        (0..count).flat_map(|at| ((wave(at) * level) as i16).to_le_bytes()).collect();
    STANDARD.encode(bytes)
}
