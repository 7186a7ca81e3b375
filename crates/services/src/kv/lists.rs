//! List operations and key queries, as in Ghostpad's `kv_store`.

use std::sync::Arc;

use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Expiry, Json, ListEdit};

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::kv::{self, stored_key, to_service_fault, written_key};
use crate::permissions::Service;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OfKey {
    key: String,
    #[serde(default, rename = "conversationId")]
    _conversation: Option<String>,
}

pub(crate) async fn exists(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let OfKey { key, .. } = arguments::parse(Service::KvExists, args)?;
    let stored = stored_key(&run, &key)?;
    let found =
        run.grant.store.kv().get(&stored).await.map_err(|fault| to_service_fault(&key, &fault))?;
    Ok(Value::Bool(found.is_some()))
}

pub(crate) async fn len(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let OfKey { key, .. } = arguments::parse(Service::KvLen, args)?;
    let stored = stored_key(&run, &key)?;
    let len =
        run.grant.store.kv().llen(&stored).await.map_err(|fault| to_service_fault(&key, &fault))?;
    Ok(json!(len))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Range {
    key: String,
    start: i64,
    stop: i64,
    #[serde(default, rename = "conversationId")]
    conversation: Option<String>,
}

pub(crate) async fn range(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Range { key, start, stop, conversation } = arguments::parse(Service::KvRange, args)?;
    let stored = stored_key(&run, &key)?;
    let found = run.grant.store.kv().lrange(&stored, start, stop).await;
    let items: Result<Vec<Value>, _> =
        found.map_err(|fault| to_service_fault(&key, &fault))?.iter().map(kv::value_of).collect();
    run.filled(Value::Array(items?), conversation.as_deref()).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    prefix: Option<String>,
    #[serde(default, rename = "conversationId")]
    _conversation: Option<String>,
}

/// The names of the keys, without their values.
pub(crate) async fn keys(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Keys { prefix, .. } = arguments::parse(Service::KvKeys, args)?;
    let listed = kv::list(run, json!({ "prefix": prefix.unwrap_or_default() })).await?;
    let names = listed.as_array().into_iter().flatten().filter_map(|item| item.get("key").cloned());
    Ok(Value::Array(names.collect()))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Edit {
    key: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    index: i64,
    #[serde(default, rename = "conversationId")]
    _conversation: Option<String>,
}

/// An operation on a list.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    PushLeft,
    PushRight,
    PopLeft,
    PopRight,
    RemoveAt,
}

/// A push returns the new length, a pop the value, a removal whether the item existed.
pub(crate) async fn edit(
    run: Arc<RunState>,
    service: Service,
    change: Change,
    args: Value,
) -> Result<Value, ServiceFault> {
    let Edit { key, value, index, .. } = arguments::parse(service, args)?;
    let stored = written_key(&run, &key)?;
    let bytes = kv::checked_bytes(&run, &value)?;
    if let Some(name) = run.redactor.found_in_value(&value).or(run.redactor.found_in(&key)) {
        let what = format!("the value for `{key}` contains the secret `{name}`; it is not stored");
        return Err(FaultCode::NotAllowed.fault(what));
    }
    let item = Json::of(&value)
        .map_err(|bad| FaultCode::BadRequest.fault(format!("the value is {bad}")))?;
    match change {
        Change::PushLeft | Change::PushRight => {
            kv::check_quota(&run, &stored, bytes).await?;
            kv::note_key(&run, &key, &stored, Expiry::Never).await?;
        }
        Change::PopLeft | Change::PopRight | Change::RemoveAt => {}
    }
    let edit = match change {
        Change::PushLeft => ListEdit::PushLeft(vec![item]),
        Change::PushRight => ListEdit::PushRight(vec![item]),
        Change::PopLeft => ListEdit::PopLeft,
        Change::PopRight => ListEdit::PopRight,
        Change::RemoveAt => ListEdit::RemoveAt(index),
    };
    let effect = run.effects.begin_write();
    let edited = run.grant.store.kv().edit_list(&stored, edit).await.map_err(|fault| {
        if kv::nothing_was_written(&fault) {
            effect.did_not_happen();
        }
        to_service_fault(&key, &fault)
    })?;
    match change {
        Change::PushLeft | Change::PushRight => Ok(json!(edited.len)),
        Change::PopLeft | Change::PopRight => match &edited.taken {
            Some(taken) => kv::value_of(taken),
            None => Ok(Value::Null),
        },
        Change::RemoveAt => Ok(Value::Bool(edited.taken.is_some())),
    }
}
