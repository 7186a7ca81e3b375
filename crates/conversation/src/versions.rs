//! Versions of a turn: a message that was sent again, as it was or changed, begins another
//! version of its turn, and a person chooses which one is used.
//!
//! In: the events `sent_again` and `chosen`. Out: the turns in use, and those that were set
//! aside. Must hold: one version of each turn is used; a version comes back with the turns that
//! followed it when it was left.

use std::collections::BTreeMap;

use crate::state::{Conversation, Notice, TurnState};
use crate::voice::VoiceSession;

/// The versions of all turns that have more than one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Versions {
    /// The first turns of the versions of one message, in the order in which they were sent.
    groups: Vec<Vec<u64>>,
    /// What is not used, by the number of its first turn.
    aside: BTreeMap<u64, Continuation>,
    /// How often a person has chosen a version.
    pub(crate) choices: u64,
}

/// Turns that follow each other, and what came between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Continuation {
    turns: Vec<TurnState>,
    notices: Vec<Notice>,
    voice: Vec<VoiceSession>,
}

impl Versions {
    /// Which versions there are, without what was set aside.
    pub fn without_turns(&self) -> Self {
        Self { groups: self.groups.clone(), ..Self::default() }
    }
}

impl Conversation {
    /// The first turns of all versions of a turn, itself included; none if it has no others.
    pub fn versions_of(&self, turn: u64) -> &[u64] {
        self.group(turn).map_or(&[], Vec::as_slice)
    }

    /// The version in use instead of the one that begins with this turn.
    pub(crate) fn version_instead_of(&self, turn: u64) -> Option<u64> {
        let group = self.group(turn).filter(|_| self.versions.aside.contains_key(&turn))?;
        let is_used = |number: &&u64| self.turns.iter().any(|turn| turn.number == **number);
        group.iter().find(is_used).copied()
    }

    fn group(&self, turn: u64) -> Option<&Vec<u64>> {
        self.versions.groups.iter().find(|group| group.contains(&turn))
    }

    /// The turn `first` was sent again as the turn `turn`, which is not in the log yet.
    pub(crate) fn set_aside(&mut self, first: u64, last: u64, turn: u64) {
        let continuation = self.take_back(first, last);
        self.versions.aside.insert(first, continuation);
        match self.versions.groups.iter_mut().find(|group| group.contains(&first)) {
            Some(group) => group.push(turn),
            None => self.versions.groups.push(vec![first, turn]),
        }
    }

    /// Uses the version that begins with this turn, in place of the one in use.
    pub(crate) fn choose(&mut self, turn: u64) {
        self.versions.choices += 1;
        let Some(used) = self.version_instead_of(turn) else { return };
        let left = self.take_back(used, self.newest);
        self.versions.aside.insert(used, left);
        let Continuation { turns, notices, voice } =
            self.versions.aside.remove(&turn).unwrap_or_default();
        self.turns.extend(turns);
        self.notices.extend(notices);
        self.voice.extend(voice);
        self.voice.sort_by_key(|session| session.session);
    }

    /// Takes turns out of use, written and spoken ones.
    pub(crate) fn take_back(&mut self, first: u64, last: u64) -> Continuation {
        let is_back = |number: u64| (first..=last).contains(&number);
        let turns = self.turns.extract_if(.., |turn| is_back(turn.number)).collect();
        let notices = self.notices.extract_if(.., |notice| is_back(notice.after)).collect();
        let is_back_session =
            |session: &mut VoiceSession| is_back(session.number_of(voice::TurnNumber(1)));
        let voice = self.voice.extract_if(.., is_back_session).collect();
        // A session after a single turn that was taken back stays, after the turn before that.
        for session in &mut self.voice {
            let before = self.turns.iter().map(|turn| turn.number);
            session.after = before.filter(|number| *number <= session.after).max().unwrap_or(0);
        }
        Continuation { turns, notices, voice }
    }
}
