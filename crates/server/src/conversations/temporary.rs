//! Temporary conversations: deleted, with everything stored for them, when their person leaves.
//!
//! A person is there while a stream of the conversation is open. Must hold: a conversation that
//! nobody has followed for `temporary_idle` is deleted; so are all of them when a server stops,
//! and those that a killed server left behind when the next one starts. A conversation that somebody
//! follows at another server of the store becomes that server's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use conversation::ConversationFault;
use policy::ConversationId;

use crate::conversations::conversation_index::ConversationSummary;
use crate::conversations::turns::Slot;
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

/// Who is in the temporary conversations of this server.
#[derive(Default)]
pub(crate) struct Temporary {
    open: Arc<Open>,
}

/// Never held across an await.
type Open = Mutex<BTreeMap<String, Presence>>;

struct Presence {
    owner: String,
    readers: usize,
    /// When the last reader left, or until when the first one has time to come.
    left: Instant,
}

/// How long the first reader of a new conversation may take.
const ARRIVAL: Duration = Duration::from_secs(60);

/// Somebody follows the conversation until this is dropped.
pub(crate) struct Reader {
    id: String,
    open: Arc<Open>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(presence) = lock(&self.open).get_mut(&self.id) {
            presence.readers = presence.readers.saturating_sub(1);
            presence.left = Instant::now();
        }
    }
}

impl Temporary {
    pub(crate) fn begin(&self, owner: &str, id: &ConversationId) {
        let left = Instant::now() + ARRIVAL;
        let presence = Presence { owner: owner.to_owned(), readers: 0, left };
        lock(&self.open).insert(id.0.clone(), presence);
    }

    pub(crate) fn has(&self, id: &ConversationId) -> bool {
        lock(&self.open).contains_key(&id.0)
    }

    /// Somebody comes; none if the conversation is not temporary.
    pub(crate) fn enter(&self, id: &ConversationId) -> Option<Reader> {
        let mut open = lock(&self.open);
        open.get_mut(&id.0)?.readers += 1;
        Some(Reader { id: id.0.clone(), open: Arc::clone(&self.open) })
    }

    fn forget(&self, id: &ConversationId) {
        lock(&self.open).remove(&id.0);
    }

    /// The conversations that nobody has followed for so long, with their owners.
    fn left_for(&self, idle: Duration, now: Instant) -> Vec<(String, ConversationId)> {
        let is_left = |presence: &Presence| {
            presence.readers == 0
                && now.checked_duration_since(presence.left).is_some_and(|since| since >= idle)
        };
        let open = lock(&self.open);
        let left = open.iter().filter(|(_, presence)| is_left(presence));
        left.map(|(id, presence)| (presence.owner.clone(), ConversationId(id.clone()))).collect()
    }

    fn all(&self) -> Vec<(String, ConversationId)> {
        let open = lock(&self.open);
        let all = open.iter();
        all.map(|(id, presence)| (presence.owner.clone(), ConversationId(id.clone()))).collect()
    }
}

fn lock(open: &Open) -> MutexGuard<'_, BTreeMap<String, Presence>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes conversations that people have left, until it is dropped.
pub(crate) async fn sweep(app: &AppState) -> std::convert::Infallible {
    let idle = app.limits.temporary_idle;
    let pause = (idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(30));
    loop {
        tokio::time::sleep(pause).await;
        for (owner, id) in app.temporary.left_for(idle, Instant::now()) {
            if has_moved(app, &owner, &id).await {
                app.temporary.forget(&id);
                continue;
            }
            // A turn that still runs for nobody ends first; the next round deletes the rest.
            app.turns.stop(&id);
            if let Ok(slot) = app.turns.reserve(&id).await {
                end(app, &owner, &id, slot).await;
            }
        }
    }
}

/// Deletes a conversation at once; a running turn is stopped. Goes on if the client disconnects.
pub(crate) async fn end_now(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<()> {
    let (app, owner, id) = (app.clone(), owner.to_owned(), id.clone());
    let ending = tokio::spawn(async move {
        let slot = app.turns.reserve_stopped(&id).await?;
        erase(&app, &owner, &id).await?;
        drop(slot);
        Ok(())
    });
    ending.await.map_err(|fault| Fault::ours(&fault))?
}

/// Deletes what a server left behind that had no time to do it.
pub(crate) async fn end_left_behind(app: &AppState) {
    let left = match app.index.temporary().await {
        Ok(left) => left,
        Err(fault) => {
            tracing::warn!(?fault, "cannot look for temporary conversations");
            return;
        }
    };
    for (owner, line) in left {
        let is_elsewhere = match &line.served_by {
            Some(node) => app.cluster.is_alive(node).await.unwrap_or(true),
            None => false,
        };
        if is_elsewhere {
            continue;
        }
        report(erase(app, &owner, &ConversationId(line.id)).await);
    }
}

/// Deletes all of them; the server stops, and no turn runs any more.
pub(crate) async fn end_all(app: &AppState) {
    for (owner, id) in app.temporary.all() {
        if has_moved(app, &owner, &id).await {
            continue;
        }
        report(erase(app, &owner, &id).await);
    }
}

/// Somebody follows the conversation at another server, which deletes it later.
async fn has_moved(app: &AppState, owner: &str, id: &ConversationId) -> bool {
    let line = app.index.line(owner, &id.0).await;
    line.is_ok_and(|line| !app.index.is_served_here(&line))
}

/// Somebody follows a conversation here. If it is temporary, this server deletes it later.
pub(crate) async fn move_here(
    app: &AppState,
    owner: &str,
    line: &ConversationSummary,
) -> HandlerResult<()> {
    if !line.temporary || app.index.is_served_here(line) {
        return Ok(());
    }
    app.index.serve_here(owner, &line.id).await?;
    app.temporary.begin(owner, &ConversationId(line.id.clone()));
    Ok(())
}

async fn end(app: &AppState, owner: &str, id: &ConversationId, slot: Slot) {
    report(erase(app, owner, id).await);
    drop(slot);
}

/// The line in the index goes last, so that what is interrupted is found and done again.
async fn erase(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<()> {
    match app.conversations.erase(id).await {
        Ok(()) | Err(ConversationFault::NotFound(_)) => {}
        Err(fault) => return Err(fault.into()),
    }
    match app.index.remove(owner, &id.0).await {
        Err(fault) if fault != Fault::no_conversation() => return Err(fault),
        _ => {}
    }
    app.temporary.forget(id);
    Ok(())
}

fn report(ended: HandlerResult<()>) {
    if let Err(fault) = ended {
        tracing::warn!(?fault, "cannot delete a temporary conversation yet");
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use policy::ConversationId;

    use super::{ARRIVAL, Temporary};

    #[test]
    fn a_conversation_is_left_when_its_last_reader_has_been_gone_long_enough() {
        let (all, id) = (Temporary::default(), ConversationId("a".to_owned()));
        let idle = Duration::from_secs(300);
        let is_left = |after: Duration| !all.left_for(idle, Instant::now() + after).is_empty();
        assert!(all.enter(&id).is_none(), "it is not temporary");
        all.begin("ana", &id);
        assert!(!is_left(idle), "the first reader may still come");
        assert!(is_left(idle + ARRIVAL));
        let (first, second) = (all.enter(&id), all.enter(&id));
        drop(first);
        assert!(!is_left(idle * 9), "one is still there");
        drop(second);
        assert!(!is_left(idle / 2) && is_left(idle));
        all.forget(&id);
        assert!(!is_left(idle) && !all.has(&id));
    }
}
