//! The targets of references, and loops.

use serde_json::Value;

use super::walk::{Need, Place, Visit};

/// What a `$ref` points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Referent {
    /// The visit with this index.
    Schema(usize),
    /// Something inside the document that is not at a schema position.
    Elsewhere,
    Missing,
    /// Another document.
    Remote,
}

/// `None` if the schema has no `$ref` text.
pub(crate) fn referent(visits: &[Visit<'_>], index: usize) -> Option<Referent> {
    let visit = visits.get(index)?;
    let reference = visit.text("$ref")?;
    let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let resource = match address {
        "" => visit.resource,
        _ => match visits.iter().position(|other| same_address(other, address)) {
            Some(embedded) => embedded,
            None => return Some(Referent::Remote),
        },
    };
    let fragment = percent_decoded(fragment);
    if fragment.is_empty() {
        return Some(Referent::Schema(resource));
    }
    let start = visits.get(resource)?;
    let found = if fragment.starts_with('/') {
        let pointer = format!("{}{fragment}", start.pointer);
        visits.iter().position(|other| other.pointer == pointer)
    } else {
        visits.iter().position(|other| {
            let anchor = other.text("$anchor").or(other.text("$dynamicAnchor"));
            other.resource == resource && anchor == Some(fragment.as_str())
        })
    };
    Some(match found {
        Some(target) => Referent::Schema(target),
        None if start.schema.pointer(&fragment).is_some() => Referent::Elsewhere,
        None => Referent::Missing,
    })
}

fn same_address(visit: &Visit<'_>, address: &str) -> bool {
    visit.get("$id").and_then(Value::as_str).is_some_and(|id| id.trim_end_matches('#') == address)
}

fn percent_decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = fragment.get(at + 1..at + 3).filter(|_| byte == b'%');
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(plain) => {
                decoded.push(plain);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Which loops count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loops {
    All,
    /// Only those that pass through no optional property, so that no call could ever end.
    ThroughRequiredOnly,
}

/// A `$ref` that is part of a loop, if there is one.
pub(crate) fn looping(visits: &[Visit<'_>], loops: Loops) -> Option<usize> {
    let mut steps = Vec::new();
    for (index, visit) in visits.iter().enumerate() {
        if let Some(Referent::Schema(target)) = referent(visits, index) {
            steps.push((index, target));
        }
        let applies = match visit.place {
            Place::Root | Place::Definition(_) => false,
            Place::Property { need: Need::Optional, .. } => loops == Loops::All,
            Place::Property { need: Need::Required, .. } | Place::Under(_) => true,
        };
        if let (Some(parent), true) = (visit.parent, applies) {
            steps.push((parent, index));
        }
    }
    let left = peel(visits.len(), steps);
    left.into_iter().find(|&index| visits.get(index).is_some_and(|visit| visit.has("$ref")))
}

/// Removes nodes without incoming or outgoing references until only loops are left.
fn peel(count: usize, mut steps: Vec<(usize, usize)>) -> Vec<usize> {
    loop {
        let (mut has_way_in, mut has_way_out) = (vec![false; count], vec![false; count]);
        for &(from, to) in &steps {
            has_way_out[from] = true;
            has_way_in[to] = true;
        }
        let before = steps.len();
        steps.retain(|&(from, to)| {
            has_way_in[from] && has_way_out[from] && has_way_in[to] && has_way_out[to]
        });
        if steps.len() == before {
            return steps.into_iter().map(|(from, _)| from).collect();
        }
    }
}
