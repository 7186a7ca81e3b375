//! Speech by the client: its browser writes down what the person says, or speaks.
//!
//! The session takes the client's words as a transcription, and a sentence that the client speaks
//! as audio of an estimated length; the client reports its place in it in the same measure.

use std::time::Duration;

use policy::BoxFuture;
use tokio::sync::{Mutex, mpsc};
use voice_session::{OUTPUT_RATE, Pcm, Speaks, SpeechFault, Transcribes};

/// How long the browser may take to give its final words.
const WORDS_TIME_MAX: Duration = Duration::from_secs(8);
/// Final words that wait to be asked for.
const WORDS_MAX: usize = 8;
/// An ordinary pace of speech.
const CHAR_MS: u64 = 65;
/// The longest sentence that is counted.
const SENTENCE_CHARS_MAX: u64 = 1_000;

/// Gives the words of the browser.
pub(crate) struct BrowserHears(Mutex<mpsc::Receiver<String>>);

impl BrowserHears {
    /// And where the connection puts them.
    pub(crate) fn new() -> (Self, mpsc::Sender<String>) {
        let (words, said) = mpsc::channel(WORDS_MAX);
        (Self(Mutex::new(said)), words)
    }
}

impl Transcribes for BrowserHears {
    fn transcribe(&self, _speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        Box::pin(async move {
            let mut said = self.0.lock().await;
            match tokio::time::timeout(WORDS_TIME_MAX, said.recv()).await {
                Ok(Some(words)) => Ok(words),
                Ok(None) => Ok(String::new()),
                Err(_) => Err(SpeechFault("the browser gave no words".to_owned())),
            }
        })
    }

    fn name(&self) -> String {
        "the browser".to_owned()
    }
}

/// Stands for the voice of the browser.
pub(crate) struct BrowserSpeaks;

impl Speaks for BrowserSpeaks {
    fn speak<'a>(&'a self, sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        let count = usize::try_from(samples_of(sentence)).unwrap_or_default();
        Box::pin(async move { Ok(Pcm { rate: OUTPUT_RATE, samples: vec![0; count] }) })
    }

    fn name(&self) -> String {
        "the browser".to_owned()
    }
}

/// How many samples a sentence counts as.
pub(crate) fn samples_of(sentence: &str) -> u64 {
    let chars = (sentence.trim().chars().count() as u64).clamp(1, SENTENCE_CHARS_MAX);
    chars * CHAR_MS * u64::from(OUTPUT_RATE) / 1_000
}
