//! Complete, split, oversized and invalid frames.

use super::*;

/// Feeds `bytes` in pieces of `size`; returns the frames, or the fault that ended it.
fn frames_of(bytes: &[u8], size: usize, bytes_max: usize) -> Result<Vec<String>, FrameFault> {
    let mut decoder = Decoder::new(bytes_max);
    let mut frames = Vec::new();
    for piece in bytes.chunks(size) {
        let room = decoder.room(64);
        room[..piece.len()].copy_from_slice(piece);
        decoder.filled(64 - piece.len());
        while let Some(frame) = decoder.next()? {
            frames.push(String::from_utf8_lossy(frame).into_owned());
        }
    }
    Ok(frames)
}

#[test]
fn the_frames_do_not_depend_on_how_the_bytes_are_split() {
    let mut bytes = Vec::new();
    for text in ["", "a", "ghost"] {
        encode(&text, &mut bytes, 100).unwrap();
    }
    for size in 1..=bytes.len().min(64) {
        assert_eq!(frames_of(&bytes, size, 100).unwrap(), [r#""""#, r#""a""#, r#""ghost""#]);
    }
}

#[test]
fn a_length_over_the_limit_is_refused_before_anything_is_buffered() {
    let claims = u32::MAX.to_le_bytes();
    let fault = frames_of(&claims, 4, 100).unwrap_err();
    assert_eq!(fault, FrameFault::TooLong { bytes: u32::MAX as usize, max: 100 });
}

#[test]
fn a_message_that_is_too_long_leaves_the_buffer_unchanged() {
    let mut bytes = vec![7];
    let fault = encode(&"x".repeat(20), &mut bytes, 10).unwrap_err();
    assert_eq!(fault, FrameFault::TooLong { bytes: 22, max: 10 });
    assert_eq!(bytes, [7]);
}
