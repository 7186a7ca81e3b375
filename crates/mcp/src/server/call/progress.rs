//! Reports a running handler to its client: chunks and progress as progress notifications,
//! console output as log messages.

use std::sync::{Arc, Mutex, PoisonError};

use contract::Channel;
use policy::{BoxFuture, ServiceFault};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use services::{HandlerEvent, Surface};

use super::collected_chunks::CollectedChunks;
use crate::server::session::logging::{self, Severity};

/// The surface of one call. Sends progress only with a progress token, and console output only
/// from `log_floor` on.
pub(crate) struct ProgressSurface {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    log_floor: Option<Severity>,
    tool: String,
    chunks: CollectedChunks,
    /// Progress so far in percent; MCP requires every notification to increase it.
    so_far: Arc<Mutex<f64>>,
}

/// Progress is reported in percent.
const WHOLE: f64 = 100.0;
/// How much a chunk increases it, since a chunk says nothing about progress.
const STEP: f64 = 0.001;

impl ProgressSurface {
    pub(crate) fn new(
        peer: Peer<RoleServer>,
        token: Option<ProgressToken>,
        log_floor: Option<Severity>,
        tool: &str,
        chunks: CollectedChunks,
    ) -> Self {
        let tool = tool.to_owned();
        Self { peer, token, log_floor, tool, chunks, so_far: Arc::default() }
    }

    fn advance(&self, to: Option<f64>) -> f64 {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        *so_far = to.unwrap_or_default().max(*so_far + STEP);
        *so_far
    }
}

impl Surface for ProgressSurface {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        let (fraction, text) = match event {
            HandlerEvent::Chunk(chunk) => {
                self.chunks.add(&chunk);
                match chunk.channel {
                    Channel::Assistant | Channel::System => (None, Some(chunk.text)),
                    // For the model only, but clients show progress to people.
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
            // A disconnected client cancels the call; until then the handler continues.
            let _ = peer.notify_progress(notice).await;
            Ok(())
        })
    }
}
