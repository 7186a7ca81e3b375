//! A driver with a microphone, before and after the connection is ready.

use serde_json::Value;

use super::*;
use crate::config::Config;
use crate::microphone::{SpeechDetector, SpeechLimits};
use crate::road::road;
use crate::road::test_setup::{model, setup};
use crate::words::language::Language;

/// Loud samples are speech.
struct ByLoudness;

impl SpeechDetector for ByLoudness {
    fn score(&mut self, frame: &[i16]) -> f32 {
        if frame.iter().any(|sample| *sample > 1_000) { 1.0 } else { 0.0 }
    }
}

fn driver(name: &str) -> Driver {
    let row = model(name);
    let road = road(&row);
    let config = Config::standard(road.facts(), vec![Language::En]);
    let opened = Opened { config, history: Vec::new(), pending: Vec::new() };
    let (driver, _) = Driver::open(Timestamp(0), opened, None, road, setup()).unwrap();
    driver.with_microphone(Microphone::new(Box::new(ByLoudness), SpeechLimits::standard()))
}

/// The messages with audio, each with its first sample.
fn audio(effects: &[Effect]) -> Vec<i16> {
    let sample = |message: &Value| {
        let data = message.get("audio")?.as_str()?;
        let bytes = crate::road::pcm::decode(data)?;
        Some(i16::from_le_bytes([bytes[0], bytes[1]]))
    };
    let message = |effect: &Effect| match effect {
        Effect::Send(Outgoing::Message(message)) => sample(message),
        _ => None,
    };
    effects.iter().filter_map(message).collect()
}

fn notes(effects: &[Effect]) -> usize {
    effects.iter().filter(|effect| format!("{effect:?}").contains("audio")).count()
}

#[test]
fn vx_14_audio_before_ready_is_sent_in_order_when_the_connection_is() {
    let mut driver = driver("gpt-realtime-2.1");
    driver.connected(Timestamp(0));
    for number in 1..=3 {
        assert!(audio(&driver.microphone(Timestamp(20), &[number; 4], &[])).is_empty());
    }
    let ready = driver.message(Timestamp(100), "{\"type\":\"session.updated\"}");
    assert_eq!(audio(&ready), [1, 2, 3]);
    assert_eq!(audio(&driver.microphone(Timestamp(120), &[4; 4], &[])), [4]);
}

#[test]
fn vx_14_too_much_audio_drops_the_oldest_with_a_note() {
    let mut driver = driver("gpt-realtime-2.1");
    driver.connected(Timestamp(0));
    let mut noted = 0;
    for number in 0..300 {
        noted += notes(&driver.microphone(Timestamp(20), &[number; 4], &[]));
    }
    assert_eq!(noted, 1);
    let ready = driver.message(Timestamp(100), "{\"type\":\"session.updated\"}");
    let sent = audio(&ready);
    assert_eq!((sent.len(), sent[0], sent.last()), (250, 50, Some(&299)));
    assert!(format!("{ready:?}").contains("50 frames of audio were dropped"));
}

#[test]
fn audio_waits_again_while_the_connection_is_lost() {
    let mut driver = driver("gpt-realtime-2.1");
    driver.connected(Timestamp(0));
    driver.message(Timestamp(0), "{\"type\":\"session.updated\"}");
    driver.closed(Timestamp(50));
    assert!(audio(&driver.microphone(Timestamp(60), &[7; 4], &[])).is_empty());
    driver.connected(Timestamp(100));
    assert_eq!(audio(&driver.message(Timestamp(110), "{\"type\":\"session.updated\"}")), [7]);
}

#[test]
fn our_own_detector_finds_speech_where_the_provider_does_not() {
    let mut driver = driver("cascade");
    driver.connected(Timestamp(0));
    let loud = vec![9_000; 16 * 600];
    let quiet = vec![0; 16 * 400];
    let started = format!("{:?}", driver.microphone(Timestamp(600), &[], &loud));
    assert!(started.contains("SpeechStarted"), "{started}");
    let ended = driver.microphone(Timestamp(1_000), &[], &quiet);
    let keeps =
        |effect: &Effect| matches!(effect, Effect::KeepSpeech { samples } if samples.len() > 9_000);
    assert!(ended.iter().any(keeps));
    let transcribe = |effect: &Effect| matches!(effect, Effect::Do(Command::Transcribe { .. }));
    assert!(ended.iter().any(transcribe));
}

#[test]
fn speech_before_the_connection_is_ready_is_a_turn_with_all_its_audio() {
    let mut driver = driver("gemini-3.8-live");
    driver.connected(Timestamp(0));
    let (loud, quiet) = (vec![9_000; 16 * 600], vec![0; 16 * 400]);
    let early = driver.microphone(Timestamp(600), &loud, &loud);
    let text = |effects: &[Effect]| format!("{effects:?}");
    assert!(text(&early).contains("SpeechStarted") && !text(&early).contains("activityStart"));
    driver.microphone(Timestamp(1_000), &quiet, &quiet);
    driver.tick(Timestamp(1_600));
    let ready = text(&driver.message(Timestamp(2_000), "{\"setupComplete\":{}}"));
    let at = |what: &str| ready.find(what).unwrap_or_else(|| panic!("no {what}: {ready}"));
    assert!(at("activityStart") < at("audio/pcm"), "{ready}");
    assert!(at("audio/pcm") < at("activityEnd"), "{ready}");
    assert!(at("Requested") < at("activityEnd"), "{ready}");
}
