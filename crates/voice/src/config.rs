//! How a session behaves: times, tools, rules. Part of the log, so that a replay has it too.

mod rules;
mod timing;
mod tools;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words::language::Language;

pub use rules::{ApprovalRules, EndingRules, FarewellBy, InterruptedEnding};
pub use timing::Timing;
pub use tools::{EffectLevel, OnInterrupt, TERMINAL_TOOLS, ToolFacts, ToolRole};

/// The settings of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The first is that of our own sentences; answers are understood in all of them.
    pub languages: Vec<Language>,
    /// The person's distance from UTC, for "tomorrow".
    pub utc_offset_minutes: i32,
    pub timing: Timing,
    pub road: RoadFacts,
    pub own: OwnParts,
    /// By tool id. A tool that is not listed counts as a slow write.
    pub tools: BTreeMap<String, ToolFacts>,
    pub ending: EndingRules,
    pub approval: ApprovalRules,
    /// Whether the client shows forms, so that a person can fill them in by hand.
    #[serde(default = "absent")]
    pub page_forms: Presence,
}

fn absent() -> Presence {
    Presence::Absent
}

/// What a session can do itself, beside the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnParts {
    /// Speech made from text by us: read-backs, farewells, fillers.
    pub speech: Presence,
    /// Text made from the person's speech by us.
    pub transcription: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    Present,
    Absent,
}

/// What the orchestrator must know about its road.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoadFacts {
    /// Who makes the audio of answers.
    pub speech: SpeechBy,
    pub responds_to: RespondsTo,
    /// Who decides when the model speaks.
    pub turns: TurnsBy,
    pub transcribes: Transcribes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeechBy {
    Provider,
    Us,
}

/// What a response is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RespondsTo {
    Audio,
    Transcript,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnsBy {
    Us,
    Provider,
}

/// Which speech the provider writes down. The rest is for our own transcription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transcribes {
    Everything,
    /// All but answers to our own questions, which the provider does not hear.
    NotAnswers,
    /// Only speech that became a turn.
    Turns,
    Nothing,
}

impl Config {
    /// The usual times and rules, for one road.
    pub fn standard(road: RoadFacts, languages: Vec<Language>) -> Self {
        let own = OwnParts { speech: Presence::Present, transcription: Presence::Present };
        Self {
            languages,
            utc_offset_minutes: 0,
            timing: Timing::standard(),
            road,
            own,
            tools: BTreeMap::new(),
            ending: EndingRules::standard(),
            approval: ApprovalRules::standard(),
            page_forms: Presence::Absent,
        }
    }

    pub fn tool(&self, tool: &str) -> ToolFacts {
        self.tools.get(tool).copied().unwrap_or(ToolFacts::UNKNOWN)
    }

    /// Whether answers to our own questions can be written down.
    pub fn hears_answers(&self) -> bool {
        let by_provider = self.road.transcribes == Transcribes::Everything;
        by_provider || self.own.transcription == Presence::Present
    }

    /// The language of our own sentences.
    pub fn language(&self) -> Language {
        self.languages.first().copied().unwrap_or(Language::En)
    }
}

#[cfg(test)]
mod tests;
