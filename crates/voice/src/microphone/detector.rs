//! Scores frames of audio: is this speech?

/// Samples of one frame: 16 ms.
pub(crate) const FRAME_SAMPLES: usize = 256;

/// Tells speech from other sounds, frame by frame, with a memory of its own.
pub trait SpeechDetector {
    /// From 0, silence, to 1, speech. A frame has 256 samples at 16 kHz.
    fn score(&mut self, frame: &[i16]) -> f32;
}

/// The neural network of the `earshot` crate.
pub struct EarshotDetector {
    detector: earshot::Detector,
}

impl EarshotDetector {
    pub fn new() -> Self {
        Self { detector: earshot::Detector::default() }
    }
}

impl Default for EarshotDetector {
    fn default() -> Self {
        Self::new()
    }
}

impl SpeechDetector for EarshotDetector {
    fn score(&mut self, frame: &[i16]) -> f32 {
        match frame.len() == FRAME_SAMPLES {
            true => self.detector.predict_i16(frame),
            false => 0.0,
        }
    }
}
