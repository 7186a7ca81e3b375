//! Sends a handler's console output to its client as log messages.
//!
//! The protocol has deprecated this; clients that ask for it still get it.

#![expect(deprecated, reason = "current clients use it")]

use policy::{BoxFuture, ServiceFault};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestMethod, SetLevelRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::Value;
use services::ConsoleLevel;

use crate::server::mcp_server::McpServer;
use crate::server::protocol_version::Protocol;

pub(crate) type SetLevel = SetLevelRequestParams;

/// The severity of a message, from 0 (`debug`) to 7 (`emergency`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Severity(u8);

/// The default for session-based clients.
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

impl McpServer {
    /// Sets the log level of this session.
    pub(crate) fn set_log_level(
        &self,
        request: &SetLevel,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Protocol::of(context) == Protocol::Stateless {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.1.set_severity(Severity::of(request.level));
        Ok(())
    }

    /// The lowest severity that the caller receives. In the stateless protocol the request sets
    /// it, or receives nothing.
    pub(crate) fn log_floor(&self, context: &RequestContext<RoleServer>) -> Option<Severity> {
        match Protocol::of(context) {
            Protocol::Stateless => context.meta.log_level().map(Severity::of),
            Protocol::SessionBased => Some(self.1.severity().unwrap_or(USUAL)),
        }
    }
}

/// A console line as a log message, if it is severe enough.
pub(crate) fn message(
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
pub(crate) fn send(
    peer: Peer<RoleServer>,
    message: Option<LoggingMessageNotificationParam>,
) -> BoxFuture<'static, Result<(), ServiceFault>> {
    Box::pin(async move {
        if let Some(message) = message {
            // A disconnected client cancels the call; until then the handler continues.
            let _ = peer.notify_logging_message(message).await;
        }
        Ok(())
    })
}
