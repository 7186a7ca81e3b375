//! Voice sessions on `ghosthand serve`, with the road and the speech services of the settings.

use std::sync::Arc;

use server::Extension;
use voice_session::{SessionOptions, Speaks, Transcribes};
use voice_web::{Missing, VoiceLimits, VoiceWeb};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_road::{is_cascade, open_road};
use crate::wiring::open_speech::{SpeechServices, languages, open_speech, open_transcription};

/// Mounts the WebSocket and the view. What is missing is told to the page, which can often do
/// it itself.
pub(super) fn open(config: &Config) -> Result<Extension, Failure> {
    let (languages, limits) = (languages(config)?, VoiceLimits::machine());
    let (hears, speaks, options) = match is_cascade(config) {
        Ok(true) => (
            open_transcription(config).map_err(missing),
            open_speech(config).map_err(missing),
            open_road(config, SpeechServices::BOTH).map_err(missing),
        ),
        Ok(false) => match beside_a_model(config).map_err(missing) {
            Ok((services, options)) => (Ok(services.hears), Ok(services.speaks), Ok(options)),
            Err(missing) => nothing(&missing),
        },
        Err(failure) => nothing(&missing(failure)),
    };
    let web = VoiceWeb { hears, speaks, options, languages, limits };
    Ok(web.extension())
}

/// A speech model of a provider, and the services of our own beside it.
fn beside_a_model(config: &Config) -> Result<(SpeechServices, SessionOptions), Failure> {
    let services = SpeechServices::some(config)?;
    let options = open_road(config, services.own)?;
    Ok((services, options))
}

type Parts = (
    Result<Arc<dyn Transcribes>, Missing>,
    Result<Arc<dyn Speaks>, Missing>,
    Result<SessionOptions, Missing>,
);

/// No session can begin, for one reason.
fn nothing(missing: &Missing) -> Parts {
    (Err(missing.clone()), Err(missing.clone()), Err(missing.clone()))
}

fn missing(failure: Failure) -> Missing {
    let (what, fix) = failure.into_parts();
    Missing { what, fix }
}
