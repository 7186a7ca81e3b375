//! What waits, in which order, and what is lost.

use super::*;

fn frame(number: i16) -> Vec<i16> {
    vec![number]
}

#[test]
fn vx_14_audio_before_ready_waits_and_is_sent_in_order() {
    let mut gate = AudioGate::new(3);
    for number in 1..=3 {
        assert_eq!(gate.push(frame(number)), Passed::default());
    }
    assert_eq!(gate.open().frames, [frame(1), frame(2), frame(3)]);
    assert_eq!(gate.push(frame(4)).frames, [frame(4)]);
}

#[test]
fn vx_14_too_much_audio_drops_the_oldest_and_says_so() {
    let mut gate = AudioGate::new(2);
    let notices: Vec<_> = (1..=5).filter_map(|number| gate.push(frame(number)).notice).collect();
    assert_eq!(notices, ["the connection is not ready; the oldest audio is dropped"]);
    let passed = gate.open();
    assert_eq!(passed.frames, [frame(4), frame(5)]);
    let lost = "3 frames of audio were dropped before the connection was ready";
    assert_eq!(passed.notice.as_deref(), Some(lost));
    gate.close();
    assert_eq!(gate.push(frame(6)), Passed::default());
    assert_eq!(gate.open(), Passed { frames: vec![frame(6)], notice: None });
}
