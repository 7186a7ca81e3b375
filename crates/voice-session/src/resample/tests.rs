//! Tones keep their pitch and loudness, and what does not fit the new rate is gone.

use super::resample;

#[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
fn tone(hertz: f64, rate: u32, ms: u32) -> Vec<i16> {
    let samples = rate * ms / 1_000;
    let wave = |at: u32| (f64::from(at) * hertz * std::f64::consts::TAU / f64::from(rate)).sin();
    (0..samples).map(|at| (wave(at) * 8_000.0) as i16).collect()
}

/// How often the sound goes up through zero in a second, and how loud it is.
fn measure(samples: &[i16], rate: u32) -> (f64, f64) {
    let inner = &samples[samples.len() / 10..samples.len() * 9 / 10];
    let crossings = inner.windows(2).filter(|pair| pair[0] < 0 && pair[1] >= 0).count();
    let power: f64 = inner.iter().map(|one| f64::from(*one).powi(2)).sum();
    let seconds = inner.len() as f64 / f64::from(rate);
    (crossings as f64 / seconds, (power / inner.len() as f64).sqrt())
}

#[test]
fn a_tone_keeps_its_pitch_and_loudness() {
    for (from, to) in [(48_000, 16_000), (22_050, 24_000), (16_000, 24_000), (44_100, 16_000)] {
        let sound = tone(440.0, from, 500);
        let changed = resample(&sound, from, to);
        let (pitch, loudness) = measure(&changed, to);
        assert!((pitch - 440.0).abs() < 6.0, "{from} to {to}: {pitch}");
        assert!((loudness - 5_657.0).abs() < 120.0, "{from} to {to}: {loudness}");
        assert!(changed.len().abs_diff(to as usize / 2) <= 1, "{from} to {to}");
    }
}

#[test]
fn what_the_new_rate_cannot_have_is_removed() {
    let (_, loudness) = measure(&resample(&tone(11_000.0, 48_000, 500), 48_000, 16_000), 16_000);
    assert!(loudness < 300.0, "{loudness}");
}

#[test]
fn nothing_stays_nothing() {
    assert_eq!(resample(&[], 48_000, 16_000), [0_i16; 0]);
    assert_eq!(resample(&[1, 2], 16_000, 16_000), [1, 2]);
}
