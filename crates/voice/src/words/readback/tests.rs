//! What is read aloud, and what only the page can ask.

use serde_json::json;

use super::*;
use crate::config::{
    EffectLevel, RespondsTo, RoadFacts, SpeechBy, ToolFacts, Transcribes, TurnsBy,
};
use crate::words::language::Language;

fn config(effects: EffectLevel) -> Config {
    let road = RoadFacts {
        speech: SpeechBy::Us,
        responds_to: RespondsTo::Transcript,
        turns: TurnsBy::Us,
        transcribes: Transcribes::Nothing,
    };
    let mut config = Config::standard(road, vec![Language::En]);
    config.tools.insert("send_mail".to_owned(), ToolFacts { effects, ..ToolFacts::UNKNOWN });
    config
}

/// As `policy` writes it.
fn preview(arguments: &str) -> String {
    format!(
        "`send_mail` wants to run. It changes something outside this conversation.\n\
         what it does: Sends a mail.\n{arguments}\nasked because: the contract says so"
    )
}

#[track_caller]
fn needs_button(preview: &str, config: &Config, why: &str) {
    assert_eq!(read_back("send_mail", preview, config), ReadBack::Button(why.to_owned()));
}

#[test]
fn vx_10_every_argument_is_read_as_the_page_shows_it() {
    let preview = preview("  to: ana@example.com\n  reply_to: {\"a\":1}\n  text: Ready?");
    let expected = "I am about to run send mail. to: ana@example.com. reply to: {\"a\":1}. \
                    text: Ready? Say yes to do it, or no.";
    let found = read_back("send_mail", &preview, &config(EffectLevel::Writes));
    assert_eq!(found, ReadBack::Spoken(expected.to_owned()));
    let mut ukrainian = config(EffectLevel::Writes);
    ukrainian.languages = vec![Language::Uk];
    let ReadBack::Spoken(text) = read_back("send_mail", &preview, &ukrainian) else { panic!() };
    assert!(text.starts_with("Я збираюся виконати send mail. to: ana@example.com."), "{text}");
}

#[test]
fn vx_10_what_cannot_be_heard_exactly_needs_the_button() {
    let config = config(EffectLevel::Writes);
    let cases = [
        (
            "  text: abc [cut: 400 of 900 characters shown]",
            "its arguments are too long to be read aloud",
        ),
        ("  text: a\\u{200b}b", "its arguments have characters that cannot be read aloud"),
        ("  text: a\\nb", "its arguments have several lines"),
        ("  to: x\nbefore: the same was done 3 s ago", "the same call was made before"),
    ];
    for (arguments, why) in cases {
        needs_button(&preview(arguments), &config, why);
    }
    let long = preview(&format!("  text: {}", "a".repeat(600)));
    needs_button(&long, &config, "its arguments are too long to be read aloud");
}

#[test]
fn vx_10_strong_effects_and_missing_speech_need_the_button() {
    let plain = preview("  to: x");
    needs_button(
        &plain,
        &config(EffectLevel::OutwardWrites),
        "its effects are too strong for a spoken yes",
    );
    let mut listed = config(EffectLevel::Reads);
    listed.approval.button_tools.insert("send_mail".to_owned());
    needs_button(&plain, &listed, "its tool always needs the button");
    let mut mute = config(EffectLevel::Reads);
    mute.own.speech = Presence::Absent;
    needs_button(&plain, &mute, "the session has no text to speech of its own");
    let mut deaf = config(EffectLevel::Reads);
    deaf.own.transcription = Presence::Absent;
    needs_button(&plain, &deaf, "the session cannot transcribe spoken answers");
    // A tool that nobody described is taken for the strongest.
    let found = read_back("other", &json!({}).to_string(), &config(EffectLevel::Reads));
    assert!(matches!(found, ReadBack::Button(_)));
}
