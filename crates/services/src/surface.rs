//! Events of a running handler, delivered to the surface.

use std::sync::Arc;

use contract::{Channel, Chunk};
use policy::{BoxFuture, ServiceFault};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::effects::Effect;
use crate::handler_services::meter::weight;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;
use crate::personas::placeholders::PlaceholderNames;

/// An event of a handler, with secrets removed.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerEvent {
    Chunk(Chunk),
    /// `fraction` is between 0 and 1.
    Progress {
        fraction: f64,
        note: Option<String>,
    },
    /// For the client, in a format that the tool and the client agree on.
    Message(Value),
    Audit {
        event: String,
        data: Value,
    },
    Console {
        level: ConsoleLevel,
        text: String,
    },
}

/// The severity of a console line, with the same four names in JavaScript and Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum ConsoleLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl From<String> for ConsoleLevel {
    /// An unknown level must not lose the line.
    fn from(word: String) -> Self {
        match word.as_str() {
            "debug" => ConsoleLevel::Debug,
            "warn" => ConsoleLevel::Warn,
            "error" => ConsoleLevel::Error,
            _ => ConsoleLevel::Info,
        }
    }
}

/// Receives events, in the order in which the handler sent them.
pub trait Surface: Send + Sync {
    /// An error means that the event was not delivered.
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>>;
}

/// Shows nothing: accepts every event and drops it.
pub struct DropEvents;

impl Surface for DropEvents {
    fn event(&self, _event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChunkArgs {
    channel: Channel,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgressArgs {
    fraction: f64,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageArgs {
    message: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditArgs {
    event: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConsoleArgs {
    level: ConsoleLevel,
    text: String,
}

/// The services that send events.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventKind {
    Chunk,
    Progress,
    Message,
    Audit,
    Console,
}

/// Passes the event to the surface at once; the future waits for its delivery.
/// A notice with placeholders is passed on by the future, when the names are known; its order
/// is kept, because a host serves events one after the other.
pub(crate) fn send(
    run: &Arc<RunState>,
    service: Service,
    voice: EventKind,
    args: Value,
) -> BoxFuture<'static, Result<Value, ServiceFault>> {
    let event = match event_of(run, service, voice, args) {
        Ok(event) => event,
        Err(fault) => return Box::pin(async { Err(fault) }),
    };
    let effect = effect_of(run, &event);
    let surface = Arc::clone(&run.grant.surface);
    let delivery: BoxFuture<'static, _> = match event {
        HandlerEvent::Chunk(Chunk { channel: Channel::System, text })
            if PlaceholderNames::may_be_in(&text) =>
        {
            let run = Arc::clone(run);
            Box::pin(async move {
                let here = run.grant.conversation.0.clone();
                let filled = run.filled(Value::String(text.clone()), Some(&here)).await;
                let filled = filled.ok().and_then(|value| value.as_str().map(str::to_owned));
                let text = filled.unwrap_or(text);
                surface.event(HandlerEvent::Chunk(Chunk { channel: Channel::System, text })).await
            })
        }
        event @ (HandlerEvent::Chunk(_)
        | HandlerEvent::Progress { .. }
        | HandlerEvent::Message(_)
        | HandlerEvent::Audit { .. }
        | HandlerEvent::Console { .. }) => surface.event(event),
    };
    Box::pin(async move {
        let delivered = delivery.await;
        if let (Err(_), Some(effect)) = (&delivered, effect) {
            effect.did_not_happen();
        }
        delivered.map(|()| Value::Null)
    })
}

/// The event, checked, limited and without secrets.
fn event_of(
    run: &RunState,
    service: Service,
    voice: EventKind,
    args: Value,
) -> Result<HandlerEvent, ServiceFault> {
    let max = run.grant.limits.event_bytes_max;
    let bytes = weight(&args);
    if bytes > max {
        let name = service.as_str();
        return Err(
            FaultCode::TooLarge.fault(format!("`{name}` got {bytes} bytes; {max} are allowed"))
        );
    }
    let clean = |text: String| run.redactor.text(&text);
    Ok(match voice {
        EventKind::Chunk => {
            let ChunkArgs { channel, text } = arguments::parse(service, args)?;
            HandlerEvent::Chunk(Chunk { channel, text: clean(text) })
        }
        EventKind::Progress => {
            let ProgressArgs { fraction, note } = arguments::parse(service, args)?;
            HandlerEvent::Progress { fraction: fraction.clamp(0.0, 1.0), note: note.map(clean) }
        }
        EventKind::Message => {
            let MessageArgs { message } = arguments::parse(service, args)?;
            HandlerEvent::Message(run.redactor.value(message))
        }
        EventKind::Audit => {
            let AuditArgs { event, data } = arguments::parse(service, args)?;
            HandlerEvent::Audit { event: clean(event), data: run.redactor.value(data) }
        }
        EventKind::Console => {
            let ConsoleArgs { level, text } = arguments::parse(service, args)?;
            HandlerEvent::Console { level, text: clean(text) }
        }
    })
}

fn effect_of(run: &RunState, event: &HandlerEvent) -> Option<Effect> {
    match event {
        HandlerEvent::Chunk(_) => Some(run.effects.begin_show()),
        HandlerEvent::Message(_) => Some(run.effects.begin_write()),
        // Repeating these does no harm.
        HandlerEvent::Progress { .. }
        | HandlerEvent::Audit { .. }
        | HandlerEvent::Console { .. } => None,
    }
}
