//! Our side of a connection: what a server may tell us without being asked.

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

use super::neighbour::Questions;
use super::questions::answer;

/// Hears progress, changes of the tool list and questions; everything else is refused.
#[derive(Clone)]
pub(super) struct Ear(Arc<Heard>);

struct Heard {
    questions: Questions,
    progress: Mutex<Progress>,
    changed: AtomicBool,
}

#[derive(Default)]
struct Progress {
    calls: HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>,
    /// What came before its call was known here.
    early: VecDeque<ProgressNotificationParam>,
}

const EARLY_MAX: usize = 64;
/// A server that reports faster than anybody reads loses reports.
const WAITING_MAX: usize = 64;

impl Ear {
    pub(super) fn new(questions: Questions) -> Self {
        let (progress, changed) = (Mutex::default(), AtomicBool::new(false));
        Self(Arc::new(Heard { questions, progress, changed }))
    }

    /// Everything that is said about one call.
    pub(super) fn listen(&self, token: ProgressToken) -> Listening {
        let (sender, events) = mpsc::channel(WAITING_MAX);
        let mut progress = self.lock();
        for early in progress.early.iter().filter(|early| early.progress_token == token) {
            let _ = sender.try_send(early.clone());
        }
        progress.early.retain(|early| early.progress_token != token);
        progress.calls.insert(token.clone(), sender);
        drop(progress);
        Listening { ear: self.clone(), token, events }
    }

    /// A report of progress.
    pub(super) fn hear(&self, said: ProgressNotificationParam) {
        let mut progress = self.lock();
        match progress.calls.get(&said.progress_token) {
            Some(call) => {
                // One that is full has enough to read.
                let _ = call.try_send(said);
            }
            None => {
                if progress.early.len() >= EARLY_MAX {
                    progress.early.pop_front();
                }
                progress.early.push_back(said);
            }
        }
    }

    /// Whether the list of tools changed since this was asked last.
    pub(super) fn take_changed(&self) -> bool {
        self.0.changed.swap(false, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The progress of one call, until it is dropped.
pub(super) struct Listening {
    ear: Ear,
    token: ProgressToken,
    pub events: mpsc::Receiver<ProgressNotificationParam>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.ear.lock().calls.remove(&self.token);
    }
}

impl ClientHandler for Ear {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("ghosthand", env!("CARGO_PKG_VERSION"));
        let mut able = ClientCapabilities::default();
        if self.0.questions == Questions::Proposed {
            able.elicitation = Some(ElicitationCapability::new().with_form(Default::default()));
        }
        let mut info = ClientConfig::new(able, me);
        // The newest revision that has an `initialize` to name it in.
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
