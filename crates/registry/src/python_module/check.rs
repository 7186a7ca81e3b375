//! Checks one item of a module and returns the tool, or its faults.

use std::sync::Arc;

use contract::{Contract, Digest, Digester, Pointer, ToolId, canonical_bytes};
use serde_json::{Value, json};

use super::ModuleItem;
use super::description;
use super::draft::Draft;
use super::id;
use super::locate::Region;
use super::parameters;
use super::settings::{Settings, is_foreign, names};
use super::signature::{Mismatch, mismatches};
use crate::check::{check_contract, is_object};
use crate::environment::EnvironmentId;
use crate::fault::{Code, Faults, Severity};
use crate::schema_order::arranged;
use crate::source::json::parse;
use crate::source::text::Text;
use crate::tool::{Digests, Feature, Features, Handler, HandlerKind, Tool};
use contract::nearest;

/// A module file with what all its items share.
pub(crate) struct Module<'a> {
    /// Below the tools directory.
    pub file: &'a str,
    pub text: &'a Text,
    pub uses: &'a [String],
    pub settings: Option<&'a Settings>,
    pub environment: Option<&'a EnvironmentId>,
}

/// How large the parts of an item may be.
const SCHEMA_BYTES_MAX: usize = 256 << 10;
const UI_HANDLERS_MAX: usize = 200;

/// The tool of an item; its `order` is set by the caller.
pub(crate) fn check_item(
    module: &Module<'_>,
    item: &ModuleItem,
    region: &Region<'_>,
    faults: &mut Faults,
) -> Option<Tool> {
    let mut found = Faults::default();
    let tool = draft_item(module, item, region, &mut found);
    let good = !found.has_errors();
    faults.append(found);
    tool.filter(|_| good)
}

fn draft_item(
    module: &Module<'_>,
    item: &ModuleItem,
    region: &Region<'_>,
    faults: &mut Faults,
) -> Option<Tool> {
    if !is_whole(item, region, faults) {
        return None;
    }
    check_keys(item, region, faults);
    let tool_id = checked_id(module.file, item, region, faults);
    let words = description::description(item);
    if words.is_none() {
        let what = format!("`{}` has no description", item.name);
        let fix = "write `\"description\"` in its schema: the model chooses the tool by it";
        faults.bad_item(region.item(), what, fix);
    }
    let (words, cut) = description::fitted(&words.unwrap_or_else(|| item.name.clone()));
    if cut {
        faults.description_cut(region.key("description"), words.chars().count());
    }
    let schema = checked_parameters(item, region, faults);
    let mut draft = Draft::new(item, region, module.settings);
    draft.put("toolId", json!(tool_id.as_ref().map_or("item", ToolId::as_str)));
    draft.put("description", Value::String(words));
    draft.put("parameters", schema);
    draft.put("oneTime", Value::Bool(item.flags.one_time));
    draft.put("auto", Value::Bool(item.flags.auto && item.callable));
    draft.fill(module.uses);
    let mut contract = checked_contract(&draft, faults)?;
    contract.parameters = arranged(&contract.parameters);
    contract.returns = contract.returns.as_ref().map(arranged);
    tool_id.map(|_| tool_of(contract, module, item))
}

/// Whether the item can be a tool.
fn is_whole(item: &ModuleItem, region: &Region<'_>, faults: &mut Faults) -> bool {
    let before = faults.count(Severity::Error);
    let number = item.order + 1;
    if !is_object(&item.schema) {
        let what = format!("item {number} of `TOOLS` has no schema");
        faults.bad_item(
            region.item(),
            what,
            "write `\"schema\": {\"name\": …, \"description\": …}`",
        );
    } else if item.name.trim().is_empty() {
        let what = format!("item {number} of `TOOLS` has no name");
        faults.bad_item(region.item(), what, "write `\"name\"` in its schema");
    }
    let flags = &item.flags;
    if !item.callable && item.ui_feature.is_none() && !flags.status && !flags.conditional {
        let what =
            format!("`{}` has no function, no `ui_feature` and no `report_status`", item.name);
        let fix = "write `\"function\"`; without one of the three the item does nothing";
        faults.bad_item(region.item(), what, fix);
    }
    if item.ui_feature.as_ref().is_some_and(|ui| !is_object(ui)) {
        let fix = "describe the widget or form as one dictionary";
        faults.bad_item(
            region.key("ui_feature"),
            "`ui_feature` is not a dictionary".to_owned(),
            fix,
        );
    }
    let bytes = |value: &Value| value.to_string().len();
    let large = bytes(&item.schema) > SCHEMA_BYTES_MAX
        || item.ui_feature.as_ref().is_some_and(|ui| bytes(ui) > SCHEMA_BYTES_MAX)
        || item.ui_handlers.len() > UI_HANDLERS_MAX;
    if large {
        let what = format!("`{}` is too large: its schema or its form is over 256 KiB", item.name);
        faults.bad_item(region.item(), what, "split it into several tools");
    }
    faults.count(Severity::Error) == before
}

/// Ghostpad's own keys of an item, in the order of its reference.
const ITEM_KEYS: [&str; 9] = [
    "function",
    "schema",
    "auto_tool",
    "one_time",
    "condition",
    "report_status",
    "cleanup_function",
    "ui_feature",
    "ui_handlers",
];

/// Keys of the item that are neither Ghostpad's nor ours.
fn check_keys(item: &ModuleItem, region: &Region<'_>, faults: &mut Faults) {
    let known: Vec<_> = names().collect();
    for (key, value) in &item.settings {
        let words = known.iter().chain(&ITEM_KEYS).copied();
        match (known.contains(&key.as_str()), nearest(key, words)) {
            (true, _) if is_foreign(key, value) => faults.unknown_item_key(region.key(key), key),
            (true, _) => {}
            (false, Some(near)) => {
                faults.unknown_setting(region.key(key), key, Some(near), &known);
            }
            (false, None) => faults.unknown_item_key(region.key(key), key),
        }
    }
}

fn checked_id(
    file: &str,
    item: &ModuleItem,
    region: &Region<'_>,
    faults: &mut Faults,
) -> Option<ToolId> {
    let (id, written) = id::tool_id(file, &item.name);
    match id {
        Ok(id) => {
            if let Some(written) = written {
                faults.id_spelled(region.item(), &written, id.as_str());
            }
            Some(id)
        }
        Err(bad) => {
            faults.bad_module_id(region.item(), &bad);
            None
        }
    }
}

/// The arguments of a call; an item that cannot be called has none.
fn checked_parameters(item: &ModuleItem, region: &Region<'_>, faults: &mut Faults) -> Value {
    if !item.callable {
        return parameters::tidied(None).schema;
    }
    let tidied = parameters::tidied(item.schema.get("parameters"));
    for pointer in &tidied.left_out {
        let place = region.parameter(pointer);
        faults.keyword_left_out(place, pointer.last().unwrap_or_default());
    }
    for (pointer, kind) in &tidied.read_as {
        faults.type_read_as(region.parameter(pointer), kind);
    }
    let signature = item.signature.as_ref();
    let found = signature.map(|signature| mismatches(signature, &tidied.schema));
    for mismatch in found.into_iter().flatten() {
        let place = |name: &str| region.parameter(&Pointer::root().join(name));
        match mismatch {
            Mismatch::NotInSchema(name) => faults.argument_not_in_schema(region.item(), &name),
            Mismatch::NotTaken { name, near } => {
                faults.argument_not_taken(place(&name), &name, near.as_deref());
            }
            Mismatch::MayNotBeTaken { name, near } => {
                faults.argument_maybe_not_taken(place(&name), &name, near.as_deref());
            }
            Mismatch::MayBeMissing(name) => faults.argument_maybe_missing(place(&name), &name),
        }
    }
    tidied.schema
}

/// Runs the checks of every contract over the draft.
fn checked_contract(draft: &Draft<'_>, faults: &mut Faults) -> Option<Contract> {
    let text = draft.text();
    let root = parse(&text.content).ok()?;
    let mut found = Faults::default();
    let mut contract = check_contract(&text, &root, &mut found);
    for fault in found {
        // Authors of modules rarely close their objects.
        if matches!(fault.code, Code::T042 | Code::T043) {
            continue;
        }
        let (mut fault, pointer) = draft.translated(&fault, &text, &root);
        // A default is only a hint, so a wrong one is dropped and the tool kept.
        if fault.code == Code::T048 {
            fault.severity = Severity::Warning;
            if let Some(contract) = &mut contract {
                drop_default(&mut contract.parameters, &pointer);
            }
        }
        faults.push(fault);
    }
    contract
}

/// Removes the default at or around a pointer below `/parameters`.
fn drop_default(parameters: &mut Value, pointer: &Pointer) {
    let mut schema = parameters;
    for step in pointer.steps().skip(1) {
        if step == "default" {
            break;
        }
        let inner = match schema {
            Value::Object(map) => map.get_mut(step),
            Value::Array(items) => step.parse().ok().and_then(|at: usize| items.get_mut(at)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(inner) = inner else { return };
        schema = inner;
    }
    if let Value::Object(schema) = schema {
        schema.remove("default");
    }
}

fn tool_of(contract: Contract, module: &Module<'_>, item: &ModuleItem) -> Tool {
    let features = features(item);
    let mut ui_handlers = item.ui_handlers.clone();
    ui_handlers.sort_unstable();
    let summary = description::summary(&contract.description);
    let documentation = description::documentation(&contract, item, module.file);
    let mut handler = Digester::default();
    handler.part(module.file.as_bytes());
    handler.part(module.text.content.as_bytes());
    let beside = json!({
        "item": item.name,
        "features": features,
        "ui": item.ui_feature,
        "ui_handlers": ui_handlers,
        "environment": module.environment,
    });
    handler.part(&canonical_bytes(&beside));
    let spelled = serde_json::to_value(&contract).unwrap_or_default();
    let digests = Digests {
        schema: Digest::of(&canonical_bytes(&spelled)),
        summary: Digest::of(summary.as_bytes()),
        doc: Digest::of(documentation.as_bytes()),
        handler: handler.finish(),
        shared: None,
    };
    Tool {
        contract,
        summary,
        documentation,
        examples: Vec::new(),
        handler: Handler {
            kind: HandlerKind::Python,
            path: format!("{}#{}", module.file, item.name),
            environment: module.environment.cloned(),
        },
        features,
        ui: item.ui_feature.clone(),
        ui_handlers,
        order: 0,
        digests,
        code: Arc::default(),
    }
}

fn features(item: &ModuleItem) -> Features {
    let super::ItemFlags { metadata, streaming, conditional, status, cleanup, .. } = item.flags;
    let has = [
        (item.callable, Feature::Callable),
        (metadata, Feature::Metadata),
        (streaming, Feature::Streaming),
        (conditional, Feature::Conditional),
        (status, Feature::Status),
        (cleanup, Feature::Cleanup),
    ];
    Features(has.into_iter().filter(|(has, _)| *has).map(|(_, feature)| feature).collect())
}

#[cfg(test)]
mod tests;
