//! What is played: utterances in their order, and what became of each.

use std::collections::{BTreeMap, VecDeque};

use policy::Timestamp;
use serde::Serialize;

use crate::event::{AudioEvent, Purpose};
use crate::ids::{AnswerId, UtteranceId};
use crate::state::State;
use crate::state::turn::{Answered, Response};
use crate::state::utterance::{Source, Utterance};
use crate::transcript::{Line, Shown, Speaker};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Playback {
    /// What is playing, and what comes after it.
    pub(crate) queue: VecDeque<Utterance>,
    pub(crate) status: PlaybackStatus,
    pub(crate) idle_since: Timestamp,
    pub(crate) last: UtteranceId,
    /// How the latest utterances ended.
    pub(crate) fates: BTreeMap<UtteranceId, Fate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlaybackStatus {
    Idle,
    Playing,
    /// Paused because the person speaks.
    Held,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fate {
    Heard,
    Cut,
    Dropped,
    Suppressed,
    Stalled,
}

/// How many ends are remembered.
const FATES_MAX: usize = 256;

impl Playback {
    pub(crate) fn silent(since: Timestamp) -> Self {
        Self {
            queue: VecDeque::new(),
            status: PlaybackStatus::Idle,
            idle_since: since,
            last: UtteranceId::default(),
            fates: BTreeMap::new(),
        }
    }

    /// What is playing, or comes next. What is not to be played is passed over.
    pub(crate) fn head(&self) -> Option<&Utterance> {
        self.queue.iter().find(|utterance| !utterance.suppressed)
    }

    pub(crate) fn get(&self, id: UtteranceId) -> Option<&Utterance> {
        self.queue.iter().find(|utterance| utterance.id == id)
    }

    fn get_mut(&mut self, id: UtteranceId) -> Option<&mut Utterance> {
        self.queue.iter_mut().find(|utterance| utterance.id == id)
    }

    /// The utterance of a provider's answer.
    pub(crate) fn of_answer(&self, answer: &AnswerId) -> Option<&Utterance> {
        self.queue.iter().rev().find(|utterance| utterance.answer() == Some(answer))
    }

    pub(super) fn unsuppress(&mut self, id: UtteranceId) {
        if let Some(utterance) = self.get_mut(id) {
            utterance.suppressed = false;
        }
    }

    /// Takes an utterance out and remembers its end.
    fn close(&mut self, id: UtteranceId, fate: Fate, now: Timestamp) -> Option<Utterance> {
        let was_head = self.head().is_some_and(|head| head.id == id);
        let at = self.queue.iter().position(|utterance| utterance.id == id)?;
        let closed = self.queue.remove(at)?;
        if was_head {
            self.status = PlaybackStatus::Idle;
            self.idle_since = now;
        }
        self.fates.insert(id, fate);
        if self.fates.len() > FATES_MAX {
            self.fates.pop_first();
        }
        Some(closed)
    }
}

impl State {
    pub(super) fn apply_audio(&mut self, event: &AudioEvent) {
        match event {
            AudioEvent::AnswerStarted { utterance, answer } => {
                self.add_utterance(*utterance, Source::Answer(answer.clone()), String::new());
                self.turn.response = Response::Answering;
            }
            AudioEvent::OwnSpeech { utterance, purpose, text } => {
                self.add_utterance(*utterance, Source::Own(*purpose), text.clone());
                if *purpose == Purpose::Filler {
                    self.turn.fillers.phrase = true;
                }
                self.own_speech_queued(*utterance, *purpose);
                self.farewell_queued(*utterance, *purpose);
            }
            AudioEvent::Arrived { utterance, piece } => {
                let now = self.now;
                if let Some(utterance) = self.playback.get_mut(*utterance) {
                    utterance.arrive(piece, now);
                }
            }
            AudioEvent::Started { utterance } => {
                self.playback.status = PlaybackStatus::Playing;
                let now = self.now;
                if let Some(playing) = self.playback.get_mut(*utterance) {
                    (playing.started_at, playing.progress_at) = (Some(now), now);
                    if playing.is_answer() {
                        self.turn.answered = Answered::Begun;
                    }
                }
            }
            AudioEvent::Paused { .. } => self.playback.status = PlaybackStatus::Held,
            AudioEvent::Resumed { utterance } => {
                self.playback.status = PlaybackStatus::Playing;
                let now = self.now;
                if let Some(playing) = self.playback.get_mut(*utterance) {
                    playing.progress_at = now;
                }
            }
            AudioEvent::Heard { utterance } => self.close_utterance(*utterance, Fate::Heard, None),
            AudioEvent::Cut { utterance, heard, .. } => {
                self.close_utterance(*utterance, Fate::Cut, Some(heard));
            }
            AudioEvent::Stalled { utterance, heard, .. } => {
                self.close_utterance(*utterance, Fate::Stalled, Some(heard));
            }
            AudioEvent::Dropped { utterance } => {
                self.close_utterance(*utterance, Fate::Dropped, Some(""));
            }
            AudioEvent::Suppressed { utterance } => {
                self.close_utterance(*utterance, Fate::Suppressed, None);
            }
            AudioEvent::Tone => self.turn.fillers.tone = true,
            AudioEvent::AnswerRefused { .. } => {}
        }
    }

    fn add_utterance(&mut self, id: UtteranceId, source: Source, text: String) {
        self.playback.last = id;
        let ended = matches!(source, Source::Own(_));
        let is_silent = self.suppress.audio == Some(self.turn.number);
        let suppressed = is_silent && matches!(source, Source::Answer(_));
        self.playback.queue.push_back(Utterance {
            id,
            source,
            turn: self.turn.number,
            text,
            ended,
            audio: Vec::new(),
            marks: Vec::new(),
            created_at: self.now,
            started_at: None,
            played_ms: 0,
            progress_at: self.now,
            arrived_at: self.now,
            suppressed,
        });
    }

    /// Ends an utterance; its line has the heard text, or all of it.
    fn close_utterance(&mut self, id: UtteranceId, fate: Fate, heard: Option<&str>) {
        let now = self.now;
        let Some(closed) = self.playback.close(id, fate, now) else { return };
        let speaker = match closed.source {
            Source::Answer(_) => Some(Speaker::Assistant),
            Source::Own(Purpose::Question | Purpose::Farewell | Purpose::Notice) => {
                Some(Speaker::Host)
            }
            Source::Own(Purpose::Filler) => None,
        };
        if let Some(speaker) = speaker {
            let text = heard.map_or_else(|| closed.text.clone(), str::to_owned);
            let at = closed.started_at.unwrap_or(closed.created_at);
            self.add_line(Line { at, turn: closed.turn, speaker, text, shown: Shown::Yes });
        }
        self.ask_utterance_closed(id, fate);
        self.farewell_closed(id);
    }
}
