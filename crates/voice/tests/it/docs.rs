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

#[test]
fn the_reference_has_every_speech_model_with_what_the_table_says() {
    use voice::{CallBehavior, RoadKind, TurnEnd, all_capabilities, capabilities_checked};
    let date = capabilities_checked();
    let (year, day) = (&date[..4], date[8..].trim_start_matches('0'));
    assert!(PAGE.contains(&format!("Checked on {day} November {year}")), "{date}");
    for model in all_capabilities().iter().filter(|row| row.road != RoadKind::Cascade) {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| `{}` |", model.name)));
        let row = row.unwrap_or_else(|| panic!("`{}` has no row", model.name));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let rates = format!("{}, {} kHz", model.input_rate / 1_000, model.output_rate / 1_000);
        let (several, calls, end) = match (model.road, model.calls, model.turn_end) {
            (RoadKind::Live, ..) => ("in our text turn", "go on", "silence"),
            (RoadKind::Realtime, ..) => {
                (if model.parallel_calls { "yes" } else { "no" }, "block", "`response.done`")
            }
            (_, calls, end) => (
                "no",
                if calls == CallBehavior::Blocking { "block" } else { "go on" },
                if end == TurnEnd::Idle { "`IDLE`" } else { "`turnComplete`" },
            ),
        };
        let road = format!("`{}`", model.road.as_str());
        let until = model.retires.as_deref().unwrap_or_default();
        assert_eq!(cells[2..8], [road.as_str(), &rates, several, calls, end, until], "{row}");
    }
}
