//! PCM audio in messages: base64, lengths, loudness.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Samples as the bytes of a message.
pub(crate) fn encode(samples: &[i16]) -> String {
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

/// The bytes of a message; none if it is not base64. An odd last byte is dropped.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = STANDARD.decode(text).ok()?;
    bytes.truncate(bytes.len() & !1);
    Some(bytes)
}

/// Counts audio without losing parts of a millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    rate: u32,
    samples: u64,
}

impl Clock {
    pub(crate) fn new(rate: u32) -> Self {
        Self { rate, samples: 0 }
    }

    /// Adds PCM bytes; gives the whole milliseconds that they add.
    pub(crate) fn add(&mut self, bytes: usize) -> u64 {
        let before = self.ms();
        self.samples += bytes as u64 / 2;
        self.ms() - before
    }

    pub(crate) fn ms(&self) -> u64 {
        self.samples.saturating_mul(1_000) / u64::from(self.rate.max(1))
    }
}

/// Below this a sample counts as silence: about -40 dB of full scale.
const FLOOR: u16 = 328;

/// Whether anything can be heard.
pub(crate) fn is_loud(pcm: &[u8]) -> bool {
    pcm.chunks_exact(2).any(|pair| i16::from_le_bytes([pair[0], pair[1]]).unsigned_abs() > FLOOR)
}

#[cfg(test)]
mod tests;
