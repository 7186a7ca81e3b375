//! Keys and values of tools, below a prefix for each owner in the store.

pub mod conversation_keys;
pub(crate) mod lists;
pub(crate) mod quota;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{
    BadName, Expected, Expiry, Json, Key, KvEntry, PageRequest, Prefix, Revision, StoreFault,
};

use self::quota::QuotaFault;
use crate::fault::FaultCode;
use crate::grant::Grant;
use crate::handler_services::arguments::{self, Expectation};
use crate::handler_services::meter::weight;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;

/// The prefix of the keys of an owner. No prefix is part of another, because `/` in a name is
/// escaped.
pub fn tool_kv_prefix(owner: &str) -> String {
    format!("tool-kv/{}/", owner.replace('%', "%25").replace('/', "%2F"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    key: String,
    /// Fills the placeholders of the value for this conversation.
    #[serde(default, rename = "conversationId")]
    conversation: Option<String>,
}

pub(crate) async fn get(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Get { key, conversation } = arguments::parse(Service::KvGet, args)?;
    let stored = stored_key(&run, &key)?;
    match run.grant.store.kv().get(&stored).await.map_err(|fault| to_service_fault(&key, &fault))? {
        Some(KvEntry { value, revision, .. }) => {
            let value = run.filled(value_of(&value)?, conversation.as_deref()).await?;
            Ok(json!({ "value": value, "revision": revision.0 }))
        }
        None => Ok(Value::Null),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Set {
    key: String,
    #[serde(default, rename = "conversationId")]
    _conversation: Option<String>,
    value: Value,
    #[serde(default)]
    expected_revision: Expectation<u64>,
    #[serde(default)]
    ttl_ms: Option<f64>,
}

pub(crate) async fn set(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Set { key, value, expected_revision, ttl_ms, .. } = arguments::parse(Service::KvSet, args)?;
    let stored = written_key(&run, &key)?;
    let bytes = checked_bytes(&run, &value)?;
    if let Some(name) = run.redactor.found_in_value(&value).or(run.redactor.found_in(&key)) {
        return Err(FaultCode::NotAllowed.fault(format!(
            "the value for `{key}` contains the secret `{name}`, and secrets are not stored; \
             ask for it with `secrets.get` each time"
        )));
    }
    let expiry = match ttl_ms {
        None => Expiry::Never,
        Some(ms) if ms > 0.0 => Expiry::After(Duration::from_millis(ms.ceil() as u64)),
        Some(_) => return Err(FaultCode::BadRequest.fault("`ttlMs` must be above 0")),
    };
    let json = Json::of(&value)
        .map_err(|bad| FaultCode::BadRequest.fault(format!("the value is {bad}")))?;
    check_quota(&run, &stored, bytes).await?;
    note_key(&run, &key, &stored, expiry).await?;
    let effect = run.effects.begin_write();
    let written =
        run.grant.store.kv().set(&stored, json, expected(expected_revision), expiry).await;
    match written {
        Ok(revision) => Ok(json!({ "revision": revision.0 })),
        Err(fault) => {
            if nothing_was_written(&fault) {
                effect.did_not_happen();
            }
            Err(to_service_fault(&key, &fault))
        }
    }
}

/// The size of a value, if it is not too large.
fn checked_bytes(run: &RunState, value: &Value) -> Result<usize, ServiceFault> {
    let (bytes, max) = (weight(value), run.grant.limits.kv_value_bytes_max);
    match bytes > max {
        true => {
            let what = format!("the value has {bytes} bytes; {max} are allowed");
            Err(FaultCode::TooLarge.fault(what))
        }
        false => Ok(bytes),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Delete {
    key: String,
    #[serde(default, rename = "conversationId")]
    _conversation: Option<String>,
    #[serde(default)]
    expected_revision: Expectation<u64>,
}

/// Returns whether the key existed.
pub(crate) async fn delete(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Delete { key, expected_revision, .. } = arguments::parse(Service::KvDelete, args)?;
    let stored = written_key(&run, &key)?;
    let effect = run.effects.begin_write();
    match run.grant.store.kv().delete(&stored, expected(expected_revision)).await {
        Ok(Some(_)) => {
            run.grant.quota.forget(&run.prefix);
            Ok(Value::Bool(true))
        }
        Ok(None) => {
            effect.did_not_happen();
            Ok(Value::Bool(false))
        }
        Err(fault) => {
            if nothing_was_written(&fault) {
                effect.did_not_happen();
            }
            Err(to_service_fault(&key, &fault))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    prefix: String,
}

/// The declared keys that begin with `prefix`, in order.
pub(crate) async fn list(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let List { prefix } = arguments::parse(Service::KvList, args)?;
    let _slot = run.slot().await?;
    let limits = &run.grant.limits;
    let mut found = BTreeMap::new();
    let mut bytes = 0;
    for part in allowed_parts(&run, &prefix)? {
        let stored: Prefix = format!("{}{part}", run.prefix).parse().map_err(bad_name)?;
        let mut page = PageRequest::first(limits.kv_list_items_max);
        loop {
            let listed = run.grant.store.kv().list(&stored, page).await;
            let listed = listed.map_err(|fault| to_service_fault(&prefix, &fault))?;
            for KvEntry { key, value, revision, .. } in listed.items {
                let Some(key) = key.as_str().strip_prefix(&run.prefix) else { continue };
                bytes += key.len() + value.as_str().len();
                let item =
                    json!({ "key": key, "value": value_of(&value)?, "revision": revision.0 });
                found.insert(key.to_owned(), item);
            }
            if found.len() > limits.kv_list_items_max || bytes > limits.kv_list_bytes_max {
                return Err(FaultCode::TooLarge.fault(format!(
                    "more than {} keys or {} bytes begin with `{prefix}`; use a longer prefix",
                    limits.kv_list_items_max, limits.kv_list_bytes_max
                )));
            }
            match listed.next {
                Some(next) => page = PageRequest::after(next, limits.kv_list_items_max),
                None => break,
            }
        }
    }
    Ok(Value::Array(found.into_values().collect()))
}

/// The declared part of a prefix: all of it, or the declared prefixes below it.
fn allowed_parts(run: &RunState, prefix: &str) -> Result<Vec<String>, ServiceFault> {
    let declared = &run.grant.contract.capabilities.kv;
    if declared.iter().any(|declared| declared.covers(prefix)) {
        return Ok(vec![prefix.to_owned()]);
    }
    let below = declared.iter().filter(|declared| declared.as_str().starts_with(prefix));
    let below: Vec<String> = below.map(|declared| declared.as_str().to_owned()).collect();
    if below.is_empty() {
        return Err(not_declared(prefix));
    }
    Ok(below)
}

pub(crate) fn stored_key(run: &RunState, key: &str) -> Result<Key, ServiceFault> {
    let declared = &run.grant.contract.capabilities.kv;
    if !declared.iter().any(|declared| declared.covers(key)) {
        return Err(not_declared(key));
    }
    format!("{}{key}", run.prefix).parse().map_err(bad_name)
}

/// As [`stored_key`], for a key that is written.
pub(crate) fn written_key(run: &RunState, key: &str) -> Result<Key, ServiceFault> {
    let stored = stored_key(run, key)?;
    let declared = &run.grant.contract.capabilities.kv;
    let is_own = declared.iter().any(|own| !own.is_every() && own.covers(key));
    match run.grant.guarded.iter().any(|guarded| guarded.covers(key)) && !is_own {
        true => Err(FaultCode::NotAllowed.fault(format!(
            "`{key}` belongs to a tool that needs approval; it can be read here, but not \
             written"
        ))),
        false => Ok(stored),
    }
}

/// Checks the owner's quota for this many more bytes.
pub(crate) async fn check_quota(
    run: &RunState,
    key: &Key,
    bytes: usize,
) -> Result<(), ServiceFault> {
    let Grant { quota, store, limits, clock, .. } = &run.grant;
    let now = clock.now().as_millis();
    let checked = quota.check(store.as_ref(), limits, &run.prefix, (key, bytes), now).await;
    checked.map_err(|no| match no {
        QuotaFault::Keys { .. } | QuotaFault::Bytes { .. } => {
            FaultCode::TooLarge.fault(no.to_string())
        }
        QuotaFault::Store(_) => FaultCode::Unavailable.fault("the store is not available now"),
    })
}

/// Records a key that is written for the run's conversation, so that it is deleted with it.
pub(crate) async fn note_key(
    run: &RunState,
    key: &str,
    stored: &Key,
    lasts: Expiry,
) -> Result<(), ServiceFault> {
    let Grant { store, conversation, .. } = &run.grant;
    let noted = conversation_keys::note(store.as_ref(), conversation, (key, stored), lasts).await;
    noted.map_err(|fault| to_service_fault(key, &fault))
}

fn not_declared(key: &str) -> ServiceFault {
    let key: String = key.chars().take(128).collect();
    FaultCode::NotAllowed.fault(format!(
        "`{key}` does not begin with a declared prefix; add one to `kv` in the tool's `capabilities`"
    ))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn bad_name(bad: BadName) -> ServiceFault {
    FaultCode::BadRequest.fault(format!("{bad}; the owner's name counts too"))
}

fn expected(expectation: Expectation<u64>) -> Expected {
    match expectation {
        Expectation::Any => Expected::Any,
        Expectation::Absent => Expected::Absent,
        Expectation::Revision(revision) => Expected::Revision(Revision(revision)),
    }
}

pub(crate) fn value_of(json: &Json) -> Result<Value, ServiceFault> {
    json.to().map_err(|_| FaultCode::Unavailable.fault("the stored value cannot be read"))
}

pub(crate) fn nothing_was_written(fault: &StoreFault) -> bool {
    !matches!(fault, StoreFault::Unsure { .. } | StoreFault::Closed)
}

/// The fault for the handler, with its own key and without details of the store.
pub(crate) fn to_service_fault(key: &str, fault: &StoreFault) -> ServiceFault {
    match fault {
        StoreFault::Conflict { current, .. } => FaultCode::Conflict.fault(match current {
            Some(Revision(now)) => format!("`{key}` has changed; it is at revision {now}"),
            None => format!("`{key}` does not exist"),
        }),
        StoreFault::TooLarge { size, max, .. } => {
            FaultCode::TooLarge.fault(format!("the value has {size} bytes; {max} are allowed"))
        }
        StoreFault::Unsure { .. } | StoreFault::Closed => {
            FaultCode::Unsure.fault(format!("it is unknown whether `{key}` was written"))
        }
        StoreFault::LeaseLost { .. }
        | StoreFault::NotAList { .. }
        | StoreFault::Forgotten { .. }
        | StoreFault::Erased { .. }
        | StoreFault::NoDeadLetter { .. }
        | StoreFault::Busy { .. }
        | StoreFault::Unusable { .. }
        | StoreFault::Damaged { .. } => {
            FaultCode::Unavailable.fault("the store is not available now")
        }
    }
}

#[cfg(test)]
mod tests;
