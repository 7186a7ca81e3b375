//! Speech models that the tests of others trust.

use super::ears::{Ears, Found, sound};

#[test]
fn speech_is_found_in_the_time_of_the_audio() {
    let mut ears = Ears::new(24_000);
    assert_eq!(ears.feed(&sound(1_000, 24_000, 0.0)), Some(Vec::new()));
    let found = ears.feed(&sound(1_000, 24_000, 6_000.0)).unwrap();
    assert_eq!(found, [Found::Started { at_ms: 1_060 }]);
    // In pieces of any length.
    let quiet: Vec<Found> =
        (0..100).flat_map(|_| ears.feed(&sound(10, 24_000, 0.0)).unwrap()).collect();
    assert_eq!(quiet, [Found::Stopped { at_ms: 2_400 }]);
    assert_eq!(ears.feed("no base64!"), None);
}
