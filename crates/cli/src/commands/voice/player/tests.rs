//! What comes out, and what is reported.

use voice::UtteranceId;

use super::Player;

const FIRST: UtteranceId = UtteranceId(1);

#[test]
fn what_was_played_is_counted_in_samples_and_reported_at_the_end() {
    let mut player = Player::default();
    player.audio(FIRST, &[7; 24 * 50]);
    assert_eq!(player.step(20), (vec![0; 480], None), "nothing plays yet");
    player.play(FIRST);
    assert_eq!(player.step(20), (vec![7; 480], None));
    assert_eq!(player.pause(FIRST), Some((FIRST, 20)));
    assert_eq!(player.step(20), (vec![0; 480], None), "held");
    player.play(FIRST);
    player.step(20);
    let (sound, report) = player.step(20);
    assert_eq!(report, Some((FIRST, 50)), "the end is reported at once");
    assert_eq!((sound[239], sound[240]), (7, 0));
    assert_eq!(player.step(20).1, None, "and only once");
}

#[test]
fn a_position_is_reported_ten_times_a_second_and_a_cut_is_silent() {
    let mut player = Player::default();
    player.audio(FIRST, &[7; 24 * 1_000]);
    player.play(FIRST);
    let reports: Vec<_> = (0..10).filter_map(|_| player.step(20).1).collect();
    assert_eq!(reports, [(FIRST, 100), (FIRST, 200)]);
    player.cut(FIRST);
    assert_eq!(player.step(20), (vec![0; 480], None));
    assert_eq!(player.pause(FIRST), None);
}

#[test]
fn a_tone_is_heard_over_silence() {
    let mut player = Player::default();
    player.tone();
    assert!(player.step(20).0.iter().any(|sample| *sample > 1_000));
    for _ in 0..6 {
        player.step(20);
    }
    assert!(player.step(20).0.iter().all(|sample| *sample == 0));
}
