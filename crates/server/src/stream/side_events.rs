//! Events beside the conversation: changed keys, changed forms, questions to the owner.
//!
//! A conversation with readers has one watcher, however many readers there are. It follows the
//! owner's keys and questions, and looks at the tools' conditions on schedule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::body::Bytes;
use contract::Digest;
use engine::CallOrigin;
use policy::ConversationId;
use serde_json::{Value, json};
use services::{PlaceholderNames, tool_kv_prefix};
use store::{Change, Prefix, StoreFault};
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use crate::fault::HandlerResult;
use crate::routes::approvals::approval_stream::OpenQuestions;
use crate::routes::tools::origin;
use crate::state::AppState;
use crate::stream::condition_state::{self, SharedState};
use crate::stream::event::Event;

/// How far a reader may be behind before it has to reload.
const BEHIND_MAX: usize = 64;

/// An encoded event for all readers; none when nothing follows.
type EncodedEvent = Option<Bytes>;

/// The watchers of all conversations with readers.
#[derive(Default)]
pub(crate) struct SideEvents {
    /// Never held across an await.
    open: Mutex<BTreeMap<String, Arc<Slot>>>,
}

/// One conversation's watcher, if it has one. Locked while it is opened, so that there is only
/// one.
type Slot = tokio::sync::Mutex<Weak<Watcher>>;

/// Ends when its last reader is dropped.
struct Watcher {
    sender: broadcast::Sender<EncodedEvent>,
    tasks: [AbortHandle; 3],
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl SideEvents {
    /// Sends an event to all readers of this conversation.
    pub(crate) async fn send(&self, id: &ConversationId, event: Event) {
        let slot = self.slots().get(&id.0).cloned();
        let Some(slot) = slot else { return };
        if let Some(watcher) = slot.lock().await.upgrade() {
            // There may be no reader.
            let _ = watcher.sender.send(Some(event.wire()));
        }
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes slots without readers.
    fn slot(&self, id: &ConversationId) -> Arc<Slot> {
        let mut slots = self.slots();
        let is_used = |slot: &Arc<Slot>| match slot.try_lock() {
            Ok(watcher) => watcher.strong_count() > 0,
            Err(_) => true,
        };
        slots.retain(|_, slot| Arc::strong_count(slot) > 1 || is_used(slot));
        Arc::clone(slots.entry(id.0.clone()).or_default())
    }

    async fn of(
        &self,
        app: &AppState,
        owner: &str,
        id: &ConversationId,
    ) -> HandlerResult<Arc<Watcher>> {
        let slot = self.slot(id);
        let mut slot = slot.lock().await;
        if let Some(watcher) = slot.upgrade() {
            return Ok(watcher);
        }
        let watcher = Arc::new(Watcher::open(app, owner, id).await?);
        *slot = Arc::downgrade(&watcher);
        Ok(watcher)
    }
}

impl Watcher {
    async fn open(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<Self> {
        let sender = broadcast::channel(BEHIND_MAX).0;
        let keys = watch_keys(app.clone(), owner, id.clone(), sender.clone()).await?;
        let origin = origin(app, owner, Some(&id.0)).await?;
        let last = condition_state::evaluate(app, &origin).await?;
        let questions = OpenQuestions::follow(app, owner).await?;
        let questions = tokio::spawn(watch_questions(questions, sender.clone()));
        let features = tokio::spawn(watch_features(app.clone(), origin, last, sender.clone()));
        Ok(Self { sender, tasks: [keys, questions.abort_handle(), features.abort_handle()] })
    }
}

/// Follows the owner's keys from now on.
async fn watch_keys(
    app: AppState,
    owner: &str,
    id: ConversationId,
    sender: broadcast::Sender<EncodedEvent>,
) -> Result<AbortHandle, StoreFault> {
    let (home, owner) = (tool_kv_prefix(owner), owner.to_owned());
    let prefix: Prefix =
        home.parse().map_err(|_| StoreFault::Unusable { because: "no such owner".to_owned() })?;
    let kv = app.engine.store().kv();
    let mut feed = kv.watch(&prefix, kv.revision().await?).await?;
    let task = tokio::spawn(async move {
        loop {
            let event = match feed.next().await {
                Ok(change) => Some(key_event(&app, &owner, &id, &home, &change).await),
                Err(StoreFault::Busy { .. }) => continue,
                Err(StoreFault::Forgotten { .. }) => match watch_again(&app, &prefix).await {
                    Ok(newer) => {
                        feed = newer;
                        Some(Event::custom("reload", json!({})))
                    }
                    Err(_) => None,
                },
                Err(_) => None,
            };
            let over = event.is_none();
            // There may be no reader.
            let _ = sender.send(event.as_ref().map(Event::wire));
            if over {
                return;
            }
        }
    });
    Ok(task.abort_handle())
}

async fn watch_again(
    app: &AppState,
    prefix: &Prefix,
) -> Result<store::Subscription<Change>, StoreFault> {
    let kv = app.engine.store().kv();
    kv.watch(prefix, kv.revision().await?).await
}

/// A changed key for the page, with the conversation's placeholders filled in.
async fn key_event(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    home: &str,
    change: &Change,
) -> Event {
    let key = change.key().as_str().strip_prefix(home).unwrap_or_default();
    let value = match change {
        Change::Set(entry) => entry.value.to::<Value>().unwrap_or_default(),
        Change::Deleted { .. } => Value::Null,
    };
    let value = match PlaceholderNames::may_be_in(&value.to_string()) {
        true => match services::names_in(app.engine.store(), owner, id).await {
            Ok(names) => names.fill_value(value),
            Err(_) => value,
        },
        false => value,
    };
    let len = value.as_array().map(Vec::len);
    Event::custom("kv_update", json!({ "key": key, "value": value, "len": len }))
}

/// If this fails, the page reads the list when a person opens it.
async fn watch_questions(mut questions: OpenQuestions, sender: broadcast::Sender<EncodedEvent>) {
    while questions.changed().await.is_ok() {
        let _ = sender.send(Some(Event::custom("approvals_changed", json!({})).wire()));
    }
}

async fn watch_features(
    app: AppState,
    origin: CallOrigin,
    mut last: Digest,
    sender: broadcast::Sender<EncodedEvent>,
) {
    let mut shared = SharedState::default();
    loop {
        app.condition_clock.tick().await;
        match shared.now(&app, &origin).await {
            Ok(now) if now != last => {
                last = now;
                let _ = sender.send(Some(Event::custom("features_changed", json!({})).wire()));
            }
            Ok(_) => {}
            Err(fault) => tracing::debug!(?fault, "cannot evaluate the conditions of tools"),
        }
    }
}

/// One reader of its conversation's watcher.
pub(crate) struct SideEventReader {
    events: broadcast::Receiver<EncodedEvent>,
    _watcher: Arc<Watcher>,
}

impl SideEventReader {
    pub(crate) async fn open(
        app: &AppState,
        owner: &str,
        id: &ConversationId,
    ) -> HandlerResult<Self> {
        let watcher = app.side_events.of(app, owner, id).await?;
        Ok(Self { events: watcher.sender.subscribe(), _watcher: watcher })
    }

    /// The next event. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Bytes, StoreFault> {
        match self.events.recv().await {
            Ok(Some(event)) => Ok(event),
            Err(broadcast::error::RecvError::Lagged(_)) => {
                Ok(Event::custom("reload", json!({})).wire())
            }
            Ok(None) | Err(broadcast::error::RecvError::Closed) => Err(StoreFault::Closed),
        }
    }
}
