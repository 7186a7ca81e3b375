//! One utterance: its text, its audio, and how much of it was heard.

use std::ops::Range;

use policy::Timestamp;
use serde::Serialize;

use crate::config::{Config, SpeechBy};
use crate::event::{Piece, Purpose};
use crate::ids::{AnswerId, TurnNumber, UtteranceId};
use crate::words::heard::{Mark, heard_bytes};
use crate::words::sentence::{TextEnd, sentences};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Utterance {
    pub(crate) id: UtteranceId,
    pub(crate) source: Source,
    pub(crate) turn: TurnNumber,
    pub(crate) text: String,
    /// No more text and no more audio by the provider will come.
    pub(crate) ended: bool,
    /// By sentence if the speech is ours, else one for all.
    pub(crate) audio: Vec<SentenceAudio>,
    /// Times from the provider.
    pub(crate) marks: Vec<Mark>,
    pub(crate) created_at: Timestamp,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) played_ms: u64,
    /// When the page last reported progress.
    pub(crate) progress_at: Timestamp,
    /// When text or audio last came.
    pub(crate) arrived_at: Timestamp,
    /// Not to be played: a tool asked for silence.
    pub(crate) suppressed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    Answer(AnswerId),
    Own(Purpose),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct SentenceAudio {
    pub(crate) ms: u64,
    pub(crate) done: bool,
}

/// How many sentences are asked for before the first of them was played.
const SENTENCES_AHEAD: usize = 2;

impl Utterance {
    pub(crate) fn is_answer(&self) -> bool {
        matches!(self.source, Source::Answer(_))
    }

    pub(crate) fn answer(&self) -> Option<&AnswerId> {
        match &self.source {
            Source::Answer(answer) => Some(answer),
            Source::Own(_) => None,
        }
    }

    pub(crate) fn speech_by(&self, config: &Config) -> SpeechBy {
        match self.source {
            Source::Own(_) => SpeechBy::Us,
            Source::Answer(_) => config.road.speech,
        }
    }

    /// The sentences that are complete.
    pub(crate) fn sentences(&self, config: &Config) -> Vec<Range<usize>> {
        let end = if self.ended { TextEnd::Final } else { TextEnd::Open };
        sentences(&self.text, end, &config.languages)
    }

    /// How many sentences our speech should have been asked for by now: the one that plays and
    /// the next.
    pub(crate) fn wanted_sentences(&self, config: &Config) -> usize {
        if self.suppressed || self.speech_by(config) == SpeechBy::Provider {
            return 0;
        }
        let mut end_ms = 0;
        let mut played = 0;
        for sentence in &self.audio {
            end_ms += sentence.ms;
            if !sentence.done || self.played_ms < end_ms {
                break;
            }
            played += 1;
        }
        self.sentences(config).len().min(played + SENTENCES_AHEAD)
    }

    pub(super) fn arrive(&mut self, piece: &Piece, now: Timestamp) {
        if !matches!(piece, Piece::Played { .. }) {
            self.arrived_at = now;
        }
        match piece {
            Piece::Text { text, until_ms } => {
                self.text.push_str(text);
                let byte = self.text.len();
                self.marks.extend(until_ms.map(|ms| Mark { byte, ms }));
            }
            Piece::Audio { sentence, ms } => self.sentence_mut(*sentence).ms += ms,
            Piece::SentenceReady { sentence } => self.sentence_mut(*sentence).done = true,
            Piece::Ended { .. } => self.ended = true,
            Piece::Played { ms } => {
                self.played_ms = (*ms).max(self.played_ms);
                self.progress_at = now;
            }
        }
    }

    fn sentence_mut(&mut self, sentence: u32) -> &mut SentenceAudio {
        let at = sentence as usize;
        if self.audio.len() <= at {
            self.audio.resize(at + 1, SentenceAudio::default());
        }
        &mut self.audio[at]
    }

    /// The milliseconds that can be played without a gap.
    pub(crate) fn ready_ms(&self) -> u64 {
        let mut ready = 0;
        for sentence in &self.audio {
            ready += sentence.ms;
            if !sentence.done {
                break;
            }
        }
        ready
    }

    /// The length of the whole, once all of it is there.
    pub(crate) fn total_ms(&self, config: &Config) -> Option<u64> {
        let all = self.audio.iter().map(|sentence| sentence.ms).sum();
        let is_complete = match self.speech_by(config) {
            SpeechBy::Provider => self.ended,
            SpeechBy::Us => {
                let wanted = self.sentences(config).len();
                self.ended
                    && self.audio.len() >= wanted
                    && self.audio.iter().all(|sentence| sentence.done)
            }
        };
        is_complete.then_some(all)
    }

    /// The text that was heard so far.
    pub(crate) fn heard(&self, config: &Config) -> &str {
        let mut marks = self.marks.clone();
        let mut audio_ms: u64 = 0;
        if self.speech_by(config) == SpeechBy::Us {
            for (range, sentence) in self.sentences(config).into_iter().zip(&self.audio) {
                audio_ms += sentence.ms;
                if !sentence.done {
                    break;
                }
                marks.push(Mark { byte: range.end, ms: audio_ms });
            }
        } else {
            audio_ms = self.ready_ms();
            if self.ended {
                marks.push(Mark { byte: self.text.len(), ms: audio_ms });
            }
        }
        let end = heard_bytes(&self.text, &marks, audio_ms, self.played_ms);
        self.text[..end].trim_end()
    }
}
