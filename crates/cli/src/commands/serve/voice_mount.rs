//! Voice sessions on `ghosthand serve`, with the speech services of the settings.

use server::Extension;
use voice_web::{Missing, VoiceLimits, VoiceWeb};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_speech::{languages, open_speech, open_transcription};

/// Mounts the WebSocket and the view. What is missing is told to the page, which can often do
/// it itself.
pub(super) fn open(config: &Config) -> Result<Extension, Failure> {
    let missing = |failure: Failure| {
        let (what, fix) = failure.into_parts();
        Missing { what, fix }
    };
    let web = VoiceWeb {
        hears: open_transcription(config).map_err(missing),
        speaks: open_speech(config).map_err(missing),
        languages: languages(config)?,
        limits: VoiceLimits::machine(),
    };
    Ok(web.extension())
}
