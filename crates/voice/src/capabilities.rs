//! What each speech model can do: a dated table, `data/models.toml`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    pub name: String,
    pub road: RoadKind,
    /// Samples in a second of the person's audio, PCM of 16 bits.
    #[serde(default = "usual_rate")]
    pub input_rate: u32,
    /// The same of the model's audio.
    #[serde(default = "usual_rate")]
    pub output_rate: u32,
    /// Whether one answer may have several calls.
    #[serde(default)]
    pub parallel_calls: bool,
    #[serde(default)]
    pub calls: CallBehavior,
    #[serde(default)]
    pub turn_end: TurnEnd,
    #[serde(default)]
    pub client_content: ClientContent,
    /// Sent where the model requires it.
    #[serde(default)]
    pub thinking_level: Option<String>,
    /// The recogniser that writes down what the person says, where it is a model of its own.
    #[serde(default)]
    pub transcription_model: Option<String>,
    /// How long the provider keeps a connection, if it says so.
    #[serde(default)]
    pub connection_s: Option<u32>,
    /// When the provider turns it off: `YYYY-MM-DD`.
    #[serde(default)]
    pub retires: Option<String>,
}

fn usual_rate() -> u32 {
    24_000
}

/// The ways to a speech model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoadKind {
    /// OpenAI Realtime, and servers that speak its protocol.
    Realtime,
    /// OpenAI Live: a voice in front of our own turn.
    Live,
    /// Gemini Live.
    Gemini,
    /// Speech to text, a text turn, text to speech.
    Cascade,
}

impl RoadKind {
    pub const ALL: [RoadKind; 4] =
        [RoadKind::Realtime, RoadKind::Live, RoadKind::Gemini, RoadKind::Cascade];

    pub fn as_str(self) -> &'static str {
        match self {
            RoadKind::Realtime => "realtime",
            RoadKind::Live => "live",
            RoadKind::Gemini => "gemini",
            RoadKind::Cascade => "cascade",
        }
    }
}

/// Whether the model waits for the result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallBehavior {
    #[default]
    Blocking,
    NonBlocking,
}

/// What ends a turn of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    #[default]
    TurnComplete,
    /// `turnComplete` comes after each utterance; only the idle status ends the turn.
    Idle,
}

/// When a model takes text as context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientContent {
    #[default]
    AnyTime,
    BeforeFirstTurn,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    checked: String,
    model: Vec<Capabilities>,
}

/// A test ensures that the file can be read.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../data/models.toml")).unwrap_or_default());

/// The day on which the table was last compared with the providers' documents.
pub fn capabilities_checked() -> &'static str {
    &TABLE.checked
}

/// The row of a model: of its own name, or of the longest name that its dated name begins with.
pub fn capabilities(name: &str) -> Option<&'static Capabilities> {
    let covers = |row: &&Capabilities| {
        name.strip_prefix(row.name.as_str()).is_some_and(|rest| rest.is_empty() || is_date(rest))
    };
    TABLE.model.iter().filter(covers).max_by_key(|row| row.name.len())
}

/// `-2026-08-01`, or `-08-2026`.
fn is_date(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|date| {
        let digits = date.chars().filter(char::is_ascii_digit).count();
        digits >= 6 && date.chars().all(|c| c.is_ascii_digit() || c == '-')
    })
}

/// Every row, in the order of the file.
pub fn all_capabilities() -> &'static [Capabilities] {
    &TABLE.model
}

#[cfg(test)]
mod tests;
