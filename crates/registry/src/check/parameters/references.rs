//! References inside a schema: they resolve, and never leave the file.

use crate::fault::Faults;
use crate::schema_order::KeywordValue;
use crate::source::json::Node;
use crate::source::text::Text;

/// Checks the value of one `$ref`.
pub(super) fn check(text: &Text, root: &Node, value: &Node, faults: &mut Faults) {
    let Some(reference) = value.as_text() else { return };
    let Some(fragment) = reference.strip_prefix('#') else {
        // `$id` bases inside one file are left to the compiler, which fetches nothing.
        if !root_has_id(root) || reference.contains("://") {
            faults.remote_ref(text, value.span.clone(), reference);
        }
        return;
    };
    let found = match fragment {
        "" => true,
        path if path.starts_with('/') => percent_decoded(path)
            .and_then(|path| path.parse().ok())
            .is_some_and(|pointer| leads_to_schema(root, &pointer)),
        anchor => has_anchor(root, anchor),
    };
    if !found {
        faults.dangling_ref(text, value.span.clone(), reference);
    }
}

fn root_has_id(root: &Node) -> bool {
    root.get("$id").is_some()
        || ["$defs", "definitions"].iter().any(|defs| {
            let defs = root.get(defs).map(Node::entries).unwrap_or_default();
            defs.iter().any(|entry| entry.value.get("$id").is_some())
        })
}

/// Whether every segment of the pointer exists.
fn leads_to_schema(root: &Node, pointer: &contract::Pointer) -> bool {
    let mut node = root;
    for step in pointer.steps() {
        let next = match node.items() {
            [] => node.get(step),
            items => step.parse().ok().and_then(|index: usize| items.get(index)),
        };
        match next {
            Some(next) => node = next,
            None => return false,
        }
    }
    true
}

fn has_anchor(schema: &Node, anchor: &str) -> bool {
    ["$anchor", "$dynamicAnchor"]
        .iter()
        .any(|key| schema.get(key).and_then(Node::as_text) == Some(anchor))
        || schema.entries().iter().any(|entry| match KeywordValue::of(&entry.key) {
            KeywordValue::Schema => has_anchor(&entry.value, anchor),
            KeywordValue::Schemas => {
                entry.value.items().iter().any(|item| has_anchor(item, anchor))
            }
            KeywordValue::NamedSchemas => {
                entry.value.entries().iter().any(|named| has_anchor(&named.value, anchor))
            }
            KeywordValue::Data => false,
        })
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'%' => {
                let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                rest = &tail[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}
