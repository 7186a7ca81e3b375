//! Every time limit of a session.

use serde::{Deserialize, Serialize};

/// Every time limit, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// How fast playback fades when a person begins to speak.
    pub fade_ms: u64,
    /// Speech of this length is an interruption, also without known words.
    pub interrupt_ms: u64,
    /// The same for speech of which only signs of listening are known ("mhm").
    pub backchannel_ms: u64,
    /// Silence after which paused playback goes on.
    pub resume_ms: u64,
    /// Silence that ends a person's turn.
    pub end_of_turn_ms: u64,
    /// How long a turn waits for its transcript.
    pub transcript_ms: u64,
    /// Silence during a call after which a tone is played.
    pub tone_ms: u64,
    /// Silence during a call after which a short phrase is said.
    pub phrase_ms: u64,
    /// How long a cancelled call may take to stop.
    pub cancel_ms: u64,
    /// How long the page may be late with its acknowledgement.
    pub acknowledge_ms: u64,
    /// How long a farewell by the model may keep a session waiting.
    pub farewell_ms: u64,
    /// How long our own speech may take to have audio.
    pub own_speech_ms: u64,
    /// How long the model may take to begin an answer.
    pub answer_ms: u64,
    /// Smaller steps of playback are not recorded.
    pub played_step_ms: u64,
    /// How long a person may think about a question of a form.
    pub question_ms: u64,
    /// How long a form that waits for the person's hand may stay untouched.
    #[serde(default = "by_hand_ms")]
    pub by_hand_ms: u64,
}

const fn by_hand_ms() -> u64 {
    600_000
}

impl Timing {
    pub const fn standard() -> Self {
        Self {
            fade_ms: 100,
            interrupt_ms: 500,
            backchannel_ms: 1_500,
            resume_ms: 2_000,
            end_of_turn_ms: 500,
            transcript_ms: 5_000,
            tone_ms: 800,
            phrase_ms: 2_000,
            cancel_ms: 2_000,
            acknowledge_ms: 3_000,
            farewell_ms: 5_000,
            own_speech_ms: 5_000,
            answer_ms: 20_000,
            played_step_ms: 250,
            question_ms: 60_000,
            by_hand_ms: by_hand_ms(),
        }
    }
}
