//! Sound in pieces sounds as in one.

use super::StreamResampler;
use crate::resample::resample;

fn wave(rate: u32, ms: u32) -> Vec<i16> {
    let value = |at: u32| (f64::from(at) * 440.0 * std::f64::consts::TAU / f64::from(rate)).sin();
    #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
    let samples = (0..rate * ms / 1_000).map(|at| (value(at) * 8_000.0) as i16).collect();
    samples
}

#[test]
fn pieces_of_any_length_give_the_same_sound_as_the_whole() {
    for (from, to) in [(16_000, 24_000), (24_000, 16_000), (48_000, 16_000), (16_000, 16_000)] {
        let whole = wave(from, 200);
        let at_once = StreamResampler::new(from, to).push(&whole);
        for piece in [1, 7, 320, 999] {
            let mut stream = StreamResampler::new(from, to);
            let pieces: Vec<i16> =
                whole.chunks(piece).flat_map(|chunk| stream.push(chunk)).collect();
            assert_eq!(pieces, at_once, "{from} to {to} in pieces of {piece}");
        }
    }
}

#[test]
fn the_sound_is_the_one_of_the_other_resampler() {
    for (from, to) in [(16_000, 24_000), (24_000, 16_000)] {
        let whole = wave(from, 200);
        let (made, expected) =
            (StreamResampler::new(from, to).push(&whole), resample(&whole, from, to));
        let missing = expected.len() - made.len();
        assert!(missing <= 40, "{missing} samples wait for the next piece");
        let middle = 100..made.len() - 100;
        let worst = made[middle.clone()]
            .iter()
            .zip(&expected[middle])
            .map(|(a, b)| (i32::from(*a) - i32::from(*b)).abs())
            .max();
        assert!(worst.is_some_and(|worst| worst < 120), "{from} to {to}: {worst:?}");
    }
}

#[test]
fn a_minute_does_not_drift() {
    let mut stream = StreamResampler::new(16_000, 24_000);
    let frame = vec![0; 320];
    let made: usize = (0..3_000).map(|_| stream.push(&frame).len()).sum();
    let expected = 3_000 * 480;
    assert!(expected - made <= 40, "{made} of {expected}");
}
