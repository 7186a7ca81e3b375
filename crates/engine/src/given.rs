//! What handlers find when they start, put there by the program: for whoever tries a tool in a
//! world of its own.

use std::sync::Arc;

use policy::GuardFault;
use serde_json::Value;
use services::tool_kv_prefix;
use store::{BadName, Expected, Expiry, Json, Key, StoreFault};

use crate::desk::Desk;
use crate::room::Room;

/// Why a value could not be put or read.
#[derive(Debug, thiserror::Error)]
pub enum GivenFault {
    #[error(transparent)]
    Name(#[from] BadName),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the value is not JSON that can be kept: {0}")]
    Value(String),
}

impl Desk {
    /// Puts a value where handlers find it with `context.kv`.
    pub async fn give_value(
        &self,
        client: &str,
        key: &str,
        value: &Value,
    ) -> Result<(), GivenFault> {
        let json = Json::of(value).map_err(|bad| GivenFault::Value(bad.to_string()))?;
        let key = key_of(client, key)?;
        self.store().kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        Ok(())
    }

    /// What handlers would find there now.
    pub async fn value_of(&self, client: &str, key: &str) -> Result<Option<Value>, GivenFault> {
        let found = self.store().kv().get(&key_of(client, key)?).await?;
        let value = found.map(|entry| entry.value.to());
        value.transpose().map_err(|bad| GivenFault::Value(bad.to_string()))
    }

    /// Notes ids as though results of `tool` had carried them in this conversation.
    pub async fn give_seen(
        &self,
        room: &Room,
        tool: &str,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<(), GuardFault> {
        self.notes(&room.conversation, room.turn).await?;
        self.change_notes(&room.conversation, room.turn, |notes| {
            Arc::make_mut(&mut notes.seen).entry(tool.to_owned()).or_default().extend(ids);
        });
        Ok(())
    }
}

fn key_of(client: &str, key: &str) -> Result<Key, BadName> {
    format!("{}{key}", tool_kv_prefix(client)).parse()
}
