//! Speech in audio: with a scripted detector, and with the real one on a tone.

use super::*;

/// Loud samples are speech.
struct ByLoudness;

impl SpeechDetector for ByLoudness {
    fn score(&mut self, frame: &[i16]) -> f32 {
        if frame.iter().any(|sample| *sample > 1_000) { 1.0 } else { 0.0 }
    }
}

fn microphone(limits: SpeechLimits) -> Microphone {
    Microphone::new(Box::new(ByLoudness), limits)
}

fn sound(ms: usize, level: i16) -> Vec<i16> {
    vec![level; ms * SAMPLES_PER_MS]
}

/// Feeds in pieces of 20 ms; gives each event with the time at which it came.
fn events(microphone: &mut Microphone, audio: &[i16]) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (index, piece) in audio.chunks(20 * SAMPLES_PER_MS).enumerate() {
        for event in microphone.feed(piece) {
            let name = match event {
                MicrophoneEvent::SpeechStarted => "start",
                MicrophoneEvent::SpeechEnded { .. } => "end",
            };
            found.push(((index + 1) * 20, name));
        }
    }
    found
}

#[test]
fn speech_starts_after_three_frames_and_ends_after_silence() {
    let audio = [sound(200, 0), sound(600, 9_000), sound(500, 0)].concat();
    let found = events(&mut microphone(SpeechLimits::standard()), &audio);
    assert_eq!(found, [(240, "start"), (1_020, "end")]);
}

#[test]
fn a_click_is_not_speech_and_a_pause_for_breath_is_not_an_end() {
    let click = [sound(200, 0), sound(16, 9_000), sound(400, 0)].concat();
    assert_eq!(events(&mut microphone(SpeechLimits::standard()), &click), []);
    let breath = [sound(300, 9_000), sound(150, 0), sound(300, 9_000), sound(400, 0)].concat();
    let found = events(&mut microphone(SpeechLimits::standard()), &breath);
    assert_eq!(found.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["start", "end"]);
}

#[test]
fn the_stretch_has_what_came_just_before() {
    let audio = [sound(1_000, 1), sound(400, 9_000), sound(400, 0)].concat();
    let mut microphone = microphone(SpeechLimits::standard());
    let ended = microphone.feed(&audio).into_iter().find_map(|event| match event {
        MicrophoneEvent::SpeechEnded { samples } => Some(samples),
        MicrophoneEvent::SpeechStarted => None,
    });
    let samples = ended.unwrap();
    let before = samples.iter().take_while(|sample| **sample == 1).count();
    assert!((280..=320).contains(&(before / SAMPLES_PER_MS)), "{before}");
    assert!(samples.iter().filter(|sample| **sample == 9_000).count() >= 390 * SAMPLES_PER_MS);
}

#[test]
fn a_stretch_without_end_is_cut() {
    let limits = SpeechLimits { speech_ms_max: 1_000, ..SpeechLimits::standard() };
    let found = events(&mut microphone(limits), &sound(2_500, 9_000));
    let names: Vec<_> = found.iter().map(|(_, name)| *name).collect();
    assert_eq!(names, ["start", "end", "start", "end", "start"]);
}

#[test]
fn the_real_detector_hears_a_tone_and_no_silence() {
    let tone = |at: usize| {
        let wave = (at as f32 * 220.0 * std::f32::consts::TAU / 16_000.0).sin();
        #[expect(clippy::cast_possible_truncation, reason = "the wave is between -1 and 1")]
        let sample = (wave * 9_000.0) as i16;
        sample
    };
    let voiced: Vec<i16> = (0..16_000).map(tone).collect();
    let audio = [sound(500, 0), voiced, sound(800, 0)].concat();
    let detector = Box::new(EarshotDetector::new());
    let mut microphone = Microphone::new(detector, SpeechLimits::standard());
    let found = events(&mut microphone, &audio);
    assert_eq!(found.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["start", "end"]);
    assert!((500..=700).contains(&found[0].0), "{found:?}");
    let mut silent = Microphone::new(Box::new(EarshotDetector::new()), SpeechLimits::standard());
    assert_eq!(events(&mut silent, &sound(2_000, 0)), []);
}
