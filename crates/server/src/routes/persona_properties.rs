//! Properties of personas, stored by tools: `KEY-user`, and `KEY-SLUG` for each persona.

use std::collections::BTreeSet;

use serde_json::Value;
use services::tool_kv_prefix;
use store::{Expected, Expiry, Key, Pages, Prefix, StoreFault};

use crate::fault::HandlerResult;
use crate::state::AppState;

const MARK: &str = "{conversation_id}";

/// Moves the properties of a renamed persona, in all conversations of the owner. Existing values
/// under the new name stay.
pub(crate) async fn move_properties(
    app: &AppState,
    owner: &str,
    before: &str,
    after: &str,
) -> HandlerResult<()> {
    let conversations = app.index.list(owner).await?;
    let conversations: BTreeSet<_> = conversations.into_iter().map(|line| line.id).collect();
    let home = tool_kv_prefix(owner);
    for pattern in patterns(app) {
        let (start, end) = pattern.split_once(MARK).unwrap_or((&pattern, ""));
        let prefix: Prefix = format!("{home}{start}").parse()?;
        for key in keys_under(app, &prefix).await? {
            let part = key.as_str().strip_prefix(prefix.as_str());
            let part = part.and_then(|rest| rest.strip_suffix(&format!("{end}-{before}")));
            let is_meant = match pattern.contains(MARK) {
                true => part.is_some_and(|id| conversations.contains(id)),
                false => part == Some(""),
            };
            if is_meant && let Some(stem) = key.as_str().strip_suffix(before) {
                move_key(app, &key, &format!("{stem}{after}").parse()?).await?;
            }
        }
    }
    Ok(())
}

/// The keys that forms declare as properties of personas.
fn patterns(app: &AppState) -> BTreeSet<String> {
    let lease = app.engine.registry().lease();
    let mut found = BTreeSet::new();
    for ui in app.engine.tools(&lease).filter_map(|tool| tool.ui.as_ref()) {
        gather(ui, &mut found);
    }
    found
}

fn gather(ui: &Value, found: &mut BTreeSet<String>) {
    if ui["type"] == "persona_properties"
        && let Some(key) = ui["key"].as_str()
    {
        found.insert(key.to_owned());
    }
    match ui {
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

async fn keys_under(app: &AppState, prefix: &Prefix) -> HandlerResult<Vec<Key>> {
    let mut keys = Vec::new();
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        keys.extend(pages.items(app.engine.store().kv().keys(prefix, request).await?));
    }
    Ok(keys)
}

async fn move_key(app: &AppState, from: &Key, to: &Key) -> HandlerResult<()> {
    let kv = app.engine.store().kv();
    let Some(entry) = kv.get(from).await? else { return Ok(()) };
    match kv.set(to, entry.value, Expected::Absent, Expiry::Never).await {
        Ok(_) => {}
        Err(StoreFault::Conflict { .. }) => return Ok(()),
        Err(fault) => return Err(fault.into()),
    }
    kv.delete(from, Expected::Revision(entry.revision)).await?;
    Ok(())
}
