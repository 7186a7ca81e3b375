//! Voice sessions on `ghosthand serve`, with the road and the speech services of the settings.

use server::Extension;
use voice_web::{Missing, VoiceLimits, VoiceWeb};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_road::{is_cascade, open_road};
use crate::wiring::open_speech::{SpeechServices, languages, open_speech, open_transcription};

/// Mounts the WebSocket and the view. What is missing is told to the page, which can often do
/// it itself.
pub(super) fn open(config: &Config) -> Result<Extension, Failure> {
    let (languages, limits) = (languages(config)?, VoiceLimits::machine());
    let web = if is_cascade(config).unwrap_or(true) {
        VoiceWeb {
            hears: open_transcription(config).map_err(missing),
            speaks: open_speech(config).map_err(missing),
            // Fails for a road that there is not.
            options: open_road(config, SpeechServices::BOTH).map_err(missing),
            languages,
            limits,
        }
    } else {
        let services = SpeechServices::some(config)?;
        let options = open_road(config, services.own).map_err(missing);
        let (hears, speaks) = (Ok(services.hears), Ok(services.speaks));
        VoiceWeb { hears, speaks, options, languages, limits }
    };
    Ok(web.extension())
}

fn missing(failure: Failure) -> Missing {
    let (what, fix) = failure.into_parts();
    Missing { what, fix }
}
