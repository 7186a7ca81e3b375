//! Finds the targets of references: resources by their `$id`, schemas by their anchor.
//!
//! In: the author's schema. Out: [`Resources`], which turns a reference's text into a
//! place in the document. Must hold: nothing outside the document is ever named.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::draft::Draft;
use super::{DEPTH_MAX, NODES_MAX};
use crate::schema::subschemas::{inner_schemas, push_segment};

/// The resource of the whole document.
pub(super) const ROOT: usize = 0;

pub(crate) struct Resources {
    list: Vec<Resource>,
    /// Anchor name in a resource, and its location.
    anchors: HashMap<(usize, String), String>,
    /// The resources that have each dynamic anchor, with its location.
    dynamic: BTreeMap<Anchor, Vec<(usize, String)>>,
}

struct Resource {
    uri: String,
    pointer: String,
    draft: Draft,
}

/// Why a reference does not resolve.
pub(crate) enum Missing {
    Remote,
    Dangling,
}

/// What dynamic references look for in the resources on the path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Anchor {
    /// `$recursiveAnchor`, which has no name.
    Recursive,
    /// `$dynamicAnchor`.
    Named(String),
}

impl Resources {
    pub(crate) fn scan(root: &Value) -> Self {
        let draft = declared_draft(root).unwrap_or(Draft::Modern);
        let mut resources = Self {
            list: vec![Resource { uri: String::new(), pointer: String::new(), draft }],
            anchors: HashMap::new(),
            dynamic: BTreeMap::new(),
        };
        if !has_identifier(root) {
            return resources;
        }
        let mut waiting = vec![(root, String::new(), 0usize, 0usize)];
        let mut seen = 0;
        while let Some((schema, pointer, resource, depth)) = waiting.pop() {
            let Value::Object(map) = schema else { continue };
            seen += 1;
            // Deeper or larger schemas are refused by the walk that follows.
            if seen > NODES_MAX || depth > DEPTH_MAX {
                continue;
            }
            let resource = resources.note(map, &pointer, resource);
            for inner in inner_schemas(map) {
                let mut place = pointer.clone();
                push_segment(&mut place, inner.keyword);
                if let Some(segment) = &inner.segment {
                    push_segment(&mut place, segment);
                }
                waiting.push((inner.schema, place, resource, depth + 1));
            }
        }
        resources
    }

    /// Records the identifiers of one schema; returns the resource of its inner schemas.
    fn note(&mut self, map: &Map<String, Value>, pointer: &str, around: usize) -> usize {
        let mut resource = around;
        let draft = map
            .get("$schema")
            .and_then(Value::as_str)
            .and_then(Draft::named)
            .or_else(|| self.list.get(around).map(|resource| resource.draft))
            .unwrap_or(Draft::Modern);
        let keyword = if draft == Draft::Four { "id" } else { "$id" };
        if let Some(id) = map.get(keyword).and_then(Value::as_str) {
            let (uri, fragment) = id.split_once('#').unwrap_or((id, ""));
            if !uri.is_empty() {
                let uri = self.absolute(uri, around);
                match self.list.first_mut() {
                    Some(root) if pointer.is_empty() => root.uri = uri,
                    _ => {
                        self.list.push(Resource { uri, pointer: pointer.to_owned(), draft });
                        resource = self.list.len() - 1;
                    }
                }
            }
            if !fragment.is_empty() && !fragment.starts_with('/') {
                self.anchors.insert((resource, fragment.to_owned()), pointer.to_owned());
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = map.get(keyword).and_then(Value::as_str) {
                self.anchors.insert((resource, name.to_owned()), pointer.to_owned());
            }
        }
        if let Some(name) = map.get("$dynamicAnchor").and_then(Value::as_str) {
            let carriers = self.dynamic.entry(Anchor::Named(name.to_owned())).or_default();
            carriers.push((resource, pointer.to_owned()));
        }
        // It only counts at the root of a resource.
        let is_start = self.list.get(resource).is_some_and(|found| found.pointer == pointer);
        if is_start && map.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            let carriers = self.dynamic.entry(Anchor::Recursive).or_default();
            carriers.push((resource, pointer.to_owned()));
        }
        resource
    }

    /// The resource and the draft at a location.
    pub(crate) fn around(&self, pointer: &str) -> (usize, Draft) {
        self.list
            .iter()
            .enumerate()
            .filter(|(_, resource)| super::under(pointer, &resource.pointer))
            .max_by_key(|(_, resource)| resource.pointer.len())
            .map_or((0, Draft::Modern), |(index, resource)| (index, resource.draft))
    }

    /// The location that a reference points at.
    pub(crate) fn resolve(&self, text: &str, resource: usize) -> Result<String, Missing> {
        let (uri, fragment) = text.split_once('#').unwrap_or((text, ""));
        let resource = if uri.is_empty() {
            resource
        } else {
            let uri = self.absolute(uri, resource);
            self.list.iter().position(|known| known.uri == uri).ok_or(Missing::Remote)?
        };
        let start = &self.list.get(resource).ok_or(Missing::Dangling)?.pointer;
        let fragment = percent_decoded(fragment).ok_or(Missing::Dangling)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok(format!("{start}{fragment}"));
        }
        self.anchors.get(&(resource, fragment)).cloned().ok_or(Missing::Dangling)
    }

    /// Where a dynamic reference starts to search, and the anchor that it looks for: none if it is
    /// an ordinary reference after all.
    pub(super) fn resolve_dynamic(
        &self,
        keyword: &str,
        text: &str,
        resource: usize,
    ) -> Result<(String, Option<Anchor>), Missing> {
        let found = self.resolve(text, resource)?;
        let anchor = match keyword {
            "$recursiveRef" => Anchor::Recursive,
            _ => {
                let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
                Anchor::Named(percent_decoded(fragment).ok_or(Missing::Dangling)?)
            }
        };
        let carriers = self.dynamic.get(&anchor).map(Vec::as_slice).unwrap_or_default();
        let is_dynamic = carriers.iter().any(|(_, place)| *place == found);
        Ok((found, is_dynamic.then_some(anchor)))
    }

    /// The anchors of a resource that other resources have as well, with their locations.
    pub(super) fn shared_anchors(
        &self,
        resource: usize,
    ) -> impl Iterator<Item = (&Anchor, &String)> {
        let shared = self.dynamic.iter().filter(|(_, carriers)| carriers.len() > 1);
        shared.filter_map(move |(anchor, carriers)| {
            carriers
                .iter()
                .find(|(carrier, _)| *carrier == resource)
                .map(|(_, place)| (anchor, place))
        })
    }

    fn absolute(&self, uri: &str, resource: usize) -> String {
        let base = self.list.get(resource).map_or("", |resource| resource.uri.as_str());
        join(base, uri)
    }
}

/// Whether anything in the document has an identifier.
fn has_identifier(root: &Value) -> bool {
    let mut waiting = vec![root];
    let mut seen = 0;
    while let Some(value) = waiting.pop() {
        seen += 1;
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    if IDENTIFIERS.contains(&key.as_str()) || seen > NODES_MAX {
                        return true;
                    }
                    waiting.push(inner);
                }
            }
            Value::Array(list) => waiting.extend(list),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// `id` counts only in draft 4, which a schema has to declare.
const IDENTIFIERS: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema"];

fn declared_draft(root: &Value) -> Option<Draft> {
    root.get("$schema").and_then(Value::as_str).and_then(Draft::named)
}

/// A URI relative to a base, as far as schema identifiers need it.
fn join(base: &str, uri: &str) -> String {
    let scheme_end = |text: &str| {
        text.find(':').filter(|end| {
            text[..*end].chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
    };
    let Some(scheme) = scheme_end(base).filter(|_| scheme_end(uri).is_none()) else {
        return if scheme_end(uri).is_some() || base.is_empty() {
            uri.to_owned()
        } else {
            let directory = base.rfind('/').map_or("", |end| &base[..=end]);
            if uri.starts_with('/') { uri.to_owned() } else { format!("{directory}{uri}") }
        };
    };
    let authority_start = scheme + if base[scheme + 1..].starts_with("//") { 3 } else { 1 };
    let path_start =
        base[authority_start..].find('/').map_or(base.len(), |at| authority_start + at);
    if uri.starts_with('/') {
        return format!("{}{uri}", &base[..path_start]);
    }
    match base[path_start..].rfind('/') {
        Some(end) => format!("{}{uri}", &base[..=path_start + end]),
        None => format!("{}/{uri}", &base[..path_start]),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, tail) = tail.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}
