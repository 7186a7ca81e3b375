//! The scripts in the documents run as they are.

use crate::support::check;

const PAGE: &str = include_str!("../../../../docs/reference/voice.md");

#[test]
fn the_scripts_of_the_reference_run_on_every_road() {
    let mut scripts = 0;
    for block in PAGE.split("```voice\n").skip(1) {
        check(block.split("```").next().unwrap());
        scripts += 1;
    }
    assert!(scripts >= 1);
}

#[test]
fn the_reference_names_every_time_that_it_explains() {
    let timing = voice::Timing::standard();
    let said = [
        (timing.fade_ms, "within 100 ms"),
        (timing.interrupt_ms, "speak for 0.5 s"),
        (timing.resume_ms, "after 2 s of silence"),
        (timing.end_of_turn_ms, "silent for 0.5 s"),
        (timing.tone_ms, "waits 0.8 s"),
        (timing.phrase_ms, "phrase at 2 s"),
        (timing.answer_ms, "for 20 s"),
        (timing.acknowledge_ms, "3 s after the audio"),
        (timing.farewell_ms, "silent for 5 s"),
    ];
    for (ms, text) in said {
        let number =
            text.split(' ').find(|word| word.chars().all(|c| c.is_ascii_digit() || c == '.'));
        let number: f64 = number.unwrap().parse().unwrap();
        let stated = if text.contains(" ms") { number } else { number * 1_000.0 };
        assert!((stated - ms as f64).abs() < 0.5, "{text}: {ms}");
        assert!(PAGE.contains(text), "{text}");
    }
}
