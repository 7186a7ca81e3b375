//! Rules across fields: category, effects, modes, limits, form.

use crate::check::read_json;
use crate::fault::Faults;
use crate::source::json::{Kind, Node};
use crate::source::text::Text;
use crate::source::{File, ToolDir};

/// How long a spoken answer may wait for a look-up, and for anything else.
const VOICE_RETRIEVAL_MS: u32 = 800;
const VOICE_OTHER_MS: u32 = 3000;

/// Checks the valid fields against each other.
pub(crate) fn check(text: &Text, root: &Node, faults: &mut Faults) {
    let word = |field: &str| root.get(field).and_then(Node::as_text);
    let flag = |field: &str| match root.get(field).map(|node| &node.kind) {
        Some(Kind::Bool(value)) => Some(*value),
        _ => None,
    };
    let span = |field: &str| root.get(field).map(|node| node.span.clone()).unwrap_or_default();
    match (word("category"), word("sideEffects")) {
        (Some("retrieval"), Some("writes")) => faults.retrieval_writes(text, span("sideEffects")),
        (Some("utility"), Some(effects @ ("read_only" | "writes"))) => {
            faults.utility_with_effects(text, span("sideEffects"), effects);
        }
        _ => {}
    }
    if word("category") == Some("retrieval") && flag("idempotent") == Some(false) {
        faults.retrieval_not_idempotent(text, span("idempotent"));
    }
    check_capabilities(text, root, faults);
    check_voice(text, root, faults);
    if flag("auto") == Some(true) {
        let required = root.get("parameters").and_then(|schema| schema.get("required"));
        let names: Vec<_> =
            required.into_iter().flat_map(Node::items).filter_map(Node::as_text).collect();
        if !names.is_empty() {
            faults.auto_needs_arguments(text, span("auto"), &names);
        }
        if flag("requiresConfirmation") == Some(true) {
            faults.auto_asks(text, span("auto"), "write \"requiresConfirmation\": false");
        }
        if root.get("asks").is_some_and(|asks| !asks.items().is_empty()) {
            faults.auto_asks(text, span("auto"), "delete \"asks\"");
        }
    }
}

fn check_capabilities(text: &Text, root: &Node, faults: &mut Faults) {
    let effects = root.get("sideEffects").and_then(Node::as_text);
    let Some(capabilities) = root.get("capabilities") else { return };
    let named = capabilities.entries().iter().filter(|entry| !entry.value.items().is_empty());
    let kinds: Vec<_> = named.map(|entry| entry.key.as_str()).collect();
    if effects == Some("none") && !kinds.is_empty() {
        faults.capabilities_without_effects(text, capabilities.span.clone(), &kinds);
    }
}

fn check_voice(text: &Text, root: &Node, faults: &mut Faults) {
    let modes = root.get("allowedModes").into_iter().flat_map(Node::items);
    if !modes.filter_map(Node::as_text).any(|mode| mode == "voice") {
        return;
    }
    let retrieval = root.get("category").and_then(Node::as_text) == Some("retrieval");
    let advised = if retrieval { VOICE_RETRIEVAL_MS } else { VOICE_OTHER_MS };
    let Some(node) = root.get("latencyBudgetMs") else { return };
    if let Kind::Number(_, number) = &node.kind
        && let Some(budget) = number.as_u64().and_then(|budget| u32::try_from(budget).ok())
        && budget > advised
    {
        faults.slow_for_voice(text, node.span.clone(), budget, advised);
    }
}

/// The form that `ui` names, if it can be read.
pub(crate) fn form(
    text: &Text,
    root: &Node,
    dir: &ToolDir,
    faults: &mut Faults,
) -> Option<serde_json::Value> {
    let node = root.get("ui")?;
    match (node.as_text(), dir.text(File::Ui)) {
        (Some("ui.json"), Some(form)) => {
            let root = read_json(form, faults)?;
            if matches!(root.kind, Kind::Object(_)) {
                return Some(root.to_value());
            }
            let fix = "describe the form as one JSON object";
            faults.bad_ui(form, root.span, "`ui.json` must contain an object", fix);
        }
        (Some("ui.json"), None) if dir.has(File::Ui) => {}
        (Some("ui.json"), None) => {
            let fix = "write `ui.json` beside schema.json, or delete the field";
            faults.bad_ui(text, node.span.clone(), "`ui.json` does not exist", fix);
        }
        (Some(_), _) => {
            let fix = "name the form file `ui.json` and write \"ui\": \"ui.json\"";
            faults.bad_ui(text, node.span.clone(), "`ui` can only be `ui.json`", fix);
        }
        (None, _) => {} // The wrong type is reported with the other fields.
    }
    None
}
