//! What this server can do by itself in voice sessions, so that a page knows what to bring.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use voice::{DETECTOR_RATE, RoadKind};
use voice_session::{OUTPUT_RATE, SessionRoad};

use crate::{Missing, VoiceState};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VoiceStatus {
    /// How sessions run: our own parts, or a speech model of a provider.
    road: Part,
    /// What writes speech down.
    hears: Part,
    speaks: Part,
    /// Our own language first, then others in which answers are understood.
    languages: Vec<String>,
    /// Samples in a second of the audio that a client sends.
    input_rate: u32,
    /// Samples in a second of the audio that a client gets.
    output_rate: u32,
}

/// A part that is there, or what to do to get it.
#[derive(Serialize, JsonSchema)]
struct Part {
    ready: bool,
    /// What it is, or what is missing.
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

pub(crate) async fn show(State(state): State<VoiceState>) -> Json<VoiceStatus> {
    let services = &state.services;
    let road = services.options.as_ref().map(|options| &options.road);
    // A speech model of a provider hears and speaks by itself.
    let by_model = |own: Result<String, &Missing>| match road {
        Ok(SessionRoad::Provider(provider)) => part(Ok(provider.name())),
        Ok(SessionRoad::Cascade) | Err(_) => part(own),
    };
    Json(VoiceStatus {
        road: part(road.map(|road| match road {
            SessionRoad::Cascade => RoadKind::Cascade.as_str().to_owned(),
            SessionRoad::Provider(provider) => provider.name(),
        })),
        hears: by_model(services.hears.as_ref().map(|hears| hears.name())),
        speaks: by_model(services.speaks.as_ref().map(|speaks| speaks.name())),
        languages: services.languages.iter().map(|one| one.code().to_owned()).collect(),
        input_rate: DETECTOR_RATE,
        output_rate: OUTPUT_RATE,
    })
}

fn part(found: Result<String, &Missing>) -> Part {
    match found {
        Ok(name) => Part { ready: true, name, fix: None },
        Err(missing) => {
            Part { ready: false, name: missing.what.clone(), fix: Some(missing.fix.clone()) }
        }
    }
}
