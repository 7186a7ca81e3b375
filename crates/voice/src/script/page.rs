//! The page that a script plays: it plays audio in virtual time and reports how far it is.

use std::collections::BTreeMap;

use crate::ids::UtteranceId;

/// How often the page reports.
const REPORT_MS: u64 = 100;

#[derive(Debug, Default)]
pub(super) struct Page {
    utterances: BTreeMap<UtteranceId, Track>,
    playing: Option<Playing>,
    is_mute: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Track {
    /// By sentence: what came, in their order.
    ready_ms: u64,
    played_ms: u64,
}

#[derive(Debug, Clone, Copy)]
struct Playing {
    utterance: UtteranceId,
    /// Time and position of the last report.
    since: u64,
    from_ms: u64,
}

impl Page {
    /// Whether the page reports what it plays.
    pub(super) fn set_reporting(&mut self, reports: bool) {
        self.is_mute = !reports;
    }

    pub(super) fn audio(&mut self, now: u64, utterance: UtteranceId, ms: u64) {
        self.advance(now);
        self.utterances.entry(utterance).or_default().ready_ms += ms;
    }

    pub(super) fn play(&mut self, now: u64, utterance: UtteranceId) {
        self.advance(now);
        let from_ms = self.utterances.entry(utterance).or_default().played_ms;
        self.playing = Some(Playing { utterance, since: now, from_ms });
    }

    /// Holds playback; gives the position.
    pub(super) fn pause(&mut self, now: u64, utterance: UtteranceId) -> Option<(UtteranceId, u64)> {
        self.advance(now);
        self.playing = None;
        let track = self.utterances.get(&utterance)?;
        (!self.is_mute).then_some((utterance, track.played_ms))
    }

    pub(super) fn cut(&mut self, now: u64, utterance: UtteranceId) {
        self.advance(now);
        if self.playing.is_some_and(|playing| playing.utterance == utterance) {
            self.playing = None;
        }
        self.utterances.remove(&utterance);
    }

    /// Whether sound comes out right now.
    pub(super) fn is_sounding(&self, now: u64) -> bool {
        self.playing.is_some_and(|playing| {
            let ready = self.utterances.get(&playing.utterance).map_or(0, |track| track.ready_ms);
            playing.from_ms + (now - playing.since) < ready
        })
    }

    /// When the page reports next.
    pub(super) fn next(&self) -> Option<u64> {
        let playing = self.playing.filter(|_| !self.is_mute)?;
        let ready = self.utterances.get(&playing.utterance)?.ready_ms;
        let left = ready.saturating_sub(playing.from_ms);
        (left > 0).then(|| playing.since + left.min(REPORT_MS))
    }

    /// The position, for a report.
    pub(super) fn report(&mut self, now: u64) -> Option<(UtteranceId, u64)> {
        let playing = self.playing?;
        self.advance(now);
        let played = self.utterances.get(&playing.utterance)?.played_ms;
        Some((playing.utterance, played))
    }

    fn advance(&mut self, now: u64) {
        let Some(playing) = &mut self.playing else { return };
        let Some(track) = self.utterances.get_mut(&playing.utterance) else { return };
        let played = (playing.from_ms + (now - playing.since)).min(track.ready_ms);
        track.played_ms = played;
        *playing = Playing { since: now, from_ms: played, ..*playing };
    }
}
