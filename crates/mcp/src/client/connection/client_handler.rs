//! Handles what a server sends unasked: progress, list changes and questions.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    ErrorData, Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::mpsc;

use super::elicitation::answer;
use crate::client::server_config::ElicitationPolicy;

/// Accepts progress, tool list changes and elicitation; rejects everything else.
#[derive(Clone)]
pub(crate) struct McpClientHandler(Arc<HandlerState>);

struct HandlerState {
    questions: ElicitationPolicy,
    progress: Mutex<Progress>,
    changed: AtomicBool,
}

#[derive(Default)]
struct Progress {
    calls: HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>,
    /// Progress that arrived before its call was registered.
    early: VecDeque<ProgressNotificationParam>,
}

const EARLY_MAX: usize = 64;
/// Further reports are dropped until these are read.
const WAITING_MAX: usize = 64;

impl McpClientHandler {
    pub(crate) fn new(questions: ElicitationPolicy) -> Self {
        let (progress, changed) = (Mutex::default(), AtomicBool::new(false));
        Self(Arc::new(HandlerState { questions, progress, changed }))
    }

    /// Receives the progress of one call.
    pub(crate) fn listen(&self, token: ProgressToken) -> ProgressReceiver {
        let (sender, events) = mpsc::channel(WAITING_MAX);
        let mut progress = self.lock();
        for early in progress.early.iter().filter(|early| early.progress_token == token) {
            let _ = sender.try_send(early.clone());
        }
        progress.early.retain(|early| early.progress_token != token);
        progress.calls.insert(token.clone(), sender);
        drop(progress);
        ProgressReceiver { handler: self.clone(), token, events }
    }

    /// Passes on a progress report.
    pub(crate) fn deliver_progress(&self, report: ProgressNotificationParam) {
        let mut progress = self.lock();
        match progress.calls.get(&report.progress_token) {
            Some(call) => {
                // A full channel drops the report.
                let _ = call.try_send(report);
            }
            None => {
                if progress.early.len() >= EARLY_MAX {
                    progress.early.pop_front();
                }
                progress.early.push_back(report);
            }
        }
    }

    /// Whether the tool list has changed since the last call of this function.
    pub(crate) fn take_changed(&self) -> bool {
        self.0.changed.swap(false, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives the progress of one call until dropped.
pub(crate) struct ProgressReceiver {
    handler: McpClientHandler,
    token: ProgressToken,
    pub events: mpsc::Receiver<ProgressNotificationParam>,
}

impl Drop for ProgressReceiver {
    fn drop(&mut self) {
        self.handler.lock().calls.remove(&self.token);
    }
}

impl ClientHandler for McpClientHandler {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("ghosthand", env!("CARGO_PKG_VERSION"));
        let mut able = ClientCapabilities::default();
        if self.0.questions == ElicitationPolicy::AcceptDefaults {
            able.elicitation = Some(ElicitationCapability::new().with_form(Default::default()));
        }
        let mut info = ClientConfig::new(able, me);
        // The newest version that still has `initialize`.
        info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        info
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(answer(self.0.questions, &asked))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.changed.store(true, Ordering::Relaxed);
    }
}
