//! What a handler writes to its console, as log messages of its client.
//!
//! The protocol has this on its way out; it is spoken to whoever asks for it.

#![expect(deprecated, reason = "clients of today ask for it")]

use policy::{BoxFuture, ServiceFault};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestMethod, SetLevelRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::Value;
use services::ConsoleLevel;

use super::door::Door;
use super::era::Era;

pub(super) type SetLevel = SetLevelRequestParams;

/// How grave a message is, from 0, `debug`, to 7, `emergency`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Severity(u8);

/// What a client of the old era hears that has not said what it wants.
const USUAL: Severity = Severity(3);

impl Severity {
    fn of(level: LoggingLevel) -> Self {
        Self(match level {
            LoggingLevel::Debug => 0,
            LoggingLevel::Info => 1,
            LoggingLevel::Notice => 2,
            LoggingLevel::Warning => 3,
            LoggingLevel::Error => 4,
            LoggingLevel::Critical => 5,
            LoggingLevel::Alert => 6,
            LoggingLevel::Emergency => 7,
        })
    }
}

impl Door {
    /// For as long as the client stays.
    pub(super) fn set_log_level(
        &self,
        request: &SetLevel,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(context) == Era::New {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.1.set_severity(Severity::of(request.level));
        Ok(())
    }

    /// From which severity on the caller of a request hears; in the new era the request
    /// says so itself, or hears nothing.
    pub(super) fn log_floor(&self, context: &RequestContext<RoleServer>) -> Option<Severity> {
        match Era::of(context) {
            Era::New => context.meta.log_level().map(Severity::of),
            Era::Old => Some(self.1.severity().unwrap_or(USUAL)),
        }
    }
}

/// A line of a tool's console as a message, if it is grave enough.
pub(super) fn message(
    floor: Option<Severity>,
    tool: &str,
    level: ConsoleLevel,
    text: String,
) -> Option<LoggingMessageNotificationParam> {
    let level = match level {
        ConsoleLevel::Debug => LoggingLevel::Debug,
        ConsoleLevel::Info => LoggingLevel::Info,
        ConsoleLevel::Warn => LoggingLevel::Warning,
        ConsoleLevel::Error => LoggingLevel::Error,
    };
    (Severity::of(level) >= floor?).then(|| {
        let mut message = LoggingMessageNotificationParam::new(level, Value::String(text));
        message.logger = Some(tool.to_owned());
        message
    })
}

/// Sends a message, if there is one.
pub(super) fn send(
    peer: Peer<RoleServer>,
    message: Option<LoggingMessageNotificationParam>,
) -> BoxFuture<'static, Result<(), ServiceFault>> {
    Box::pin(async move {
        if let Some(message) = message {
            // A client that went away cancels the call; until then the handler goes on.
            let _ = peer.notify_logging_message(message).await;
        }
        Ok(())
    })
}
