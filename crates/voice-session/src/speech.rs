//! The ports to speech services: text from speech, speech from text.
//!
//! `openai.rs` speaks to any server with OpenAI's `/audio/*` addresses; `program.rs` runs a
//! program of this machine for each piece.

pub(crate) mod openai;
pub(crate) mod program;

use policy::BoxFuture;

/// Sound: 16 bits, mono.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pcm {
    /// Samples in a second.
    pub rate: u32,
    pub samples: Vec<i16>,
}

impl Pcm {
    pub fn ms(&self) -> u64 {
        self.samples.len() as u64 * 1_000 / u64::from(self.rate.max(1))
    }
}

/// Why there is no text or no speech, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpeechFault(pub String);

/// Writes down what was said.
pub trait Transcribes: Send + Sync {
    fn transcribe(&self, speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>>;

    /// For people: what it is.
    fn name(&self) -> String;
}

/// Speaks a sentence.
pub trait Speaks: Send + Sync {
    fn speak<'a>(&'a self, sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>>;

    fn name(&self) -> String;
}

/// No speech service is set up; a session that knows it asks for nothing.
pub struct NoSpeech;

impl Transcribes for NoSpeech {
    fn transcribe(&self, _speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        let fault = SpeechFault("nothing is set up that writes speech down".to_owned());
        Box::pin(std::future::ready(Err(fault)))
    }

    fn name(&self) -> String {
        "none".to_owned()
    }
}

impl Speaks for NoSpeech {
    fn speak<'a>(&'a self, _sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        let fault = SpeechFault("nothing is set up that speaks".to_owned());
        Box::pin(std::future::ready(Err(fault)))
    }

    fn name(&self) -> String {
        "none".to_owned()
    }
}

/// What recognisers write for silence and noise: `[BLANK_AUDIO]`, `(music)`, `*sighs*`.
pub(crate) fn words_only(text: &str) -> String {
    let mut words = String::new();
    let mut closing = None;
    for c in text.chars() {
        match (closing, c) {
            (Some(end), c) if c == end => closing = None,
            (Some(_), _) => {}
            (None, '[') => closing = Some(']'),
            (None, '(') => closing = Some(')'),
            (None, '*') => closing = Some('*'),
            (None, c) => words.push(c),
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
