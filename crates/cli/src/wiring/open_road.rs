//! The road of voice sessions: our own parts, or a speech model of a provider.

use contract::Wire;
use voice::{
    ApprovalRules, Capabilities, EffectLevel, OwnParts, RoadKind, all_capabilities, capabilities,
};
use voice_session::{ProviderRoad, RoadFault, RoadOptions, SessionOptions, SessionRoad};

use crate::config::{Config, Configured, provider_of};
use crate::exit::Failure;

/// How sessions run, by `voice.road` and its companions. `own`: which speech services of our own
/// there are.
pub(crate) fn open_road(config: &Config, own: OwnParts) -> Result<SessionOptions, Failure> {
    let approval =
        ApprovalRules { spoken_up_to: spoken_up_to(config), ..ApprovalRules::standard() };
    let Some((model, configured)) = speech_model(config)? else {
        let road = SessionRoad::Cascade;
        return Ok(SessionOptions { approval, ..SessionOptions::on(road) });
    };
    let voice = config.get("voice.road_voice").map(str::to_owned);
    let options = RoadOptions { voice, own };
    let road = ProviderRoad::new(model, configured.provider.clone(), options).map_err(failure)?;
    let road = SessionRoad::Provider(Box::new(road));
    Ok(SessionOptions { approval, ..SessionOptions::on(road) })
}

/// Whether sessions run on our own parts, which need speech services.
pub(crate) fn is_cascade(config: &Config) -> Result<bool, Failure> {
    Ok(speech_model(config)?.is_none())
}

/// The speech model and its provider; none for our own parts.
fn speech_model(config: &Config) -> Result<Option<(Capabilities, &Configured)>, Failure> {
    let wanted = config.get("voice.road").unwrap_or("cascade");
    if wanted.contains(':') {
        let (configured, model) = provider_of(&config.providers, wanted)?;
        let model = model.unwrap_or_default();
        let row = row_of(&model, configured).ok_or_else(|| unknown(wanted))?;
        return Ok(Some((row, configured)));
    }
    let kind = RoadKind::ALL.into_iter().find(|kind| kind.as_str() == wanted);
    let row = match kind {
        // The first that its provider has not announced to turn off.
        Some(kind) => {
            all_capabilities().iter().find(|row| row.road == kind && row.retires.is_none())
        }
        None => capabilities(wanted),
    };
    let row = row.ok_or_else(|| unknown(wanted))?;
    let name = if kind.is_some() { row.name.clone() } else { wanted.to_owned() };
    let provider = match row.road {
        RoadKind::Cascade => return Ok(None),
        RoadKind::Realtime | RoadKind::Live => "openai",
        RoadKind::Gemini => "gemini",
    };
    let (configured, _) = provider_of(&config.providers, provider)?;
    Ok(Some((Capabilities { name, ..row.clone() }, configured)))
}

/// What a model can do. One that the table does not know speaks the protocol of its provider, as
/// local servers speak OpenAI's.
fn row_of(model: &str, configured: &Configured) -> Option<Capabilities> {
    if model.is_empty() {
        return None;
    }
    let name = model.to_owned();
    if let Some(row) = capabilities(model).filter(|row| row.road != RoadKind::Cascade) {
        return Some(Capabilities { name, ..row.clone() });
    }
    let road = match configured.provider.wire {
        Wire::Gemini => RoadKind::Gemini,
        Wire::Chat | Wire::Responses | Wire::Anthropic => RoadKind::Realtime,
    };
    let row = all_capabilities().iter().find(|row| row.road == road)?;
    Some(Capabilities { name, transcription_model: None, ..row.clone() })
}

fn spoken_up_to(config: &Config) -> EffectLevel {
    match config.get("voice.spoken_approvals") {
        Some("reads") => EffectLevel::Reads,
        Some("repeatable_writes") => EffectLevel::RepeatableWrites,
        Some("outward_writes") => EffectLevel::OutwardWrites,
        Some(_) | None => EffectLevel::Writes,
    }
}

fn unknown(wanted: &str) -> Failure {
    Failure::message(
        format!("`voice.road`: there is no road or speech model `{wanted}`"),
        "write cascade, realtime, live or gemini, or a speech model as provider:model",
    )
}

fn failure(fault: RoadFault) -> Failure {
    let fix = match &fault {
        RoadFault::NoKey { key, .. } => format!("set `{key}`, or leave `voice.road` out"),
        RoadFault::BadAddress { .. } => "correct the `base_url` or the key".to_owned(),
        RoadFault::NotAProvider(_) | RoadFault::NoTls(_) => "leave `voice.road` out".to_owned(),
    };
    Failure::user(fault, fix)
}
