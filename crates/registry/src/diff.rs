//! Describes how the tools differ from the lock.
//!
//! In: a lock and a registry. Out: [`Change`]s in the order of the tools, each a sentence. A
//! change that lets a tool reach more, or removes an approval, is marked [`ChangeWeight::Widens`],
//! because that is what a reviewer looks for.

mod schema;

use std::collections::BTreeSet;

use contract::KeyPrefix;
use serde::Serialize;
use serde_json::Value;

use crate::lock::{Lock, LockedTool};
use crate::registry::Registry;
use crate::tool::Feature;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The tool's id; empty for shared code.
    pub tool: String,
    pub weight: ChangeWeight,
    pub sentence: String,
    #[serde(skip)]
    pub part: ChangedPart,
}

/// What a change is about, which tells where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedPart {
    /// The tool as a whole: it is new, or gone.
    Tool,
    Contract,
    Summary,
    Documentation,
    Handler,
    /// Code that tools share: the first file that changed, if it is known.
    Shared(Option<String>),
}

/// How important a change is to a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeWeight {
    /// The tool may do more, or needs fewer approvals.
    Widens,
    /// Calls that were valid may now be refused.
    Breaks,
    /// Anything else.
    Changes,
    /// Not a change: advice about the others.
    Advice,
}

/// How many of them are changes rather than advice.
pub fn count_changes(changes: &[Change]) -> usize {
    changes.iter().filter(|change| change.weight != ChangeWeight::Advice).count()
}

/// Every difference between the lock and the registry.
pub fn diff(lock: &Lock, registry: &Registry) -> Vec<Change> {
    let now = Lock::of(registry);
    let mut changes = Vec::new();
    changes.extend(shared(lock, &now));
    let ids: BTreeSet<_> = lock.tools.keys().chain(now.tools.keys()).collect();
    for id in ids {
        let part = ChangedPart::Tool;
        let mut says = Says { tool: id.as_str(), part, changes: &mut changes };
        match (lock.tools.get(id), now.tools.get(id)) {
            (None, Some(new)) => added(new, &mut says),
            (Some(_), None) => says.breaks(format!("`{id}` is gone")),
            (Some(old), Some(new)) if old.digest != new.digest => compare(old, new, &mut says),
            _ => {}
        }
    }
    changes
}

/// Shared code: which files changed, and which tools load them.
fn shared(lock: &Lock, now: &Lock) -> Option<Change> {
    let (before, after) = (&lock.shared_files, &now.shared_files);
    // An older lock only records whether anything changed.
    let knows_files = !before.is_empty() || lock.tools.values().any(|tool| tool.shared.is_some());
    let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let changed = names.into_iter().filter(|name| match (before.get(*name), after.get(*name)) {
        (Some(old), Some(new)) => old != new,
        // It was added or removed; or a tool started or stopped loading it.
        _ => knows_files && lock.shared != now.shared,
    });
    let changed: Vec<_> = changed.collect();
    let part = ChangedPart::Shared(changed.first().map(|name| (*name).clone()));
    let changed: Vec<_> = changed.iter().map(|name| format!("`{name}`")).collect();
    if lock.shared == now.shared && changed.is_empty() {
        return None;
    }
    let concerned = now.tools.iter().filter(|(id, new)| {
        lock.tools.get(*id).is_some_and(|old| match knows_files {
            true => old.shared != new.shared,
            false => new.shared.is_some(),
        })
    });
    let concerned: Vec<_> = concerned.map(|(id, _)| format!("`{id}`")).collect();
    let what = match changed.as_slice() {
        [] => "the code that tools share (`_` folders) changed".to_owned(),
        files => format!("code that tools share changed: {}", listed(files)),
    };
    let whom = match concerned.as_slice() {
        [] => "no tool loads it".to_owned(),
        [one] => format!("{one} loads it"),
        several => format!("{} load it", listed(several)),
    };
    let sentence = format!("{what}; {whom}");
    Some(Change { tool: String::new(), weight: ChangeWeight::Changes, sentence, part })
}

/// How many names are listed; the rest is counted.
const NAMES_MAX: usize = 8;

fn listed(names: &[String]) -> String {
    match names.get(NAMES_MAX..).map_or(0, <[String]>::len) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMES_MAX].join(", ")),
    }
}

/// Adds sentences about one tool.
struct Says<'a> {
    tool: &'a str,
    /// What the next sentences are about.
    part: ChangedPart,
    changes: &'a mut Vec<Change>,
}

impl Says<'_> {
    fn say(&mut self, weight: ChangeWeight, sentence: String) {
        let (tool, part) = (self.tool.to_owned(), self.part.clone());
        self.changes.push(Change { tool, weight, sentence, part });
    }

    fn widens(&mut self, sentence: String) {
        self.say(ChangeWeight::Widens, sentence);
    }

    fn breaks(&mut self, sentence: String) {
        self.say(ChangeWeight::Breaks, sentence);
    }

    fn changes(&mut self, sentence: String) {
        self.say(ChangeWeight::Changes, sentence);
    }
}

fn added(new: &LockedTool, says: &mut Says<'_>) {
    let effects = match text(&new.contract, "sideEffects") {
        "writes" => "it writes",
        "read_only" => "it only reads",
        _ => "it has no effects",
    };
    let asks = match flag(&new.contract, "requiresConfirmation") {
        true => ", and asks a person first",
        false => "",
    };
    says.widens(format!("`{}` is new: {effects}{asks}", says.tool));
    capabilities(&Value::Null, &new.contract, says);
    questions(&Value::Null, &new.contract, says);
}

fn compare(old: &LockedTool, new: &LockedTool, says: &mut Says<'_>) {
    let tool = says.tool;
    let before = says.changes.len();
    let (old_contract, new_contract) = (&old.contract, &new.contract);
    says.part = ChangedPart::Contract;
    effects(old_contract, new_contract, says);
    capabilities(old_contract, new_contract, says);
    questions(old_contract, new_contract, says);
    limits(old_contract, new_contract, says);
    schema::arguments(old_contract, new_contract, says);
    if old_contract.get("returns") != new_contract.get("returns") {
        says.changes(format!("`{tool}` promises another result"));
    }
    for field in ["description", "category", "reuse", "oneTime", "auto", "ui"] {
        if old_contract.get(field) != new_contract.get(field) {
            says.changes(field_sentence(tool, field, old_contract, new_contract));
        }
    }
    says.part = ChangedPart::Handler;
    beside(old, new, says);
    let contract_changed = says.changes.len() > before;
    let parts = [
        (old.summary != new.summary, ChangedPart::Summary, "summary that the model reads"),
        (old.doc != new.doc, ChangedPart::Documentation, "documentation"),
        (old.handler != new.handler, ChangedPart::Handler, "handler"),
    ];
    for (changed, part, name) in parts {
        if changed {
            says.part = part;
            says.changes(format!("`{tool}`: the {name} changed"));
        }
    }
    says.part = ChangedPart::Contract;
    version(old_contract, new_contract, contract_changed || old.handler != new.handler, says);
}

/// The features of a module's tool besides its contract.
fn beside(old: &LockedTool, new: &LockedTool, says: &mut Says<'_>) {
    let tool = says.tool;
    for feature in new.features.0.difference(&old.features.0) {
        let sentence = format!("`{tool}` now {}", has(*feature));
        match feature {
            Feature::Callable => says.widens(sentence),
            Feature::Metadata
            | Feature::Streaming
            | Feature::Conditional
            | Feature::Status
            | Feature::Cleanup => says.changes(sentence),
        }
    }
    for feature in old.features.0.difference(&new.features.0) {
        let sentence = format!("`{tool}` no longer {}", has(*feature));
        match feature {
            Feature::Callable => says.breaks(sentence),
            // Without its condition it is always offered.
            Feature::Conditional => says.widens(sentence),
            Feature::Metadata | Feature::Streaming | Feature::Status | Feature::Cleanup => {
                says.changes(sentence);
            }
        }
    }
    if old.form != new.form {
        says.changes(format!("`{tool}`: the form changed"));
    }
    if old.environment != new.environment {
        says.widens(format!("`{tool}` now runs with other Python packages"));
    }
}

fn has(feature: Feature) -> &'static str {
    match feature {
        Feature::Callable => "can be called by a model",
        Feature::Metadata => "receives the conversation's metadata",
        Feature::Streaming => "streams its answer",
        Feature::Conditional => "is offered under a condition",
        Feature::Status => "reports a status",
        Feature::Cleanup => "cleans up after an answer",
    }
}

fn field_sentence(tool: &str, field: &str, old: &Value, new: &Value) -> String {
    match field {
        "description" => format!("`{tool}`: the description changed"),
        "auto" if flag(new, "auto") => {
            format!("`{tool}` now runs automatically before every answer")
        }
        "auto" => format!("`{tool}` no longer runs automatically"),
        "oneTime" if flag(new, "oneTime") => format!("`{tool}` is now offered once per answer"),
        "oneTime" => format!("`{tool}` is now offered without limit"),
        "ui" => format!("`{tool}`: the form changed"),
        "reuse" if new.get("reuse").is_some() => {
            format!("`{tool}`: its results are now reused within one turn only")
        }
        "reuse" => format!("`{tool}`: its results are now reused in the whole conversation"),
        field => {
            format!("`{tool}`: `{field}` was `{}` and is `{}`", text(old, field), text(new, field))
        }
    }
}

/// Whom a tool may ask during a call.
fn questions(old: &Value, new: &Value, says: &mut Says<'_>) {
    let (before, now) = (words(old, "asks"), words(new, "asks"));
    let tool = says.tool;
    let named: Vec<_> = now.iter().map(|word| format!("`{word}`")).collect();
    let named = if named.is_empty() { "nobody".to_owned() } else { named.join(" and ") };
    let sentence = format!("`{tool}` may now ask {named} during a call");
    match (now == before, now.is_subset(&before)) {
        (true, _) => {}
        (false, true) => says.changes(sentence),
        (false, false) => says.widens(sentence),
    }
}

/// The version of a module's tool without versions.
const UNVERSIONED: &str = "0.0.0";

fn version(old: &Value, new: &Value, changed: bool, says: &mut Says<'_>) {
    let (old, new, tool) = (text(old, "version"), text(new, "version"), says.tool);
    if old != new {
        says.changes(format!("`{tool}`: the version was {old} and is {new}"));
    } else if changed && new != UNVERSIONED {
        let sentence = format!("`{tool}` still says version {new}; give it a new one");
        says.say(ChangeWeight::Advice, sentence);
    }
}

fn effects(old: &Value, new: &Value, says: &mut Says<'_>) {
    let tool = says.tool;
    let rank = |word: &str| ["none", "read_only", "writes"].iter().position(|w| *w == word);
    let (was, is) = (text(old, "sideEffects"), text(new, "sideEffects"));
    if was != is {
        let sentence = match is {
            "writes" => format!("`{tool}` may now write (it was `{was}`)"),
            is => format!("`{tool}`: `sideEffects` was `{was}` and is `{is}`"),
        };
        let weight =
            if rank(is) > rank(was) { ChangeWeight::Widens } else { ChangeWeight::Changes };
        says.say(weight, sentence);
    }
    match (flag(old, "requiresConfirmation"), flag(new, "requiresConfirmation")) {
        (true, false) => says.widens(format!("`{tool}` no longer asks a person before it runs")),
        (false, true) => says.changes(format!("`{tool}` now asks a person before it runs")),
        _ => {}
    }
    match (flag(old, "idempotent"), flag(new, "idempotent")) {
        (true, false) => says.changes(format!("`{tool}` may no longer be repeated safely")),
        (false, true) => says.widens(format!("`{tool}` now claims that it may be repeated safely")),
        _ => {}
    }
    let (was, is) = (words(old, "allowedModes"), words(new, "allowedModes"));
    for mode in is.difference(&was) {
        says.widens(format!("`{tool}` is now offered in {mode} mode"));
    }
    for mode in was.difference(&is) {
        says.breaks(format!("`{tool}` is no longer offered in {mode} mode"));
    }
}

fn capabilities(old: &Value, new: &Value, says: &mut Says<'_>) {
    let tool = says.tool;
    let none = Value::Null;
    let of =
        |contract: &Value, kind: &str| words(contract.get("capabilities").unwrap_or(&none), kind);
    let writes = text(new, "sideEffects") == "writes";
    for kind in contract::Capabilities::NAMES {
        let verb = match (kind, writes) {
            ("net", _) => "reach",
            ("kv", true) => "read and write",
            ("kv", false) => "read",
            ("secrets", _) => "use the secret",
            ("attachments", _) => "read",
            (_, true) => "read and write files in",
            (_, false) => "read files in",
        };
        let (was, is) = (of(old, kind), of(new, kind));
        for entry in is.difference(&was) {
            says.widens(format!("`{tool}` may now {verb} {}", named(kind, entry)));
        }
        for entry in was.difference(&is) {
            says.changes(format!("`{tool}` may no longer {verb} {}", named(kind, entry)));
        }
    }
}

fn named(kind: &str, entry: &str) -> String {
    match (kind, entry) {
        ("kv", KeyPrefix::EVERY) => "every key".to_owned(),
        ("kv", prefix) => format!("keys under `{prefix}`"),
        ("attachments", _) => "the files that people attach in the conversation".to_owned(),
        (_, entry) => format!("`{entry}`"),
    }
}

fn limits(old: &Value, new: &Value, says: &mut Says<'_>) {
    let tool = says.tool;
    for (field, name) in [("latencyBudgetMs", "latency budget"), ("timeoutMs", "time limit")] {
        let ms = |contract: &Value| contract.get(field).and_then(Value::as_u64);
        match (ms(old), ms(new)) {
            (was, is) if was == is => {}
            (Some(was), Some(is)) => {
                says.changes(format!("`{tool}`: the {name} was {was} ms and is {is} ms"));
            }
            (None, Some(is)) => says.changes(format!("`{tool}`: the {name} is now {is} ms")),
            (_, None) => says.changes(format!("`{tool}`: the {name} is the default again")),
        }
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn flag(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or_default()
}

fn words(value: &Value, field: &str) -> BTreeSet<String> {
    let items = value.get(field).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests;
