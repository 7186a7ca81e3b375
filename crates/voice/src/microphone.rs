//! The person's audio: speech is found in it, and audio from before the connection waits.

pub(crate) mod detector;
pub(crate) mod gate;

use std::collections::VecDeque;

pub use detector::{EarshotDetector, SpeechDetector};
pub use gate::AudioGate;

/// What was found in the audio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MicrophoneEvent {
    SpeechStarted,
    /// The whole stretch of speech, with a little from before it, for our own transcription.
    SpeechEnded {
        samples: Vec<i16>,
    },
}

/// When sound becomes speech, and speech silence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeechLimits {
    /// A score from here on is speech.
    pub start_score: f32,
    /// A score below this is silence.
    pub end_score: f32,
    /// So many frames of speech begin a stretch.
    pub start_frames: u32,
    /// So much silence ends it.
    pub end_ms: u64,
    /// How much from before the beginning belongs to it.
    pub pre_roll_ms: u64,
    /// A longer stretch is ended here, and goes on as a new one.
    pub speech_ms_max: u64,
}

impl SpeechLimits {
    pub const fn standard() -> Self {
        Self {
            start_score: 0.5,
            end_score: 0.35,
            start_frames: 3,
            end_ms: 200,
            pre_roll_ms: 300,
            speech_ms_max: 60_000,
        }
    }
}

/// Samples in a second, for the detector and for our own transcription.
pub const DETECTOR_RATE: u32 = 16_000;
const SAMPLES_PER_MS: usize = DETECTOR_RATE as usize / 1_000;

/// Finds stretches of speech.
pub struct Microphone {
    detector: Box<dyn SpeechDetector + Send>,
    limits: SpeechLimits,
    /// Samples that do not fill a frame yet.
    rest: Vec<i16>,
    recent: VecDeque<i16>,
    loud_frames: u32,
    speech: Option<Stretch>,
}

struct Stretch {
    samples: Vec<i16>,
    quiet_samples: usize,
}

impl Microphone {
    pub fn new(detector: Box<dyn SpeechDetector + Send>, limits: SpeechLimits) -> Self {
        let (rest, recent) = (Vec::new(), VecDeque::new());
        Self { detector, limits, rest, recent, loud_frames: 0, speech: None }
    }

    /// Takes samples at [`DETECTOR_RATE`], in pieces of any length.
    pub fn feed(&mut self, samples: &[i16]) -> Vec<MicrophoneEvent> {
        let mut events = Vec::new();
        self.rest.extend_from_slice(samples);
        let frames = self.rest.len() / detector::FRAME_SAMPLES;
        let whole: Vec<i16> = self.rest.drain(..frames * detector::FRAME_SAMPLES).collect();
        for frame in whole.chunks_exact(detector::FRAME_SAMPLES) {
            let score = self.detector.score(frame);
            events.extend(self.frame(frame, score));
        }
        events
    }

    fn frame(&mut self, frame: &[i16], score: f32) -> Option<MicrophoneEvent> {
        match &mut self.speech {
            None => {
                self.recent.extend(frame);
                let max = self.pre_roll_samples() + frame.len() * self.limits.start_frames as usize;
                let surplus = self.recent.len().saturating_sub(max);
                self.recent.drain(..surplus);
                let is_loud = score >= self.limits.start_score;
                self.loud_frames = if is_loud { self.loud_frames + 1 } else { 0 };
                if self.loud_frames < self.limits.start_frames {
                    return None;
                }
                self.loud_frames = 0;
                let samples = self.recent.drain(..).collect();
                self.speech = Some(Stretch { samples, quiet_samples: 0 });
                Some(MicrophoneEvent::SpeechStarted)
            }
            Some(stretch) => {
                stretch.samples.extend_from_slice(frame);
                let is_quiet = score < self.limits.end_score;
                stretch.quiet_samples =
                    if is_quiet { stretch.quiet_samples + frame.len() } else { 0 };
                let has_ended = ms(stretch.quiet_samples) >= self.limits.end_ms;
                let is_full = ms(stretch.samples.len()) >= self.limits.speech_ms_max;
                if !has_ended && !is_full {
                    return None;
                }
                let samples = self.speech.take().map(|stretch| stretch.samples).unwrap_or_default();
                Some(MicrophoneEvent::SpeechEnded { samples })
            }
        }
    }

    fn pre_roll_samples(&self) -> usize {
        usize::try_from(self.limits.pre_roll_ms).unwrap_or_default() * SAMPLES_PER_MS
    }
}

fn ms(samples: usize) -> u64 {
    (samples / SAMPLES_PER_MS) as u64
}

#[cfg(test)]
mod tests;
