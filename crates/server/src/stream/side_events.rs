//! What a stream says beside the conversation: keys that change, forms that come and go,
//! questions to the owner.
//!
//! A conversation that somebody reads has one lookout, however many readers there are: it
//! follows the owner's keys and questions, and looks at the tools' conditions at each beat.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::body::Bytes;
use engine::{CallOrigin, SwitchedOff};
use policy::ConversationId;
use serde_json::{Value, json};
use services::{PlaceholderNames, tool_kv_prefix};
use store::{Change, Prefix, StoreFault};
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use crate::fault::HandlerResult;
use crate::routes::approvals::approval_stream::ApprovalFeed;
use crate::routes::tools::features::features_in;
use crate::routes::tools::room;
use crate::state::AppState;
use crate::stream::event::Event;

/// How far a reader may be behind before it is told to read all values again.
const BEHIND_MAX: usize = 64;

/// An event for all readers, as it goes to each; none when nothing more will come.
type Said = Option<Bytes>;

/// The lookouts of all conversations that somebody reads.
#[derive(Default)]
pub(crate) struct SideEvents {
    /// Held for single steps only.
    open: Mutex<BTreeMap<String, Arc<Slot>>>,
}

/// One conversation's lookout, if it has one. Held while it is opened, so that there is
/// never a second.
type Slot = tokio::sync::Mutex<Weak<Watcher>>;

/// Dropped with its last reader, it ends.
struct Watcher {
    said: broadcast::Sender<Said>,
    tasks: [AbortHandle; 3],
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl SideEvents {
    /// Says something to all who read this conversation now.
    pub(crate) async fn tell(&self, id: &ConversationId, event: Event) {
        let slot = self.slots().get(&id.0).cloned();
        let Some(slot) = slot else { return };
        if let Some(lookout) = slot.lock().await.upgrade() {
            // Nobody may be there to hear it.
            let _ = lookout.said.send(Some(event.wire()));
        }
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Slots without a reader are forgotten when another is asked for.
    fn slot(&self, id: &ConversationId) -> Arc<Slot> {
        let mut slots = self.slots();
        let is_used = |slot: &Arc<Slot>| match slot.try_lock() {
            Ok(lookout) => lookout.strong_count() > 0,
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
        if let Some(lookout) = slot.upgrade() {
            return Ok(lookout);
        }
        let lookout = Arc::new(Watcher::open(app, owner, id).await?);
        *slot = Arc::downgrade(&lookout);
        Ok(lookout)
    }
}

impl Watcher {
    async fn open(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<Self> {
        let said = broadcast::channel(BEHIND_MAX).0;
        let keys = tell_keys(app.clone(), owner, id.clone(), said.clone()).await?;
        let room = room(app, owner, Some(&id.0)).await?;
        let seen = Seen::now(app, &room).await?;
        let questions = ApprovalFeed::follow(app, owner).await?;
        let questions = tokio::spawn(tell_questions(questions, said.clone()));
        let features = tokio::spawn(tell_features(app.clone(), origin, seen, said.clone()));
        Ok(Self { said, tasks: [keys, questions.abort_handle(), features.abort_handle()] })
    }
}

/// Follows the owner's keys from here on.
async fn tell_keys(
    app: AppState,
    owner: &str,
    id: ConversationId,
    said: broadcast::Sender<Said>,
) -> Result<AbortHandle, StoreFault> {
    let (home, owner) = (tool_kv_prefix(owner), owner.to_owned());
    let prefix: Prefix =
        home.parse().map_err(|_| StoreFault::Unusable { because: "no such owner".to_owned() })?;
    let kv = app.engine.store().kv();
    let mut feed = kv.watch(&prefix, kv.revision().await?).await?;
    let task = tokio::spawn(async move {
        loop {
            let event = match feed.next().await {
                Ok(change) => Some(told(&app, &owner, &id, &home, &change).await),
                Err(StoreFault::Busy { .. }) => continue,
                Err(StoreFault::Forgotten { .. }) => match again(&app, &prefix).await {
                    Ok(newer) => {
                        feed = newer;
                        Some(Event::custom("reload", json!({})))
                    }
                    Err(_) => None,
                },
                Err(_) => None,
            };
            let over = event.is_none();
            // Between two readers nobody may be there to hear it.
            let _ = said.send(event.as_ref().map(Event::wire));
            if over {
                return;
            }
        }
    });
    Ok(task.abort_handle())
}

async fn again(app: &AppState, prefix: &Prefix) -> Result<store::Feed<Change>, StoreFault> {
    let kv = app.desk.store().kv();
    kv.watch(prefix, kv.revision().await?).await
}

/// A change as the page reads it: with the names of its conversation.
async fn told(
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
        true => match app.engine.names(owner, id).await {
            Ok(names) => names.fill_value(value),
            Err(_) => value,
        },
        false => value,
    };
    let len = value.as_array().map(Vec::len);
    Event::custom("kv_update", json!({ "key": key, "value": value, "len": len }))
}

/// Without it the page reads the list when a person looks at it again.
async fn tell_questions(mut questions: ApprovalFeed, said: broadcast::Sender<Said>) {
    while questions.changed().await.is_ok() {
        let _ = said.send(Some(Event::custom("approvals_changed", json!({})).wire()));
    }
}

/// What a page has to draw anew when it changes.
#[derive(PartialEq)]
struct Seen {
    tools: String,
    off: Vec<SwitchedOff>,
    features: Vec<Value>,
}

impl Seen {
    async fn now(app: &AppState, room: &Room) -> HandlerResult<Self> {
        Ok(Self {
            tools: app.engine.registry().version().to_string(),
            off: app.engine.switched_off().await?,
            features: features_in(app, origin, true).await?,
        })
    }
}

async fn tell_features(app: AppState, room: Room, mut seen: Seen, said: broadcast::Sender<Said>) {
    loop {
        app.condition_clock.beat().await;
        match Seen::now(&app, &room).await {
            Ok(now) if now != seen => {
                seen = now;
                let _ = said.send(Some(Event::custom("features_changed", json!({})).wire()));
            }
            Ok(_) => {}
            Err(fault) => tracing::debug!(?fault, "the conditions could not be looked at"),
        }
    }
}

/// One reader's ear to its conversation's lookout.
pub(crate) struct SideEventReader {
    said: broadcast::Receiver<Said>,
    _lookout: Arc<Watcher>,
}

impl SideEventReader {
    pub(crate) async fn open(
        app: &AppState,
        owner: &str,
        id: &ConversationId,
    ) -> HandlerResult<Self> {
        let lookout = app.side_events.of(app, owner, id).await?;
        Ok(Self { said: lookout.said.subscribe(), _lookout: lookout })
    }

    /// The next thing to say. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Bytes, StoreFault> {
        match self.said.recv().await {
            Ok(Some(event)) => Ok(event),
            Err(broadcast::error::RecvError::Lagged(_)) => {
                Ok(Event::custom("reload", json!({})).wire())
            }
            Ok(None) | Err(broadcast::error::RecvError::Closed) => Err(StoreFault::Closed),
        }
    }
}
