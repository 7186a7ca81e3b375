//! Digests round-trip, and parts cannot be shifted.

use super::*;

#[test]
fn a_digest_round_trips() {
    let digest = Digest::of(b"abc");
    let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest.to_string(), text);
    assert_eq!(text.parse::<Digest>().unwrap(), digest);
    assert_eq!(digest.short(), "ba7816bf");
    assert_eq!(digest.hex(3), "ba7");
    assert_eq!(format!("sha256:{}", digest.hex(64)), text);
}

#[test]
fn other_texts_are_not_digests() {
    for text in ["", "sha256:", "md5:00", &format!("sha256:{}", "+1".repeat(32)), "sha256:é"] {
        assert!(text.parse::<Digest>().is_err(), "{text}");
    }
}

#[test]
fn moving_a_boundary_between_parts_changes_the_digest() {
    let sum = |parts: &[&str]| {
        let mut digester = Digester::default();
        parts.iter().for_each(|part| digester.part(part.as_bytes()));
        digester.finish()
    };
    assert_ne!(sum(&["ab", "c"]), sum(&["a", "bc"]));
    assert_ne!(sum(&["ab"]), sum(&["ab", ""]));
}
