//! Changes the rate of sound that comes in pieces, without a seam between them.

use super::{REACH, sinc, window};

/// Keeps what the next piece needs. The rates have a small ratio, such as 2 : 3.
#[derive(Debug, Clone)]
pub(crate) struct StreamResampler {
    /// Output samples for each `down` input samples.
    up: usize,
    down: usize,
    /// For each place of an output sample between two input samples: the weights around it.
    taps: Vec<Vec<f32>>,
    /// How many input samples count on each side.
    reach: usize,
    /// Input that is still needed; begins `reach` samples before the next output sample.
    held: Vec<i16>,
    /// The place of the next output sample, in input samples times `up`, from the start of
    /// `held`, without its reach.
    place: usize,
}

impl StreamResampler {
    pub(crate) fn new(from: u32, to: u32) -> Self {
        let (from, to) = (from.max(1), to.max(1));
        let common = greatest_common_divisor(from, to);
        let (up, down) = ((to / common) as usize, (from / common) as usize);
        let cutoff = (f64::from(to) / f64::from(from)).min(1.0);
        let reach = (REACH / cutoff).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the reach is small and positive"
        )]
        let side = reach as usize;
        let taps = (0..up).map(|phase| weights(phase as f64 / up as f64, side, cutoff)).collect();
        Self { up, down, taps, reach: side, held: vec![0; side], place: 0 }
    }

    /// The next piece at the new rate. It ends `reach` input samples early: 0.75 ms at 16 kHz.
    pub(crate) fn push(&mut self, samples: &[i16]) -> Vec<i16> {
        if self.up == self.down {
            return samples.to_vec();
        }
        self.held.extend_from_slice(samples);
        let mut made = Vec::with_capacity(samples.len() * self.up / self.down + 1);
        loop {
            let (first, phase) = (self.place / self.up, self.place % self.up);
            let last = first + 2 * self.reach + 1;
            let Some(around) = self.held.get(first..=last) else { break };
            made.push(weighed(around, &self.taps[phase]));
            self.place += self.down;
        }
        let used = (self.place / self.up).min(self.held.len());
        self.held.drain(..used);
        self.place -= used * self.up;
        made
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The weights of the samples around a place, which add up to one.
#[expect(clippy::cast_possible_truncation, reason = "a weight needs no more precision")]
fn weights(fraction: f64, side: usize, cutoff: f64) -> Vec<f32> {
    let distance = |index: usize| index as f64 - side as f64 - fraction;
    let weight = |index: usize| {
        let distance = distance(index);
        sinc(distance * cutoff) * window(distance / (side as f64 + 1.0))
    };
    let all: Vec<f64> = (0..2 * side + 2).map(weight).collect();
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|one| (one / sum) as f32).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn weighed(samples: &[i16], weights: &[f32]) -> i16 {
    let sum: f32 = samples.iter().zip(weights).map(|(one, weight)| f32::from(*one) * weight).sum();
    sum.round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests;
