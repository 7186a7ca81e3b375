//! Speech services that are played: what was said is known, and speech is a tone.

use std::collections::VecDeque;
use std::sync::Mutex;

use policy::BoxFuture;
use voice_session::{Pcm, Speaks, SpeechFault, Transcribes};

/// Writes down these texts, one for each speech.
pub(crate) struct PlayedEars(pub(crate) Mutex<VecDeque<&'static str>>);

impl Transcribes for PlayedEars {
    fn transcribe(&self, _speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        let text = self.0.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async move { Ok(text.to_owned()) })
    }

    fn name(&self) -> String {
        "played".to_owned()
    }
}

/// Speaks 40 ms for each character.
pub(crate) struct PlayedVoice;

impl Speaks for PlayedVoice {
    fn speak<'a>(&'a self, sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        let ms = u32::try_from(sentence.chars().count()).unwrap() * 40;
        Box::pin(async move { Ok(Pcm { rate: 24_000, samples: tone(24_000, ms) }) })
    }

    fn name(&self) -> String {
        "played".to_owned()
    }
}

/// The detectors take a steady tone for speech.
pub(crate) fn tone(rate: u32, ms: u32) -> Vec<i16> {
    let wave = |at: u32| (f64::from(at) * 220.0 * std::f64::consts::TAU / f64::from(rate)).sin();
    #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
    let samples = (0..rate * ms / 1_000).map(|at| (wave(at) * 9_000.0) as i16).collect();
    samples
}
