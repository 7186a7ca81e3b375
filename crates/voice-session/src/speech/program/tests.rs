//! Command lines, and small programs in place of speech services.

use super::{SpeechProgram, words};
use crate::speech::{Pcm, Speaks, Transcribes};

fn program(command: &str) -> SpeechProgram {
    let path = ("PATH".to_owned(), "/usr/bin:/bin".into());
    SpeechProgram::parse(command, [path, ("SECRET_KEY".to_owned(), "hidden".into())]).unwrap()
}

#[test]
fn a_command_line_is_split_at_spaces_and_quotes() {
    let check = |command: &str, expected: &[&str]| assert_eq!(words(command), expected);
    check("espeak-ng --stdout  -v uk", &["espeak-ng", "--stdout", "-v", "uk"]);
    check("\"my program\" -m \"a b\".bin \"\"", &["my program", "-m", "a b.bin", ""]);
    check("  ", &[]);
    assert!(SpeechProgram::parse(" ", []).is_err());
}

#[tokio::test]
async fn a_program_gets_a_sound_and_gives_words_and_sees_no_key() {
    let speech = Pcm { rate: 16_000, samples: vec![0; 160] };
    let count = program("wc -c");
    assert_eq!(count.transcribe(speech.clone()).await.unwrap(), "364");
    let environment = program("env").transcribe(speech).await.unwrap();
    assert!(environment.contains("PATH="), "{environment}");
    assert!(!environment.contains("hidden"), "{environment}");
}

#[tokio::test]
async fn what_fails_is_named() {
    let check = async |command: &str, text: &str| {
        let fault = program(command).speak("hello").await.unwrap_err().to_string();
        assert!(fault.contains(text), "{command}: {fault}");
    };
    check("no-such-program", "`no-such-program` cannot be started").await;
    check("false", "`false` failed").await;
    check("cat", "`cat`: this is not a WAV file").await;
}
