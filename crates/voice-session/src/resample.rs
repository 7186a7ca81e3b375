//! Changes the rate of samples, with a low-pass filter so that speech stays speech.

pub(crate) mod stream;

/// How many samples on each side of a position count, at the lower of the two rates.
const REACH: f64 = 12.0;

/// The same sound at another rate.
pub fn resample(samples: &[i16], from: u32, to: u32) -> Vec<i16> {
    if from == to || samples.is_empty() || from == 0 || to == 0 {
        return samples.to_vec();
    }
    let step = f64::from(from) / f64::from(to);
    // Nothing above half of the lower rate may pass.
    let cutoff = (1.0 / step).min(1.0);
    let reach = REACH / cutoff;
    let length = (samples.len() as u64 * u64::from(to)).div_ceil(u64::from(from));
    (0..length).map(|at| at_position(samples, at as f64 * step, cutoff, reach)).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions are inside the samples, and the result is clamped"
)]
fn at_position(samples: &[i16], position: f64, cutoff: f64, reach: f64) -> i16 {
    let first = (position - reach).ceil().max(0.0) as usize;
    let last = ((position + reach).floor() as usize).min(samples.len() - 1);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (index, sample) in samples.iter().enumerate().take(last + 1).skip(first) {
        let distance = index as f64 - position;
        let tap = sinc(distance * cutoff) * window(distance / reach);
        sum += f64::from(*sample) * tap;
        weight += tap;
    }
    let value = if weight == 0.0 { 0.0 } else { sum / weight };
    value.round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
}

fn sinc(x: f64) -> f64 {
    let angle = std::f64::consts::PI * x;
    if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle }
}

/// Hann: one in the middle, zero at both ends.
fn window(x: f64) -> f64 {
    0.5 + 0.5 * (std::f64::consts::PI * x.clamp(-1.0, 1.0)).cos()
}

#[cfg(test)]
mod tests;
