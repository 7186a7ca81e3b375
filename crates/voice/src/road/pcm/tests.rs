//! Lengths and loudness.

use super::*;

#[test]
fn small_pieces_add_up_to_the_whole() {
    let mut clock = Clock::new(24_000);
    // 10 samples are less than half a millisecond.
    let sum: u64 = (0..2_400).map(|_| clock.add(20)).sum();
    assert_eq!((sum, clock.ms()), (1_000, 1_000));
}

#[test]
fn samples_survive_a_message() {
    let samples = [0, 1, -1, i16::MAX, i16::MIN];
    let bytes = decode(&encode(&samples)).unwrap();
    assert_eq!(bytes.len(), 10);
    assert!(is_loud(&bytes) && !is_loud(&bytes[..6]));
    assert_eq!(decode("AAA="), Some(vec![0, 0]));
    assert_eq!(decode("not base64!"), None);
}
