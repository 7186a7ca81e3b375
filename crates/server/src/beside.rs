//! What a stream says beside the conversation: keys that change, forms that come and go.

use std::time::Duration;

use engine::{Room, tool_keys};
use policy::ConversationId;
use serde_json::{Value, json};
use store::{Change, Feed, Prefix, StoreFault};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::app::App;
use crate::fault::Answer;
use crate::forms::features_in;
use crate::frame::Event;
use crate::tools::room;

/// How often the conditions of tools are looked at.
const BEAT: Duration = Duration::from_secs(1);

/// One reader's watch over the owner's keys and the forms of its conversation.
pub(crate) struct Beside {
    app: App,
    home: String,
    prefix: Prefix,
    keys: Feed<Change>,
    room: Room,
    features: Vec<Value>,
    beat: Interval,
}

impl Beside {
    pub(crate) async fn open(app: &App, owner: &str, id: &ConversationId) -> Answer<Self> {
        let home = tool_keys(owner);
        let prefix: Prefix = home.parse()?;
        let kv = app.desk.store().kv();
        let keys = kv.watch(&prefix, kv.revision().await?).await?;
        let room = room(app, owner, Some(&id.0)).await?;
        let features = features_in(app, &room).await?;
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self { app: app.clone(), home, prefix, keys, room, features, beat })
    }

    /// The next thing to say. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Event, StoreFault> {
        loop {
            tokio::select! {
                change = self.keys.next() => match change {
                    Ok(change) => return Ok(self.told(&change)),
                    Err(StoreFault::Busy { .. }) => {}
                    Err(StoreFault::Forgotten { .. }) => {
                        let kv = self.app.desk.store().kv();
                        self.keys = kv.watch(&self.prefix, kv.revision().await?).await?;
                        return Ok(Event::custom("reload", json!({})));
                    }
                    Err(fault) => return Err(fault),
                },
                _ = self.beat.tick() => {
                    if self.have_features_changed().await {
                        return Ok(Event::custom("features_changed", json!({})));
                    }
                }
            }
        }
    }

    async fn have_features_changed(&mut self) -> bool {
        match features_in(&self.app, &self.room).await {
            Ok(now) if now != self.features => {
                self.features = now;
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    fn told(&self, change: &Change) -> Event {
        let key = change.key().as_str().strip_prefix(&self.home).unwrap_or_default();
        let value = match change {
            Change::Set(entry) => entry.value.to::<Value>().unwrap_or_default(),
            Change::Deleted { .. } => Value::Null,
        };
        let len = value.as_array().map(Vec::len);
        Event::custom("kv_update", json!({ "key": key, "value": value, "len": len }))
    }
}
