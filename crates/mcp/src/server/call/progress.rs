//! What a handler says while it runs, as progress of the client's request and as its log.

use std::sync::{Arc, Mutex, PoisonError};

use contract::Channel;
use policy::{BoxFuture, ServiceFault};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use services::{HandlerEvent, Surface};

use super::logging::{self, Severity};
use super::told::Told;

/// The surface of one call. Without a token nobody wants to hear of progress, and below
/// the floor nobody wants to hear the console.
pub(super) struct Voice {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    log_floor: Option<Severity>,
    tool: String,
    told: Told,
    /// How far the call is, in percent. Every notification must say more than the last.
    so_far: Arc<Mutex<f64>>,
}

/// Progress is told in percent.
const WHOLE: f64 = 100.0;
/// What a chunk of text adds: it says nothing about how far the call is.
const STEP: f64 = 0.001;

impl Voice {
    pub(super) fn new(
        peer: Peer<RoleServer>,
        token: Option<ProgressToken>,
        log_floor: Option<Severity>,
        tool: &str,
        told: Told,
    ) -> Self {
        let tool = tool.to_owned();
        Self { peer, token, log_floor, tool, told, so_far: Arc::default() }
    }

    fn advance(&self, to: Option<f64>) -> f64 {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        *so_far = to.unwrap_or_default().max(*so_far + STEP);
        *so_far
    }
}

impl Surface for Voice {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        let (fraction, text) = match event {
            HandlerEvent::Chunk(chunk) => {
                self.told.add(&chunk);
                match chunk.channel {
                    Channel::Assistant | Channel::System => (None, Some(chunk.text)),
                    // For a model alone; progress is shown to people.
                    Channel::Context => return Box::pin(async { Ok(()) }),
                }
            }
            HandlerEvent::Progress { fraction, note } => (Some(fraction), note),
            HandlerEvent::Console { level, text } => {
                let message = logging::message(self.log_floor, &self.tool, level, text);
                return logging::send(self.peer.clone(), message);
            }
            HandlerEvent::Message(_) | HandlerEvent::Audit { .. } => {
                return Box::pin(async { Ok(()) });
            }
        };
        let Some(token) = self.token.clone() else { return Box::pin(async { Ok(()) }) };
        let progress = self.advance(fraction.map(|fraction| fraction * WHOLE));
        let mut notice = ProgressNotificationParam::new(token, progress);
        notice.total = fraction.map(|_| WHOLE);
        notice.message = text;
        let peer = self.peer.clone();
        Box::pin(async move {
            // A client that went away cancels the call; until then the handler goes on.
            let _ = peer.notify_progress(notice).await;
            Ok(())
        })
    }
}
