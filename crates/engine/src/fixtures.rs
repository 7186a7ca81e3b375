//! What handlers find when they start, put there by the program: for whoever tries a tool in a
//! world of its own.

use std::sync::Arc;

use policy::GuardFault;
use serde_json::Value;
use services::tool_kv_prefix;
use store::{BadName, Expected, Expiry, Json, Key, StoreFault};

use crate::call::origin::CallOrigin;
use crate::engine::Engine;

/// Why a value could not be put or read.
#[derive(Debug, thiserror::Error)]
pub enum FixtureFault {
    #[error(transparent)]
    Name(#[from] BadName),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the value is not JSON that can be kept: {0}")]
    Value(String),
}

impl Engine {
    /// Puts a value where handlers find it with `context.kv`.
    pub async fn set_fixture(
        &self,
        client: &str,
        key: &str,
        value: &Value,
    ) -> Result<(), FixtureFault> {
        let json = Json::of(value).map_err(|bad| FixtureFault::Value(bad.to_string()))?;
        let key = key_of(client, key)?;
        self.store().kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        Ok(())
    }

    /// What handlers would find there now.
    pub async fn fixture_value(
        &self,
        client: &str,
        key: &str,
    ) -> Result<Option<Value>, FixtureFault> {
        let found = self.store().kv().get(&key_of(client, key)?).await?;
        let value = found.map(|entry| entry.value.to());
        value.transpose().map_err(|bad| FixtureFault::Value(bad.to_string()))
    }

    /// Notes ids as though results of `tool` had carried them in this conversation.
    pub async fn set_seen_ids(
        &self,
        origin: &CallOrigin,
        tool: &str,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<(), GuardFault> {
        self.session(&origin.conversation, origin.turn).await?;
        self.update_session(&origin.conversation, origin.turn, |session| {
            Arc::make_mut(&mut session.seen).entry(tool.to_owned()).or_default().extend(ids);
        });
        Ok(())
    }
}

fn key_of(client: &str, key: &str) -> Result<Key, BadName> {
    format!("{}{key}", tool_kv_prefix(client)).parse()
}
