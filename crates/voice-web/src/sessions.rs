//! The sessions of a server, by name, with a limit for each owner.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::VoiceLimits;
use crate::live_session::LiveSession;
use crate::protocol::Refusal;

type ByName = BTreeMap<String, Arc<LiveSession>>;

pub(crate) struct Sessions {
    limits: VoiceLimits,
    /// Never held across an await.
    open: Mutex<ByName>,
    count: watch::Sender<usize>,
}

impl Sessions {
    pub(crate) fn new(limits: VoiceLimits) -> Self {
        Self { limits, open: Mutex::default(), count: watch::channel(0).0 }
    }

    /// The owner's session of this name.
    pub(crate) fn named(&self, owner: &str, name: &str) -> Option<Arc<LiveSession>> {
        self.lock().get(name).filter(|session| session.owner == owner).cloned()
    }

    /// The session in a conversation of an owner.
    pub(crate) fn within(&self, owner: &str, conversation: &str) -> Option<Arc<LiveSession>> {
        let is_it = |session: &&Arc<LiveSession>| {
            session.owner == owner && session.conversation == conversation
        };
        self.lock().values().find(is_it).cloned()
    }

    pub(crate) fn add(&self, session: &Arc<LiveSession>) -> Result<(), Refusal> {
        let mut open = self.lock();
        let of_owner = open.values().filter(|one| one.owner == session.owner).count();
        if open.len() >= self.limits.sessions_max || of_owner >= self.limits.sessions_per_owner_max
        {
            let fix = "end one of them, and try again";
            return Err(Refusal::new("too_many", "too many voice sessions are open", fix));
        }
        open.insert(session.name.clone(), Arc::clone(session));
        self.count.send_replace(open.len());
        Ok(())
    }

    pub(crate) fn remove(&self, session: &LiveSession) {
        let mut open = self.lock();
        open.remove(&session.name);
        self.count.send_replace(open.len());
    }

    /// Waits until a session has ended; false if it has not within this time.
    pub(crate) async fn has_left(&self, name: &str, time_max: Duration) -> bool {
        let mut count = self.count.subscribe();
        let gone = count.wait_for(|_| !self.lock().contains_key(name));
        tokio::time::timeout(time_max, gone).await.is_ok()
    }

    /// Ends every session; its words are in the log of its conversation.
    pub(crate) async fn shut_down(&self, time_max: Duration) {
        self.lock().values().for_each(|session| session.hang_up());
        let mut count = self.count.subscribe();
        let ended = count.wait_for(|count| *count == 0);
        if tokio::time::timeout(time_max, ended).await.is_err() {
            tracing::warn!("voice sessions still run at shutdown; the next server goes on");
        }
    }

    fn lock(&self) -> MutexGuard<'_, ByName> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
