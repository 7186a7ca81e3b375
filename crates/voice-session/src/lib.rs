//! Voice sessions for real: what [`voice::Driver`] wants done is done here.
//!
//! In: a person's audio, and what their client played. Out: audio and events for the client; the
//! log of the conversation. Must hold: an entry of the log is written before what follows from it
//! happens; a call runs only after the log is on disk; sentences are played in their order.
//!
//! Start at [`run_session_on`]; `provider.rs` has the sockets to speech models, `speech.rs` the
//! ports to speech services, `text_turn.rs` the model behind the voice, `wav.rs` and `resample.rs`
//! the audio.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]
#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

mod provider;
mod resample;
mod session;
mod speech;
mod text_turn;
mod tool_summaries;
mod wav;

pub use provider::{ProviderRoad, RoadFault, RoadOptions, SessionRoad};
pub use resample::resample;
pub use session::parts::{FromClient, Heard, SessionOptions, SessionParts, ToClient};
pub use session::{OUTPUT_RATE, SessionFault, run_session, run_session_on};
pub use speech::openai::{SpeechServer, SpeechServerFault};
pub use speech::program::{BadCommand, SpeechProgram};
pub use speech::{NoSpeech, Pcm, Speaks, SpeechFault, Transcribes};
pub use tool_summaries::{session_prompt, tool_facts};
pub use wav::{WavFault, read_wav, write_wav};
