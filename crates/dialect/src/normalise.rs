//! Normalises a schema of any draft, or of OpenAPI, to 2020-12.
//!
//! In: a contract's parameters. Out: the same schema in one form: references are
//! `#` or `#/$defs/NAME`, old keywords are renamed, identifiers are removed. Or every fault
//! at once. Must hold: the same values fit; a second run changes nothing; the
//! work is bounded by [`NODES_MAX`] and [`DEPTH_MAX`]; nothing is fetched. A dynamic reference
//! becomes an ordinary one: a schema in which it has several meanings is copied for each.
//!
//! Start at [`normalise`].

mod draft;
mod inner;
mod keyword;
mod nullable;
mod resources;
mod scope;

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use self::draft::Draft;
use self::resources::{ROOT, Resources};
use self::scope::{SCOPES_MAX, Scope, Scopes};
use crate::loss::Loss;
use crate::schema::subschemas::{Reach, push_segment};

/// How many schemas one contract may have, including copies for references.
pub(crate) const NODES_MAX: usize = 20_000;
/// How deep schemas may nest.
pub(crate) const DEPTH_MAX: usize = 120;
/// How many faults are reported.
const FAULTS_MAX: usize = 50;

/// A normalised schema, and the original locations of its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised {
    pub schema: Value,
    /// The new and the original location of each moved part.
    moved: Vec<(String, String)>,
}

impl Normalised {
    /// The location in the author's schema of a location in this one.
    pub fn origin(&self, pointer: &str) -> String {
        let mut pointer = pointer.to_owned();
        // A part can have moved within a moved part: the longest match is applied first,
        // and its result is already an original location.
        let found = self
            .moved
            .iter()
            .filter(|(now, _)| under(&pointer, now))
            .max_by_key(|(now, _)| now.len());
        if let Some((now, before)) = found {
            pointer = format!("{before}{}", &pointer[now.len()..]);
        }
        pointer
    }
}

fn under(pointer: &str, prefix: &str) -> bool {
    pointer.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Normalises a schema for the rest of this crate.
pub fn normalise(schema: &Value) -> Result<Normalised, Vec<Loss>> {
    let resources = Resources::scan(schema);
    let mut normaliser = Normaliser {
        original: schema,
        resources: &resources,
        scopes: Scopes::default(),
        names: HashMap::new(),
        taken: HashSet::new(),
        waiting: VecDeque::new(),
        moved: Vec::new(),
        faults: Vec::new(),
        loops: Vec::new(),
        nodes: 0,
    };
    let root = normaliser.document();
    normaliser.check_loops();
    normaliser.check_scopes();
    if normaliser.faults.is_empty() {
        Ok(Normalised { schema: root, moved: normaliser.moved })
    } else {
        normaliser.faults.truncate(FAULTS_MAX);
        Err(normaliser.faults)
    }
}

struct Normaliser<'s> {
    original: &'s Value,
    resources: &'s Resources,
    scopes: Scopes,
    /// The original location of each referenced schema, and its name under `$defs`. A schema in
    /// which dynamic references have several meanings is copied for each.
    names: HashMap<(String, Scope), String>,
    taken: HashSet<String>,
    waiting: VecDeque<(String, Scope, String)>,
    moved: Vec<(String, String)>,
    faults: Vec<Loss>,
    /// References about the same value: from a definition, to a definition.
    loops: Vec<(Definition, Definition)>,
    nodes: usize,
}

/// The location of a definition in the author's schema, and the scope of dynamic references in it.
type Definition = (String, Scope);

/// The position of the walk: in the author's schema, in the new one, and the draft.
/// A position only links to its parent; its pointers are built when they are needed,
/// which is rare.
#[derive(Clone, Copy)]
struct Place<'p> {
    around: Option<&'p Place<'p>>,
    from: &'p [&'p str],
    to: &'p [&'p str],
    /// The pointers of the enclosing definition, at the end of the links.
    start: (&'p str, &'p str),
    draft: Draft,
    resource: usize,
    scope: Scope,
    depth: usize,
    /// The definition whose value this position still describes.
    owner: Option<&'p Definition>,
}

impl<'p> Place<'p> {
    fn inner(&'p self, from: &'p [&'p str], to: &'p [&'p str], reach: Reach) -> Place<'p> {
        let owner = if reach == Reach::Part { None } else { self.owner };
        Place { around: Some(self), from, to, depth: self.depth + 1, owner, ..*self }
    }

    /// The pointer into the author's schema.
    fn from(&self) -> String {
        let mut pointer = self.around.map_or_else(|| self.start.0.to_owned(), Place::from);
        self.from.iter().for_each(|segment| push_segment(&mut pointer, segment));
        pointer
    }

    /// The pointer into the normalised schema.
    fn to(&self) -> String {
        let mut pointer = self.around.map_or_else(|| self.start.1.to_owned(), Place::to);
        self.to.iter().for_each(|segment| push_segment(&mut pointer, segment));
        pointer
    }
}

impl Normaliser<'_> {
    fn document(&mut self) -> Value {
        let scope = self.scopes.enter(self.resources, ROOT, Scope::default());
        let root = self.definition(&(String::new(), scope), "");
        let mut definitions = Map::new();
        while let Some((from, scope, name)) = self.waiting.pop_front() {
            let mut to = "/$defs".to_owned();
            push_segment(&mut to, &name);
            if to != from {
                self.moved.push((to.clone(), from.clone()));
            }
            let schema = self.definition(&(from, scope), &to);
            definitions.insert(name, schema);
            if self.nodes > NODES_MAX {
                break;
            }
        }
        let mut root = root;
        if let (Value::Object(map), false) = (&mut root, definitions.is_empty()) {
            map.insert("$defs".to_owned(), Value::Object(definitions));
        }
        root
    }

    /// The root or one referenced schema, with everything in it.
    fn definition(&mut self, definition: &Definition, to: &str) -> Value {
        let (from, scope) = definition;
        let Some(schema) = self.original.pointer(from) else { return Value::Bool(true) };
        let (resource, draft) = self.resources.around(from);
        let place = Place {
            around: None,
            from: &[],
            to: &[],
            start: (from, to),
            draft,
            resource,
            scope: *scope,
            depth: 0,
            owner: Some(definition),
        };
        self.schema(schema, &place)
    }

    fn schema(&mut self, schema: &Value, place: &Place<'_>) -> Value {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            self.fault_once(place, "", "the schema has too many parts", || {
                format!("keep it under {NODES_MAX} schemas")
            });
            return Value::Bool(true);
        }
        if place.depth > DEPTH_MAX {
            self.fault_once(place, "", "the schema is nested too deep", || {
                format!("nest at most {DEPTH_MAX} schemas")
            });
            return Value::Bool(true);
        }
        match schema {
            Value::Bool(_) => schema.clone(),
            Value::Object(map) => Value::Object(self.keywords(map, place)),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                self.fault(place, "", "a schema must be an object, `true` or `false`", {
                    "write an object such as `{\"type\": \"string\"}`"
                });
                Value::Bool(true)
            }
        }
    }

    /// The `$defs` name of a referenced schema; new ones are queued.
    fn reference(&mut self, target: &str, place: &Place<'_>) -> String {
        let (resource, _) = self.resources.around(target);
        let scope = self.scopes.enter(self.resources, resource, place.scope);
        let definition = (target.to_owned(), scope);
        if let Some(owner) = place.owner {
            self.loops.push((owner.clone(), definition.clone()));
        }
        if target.is_empty() && scope == self.scopes.enter(self.resources, ROOT, Scope::default()) {
            return "#".to_owned();
        }
        if let Some(name) = self.names.get(&definition) {
            return format!("#/$defs/{name}");
        }
        let last = target.rsplit('/').next().unwrap_or_default();
        let name = self.free_name(&plain_name(&last.replace("~1", "/").replace("~0", "~")));
        self.names.insert(definition, name.clone());
        self.waiting.push_back((target.to_owned(), scope, name.clone()));
        format!("#/$defs/{name}")
    }

    fn free_name(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wish}_{count}");
        }
        name
    }

    /// A cycle of references that never reaches a part of the value has no meaning, and would
    /// make a validator loop forever.
    fn check_loops(&mut self) {
        let mut targets: HashMap<&Definition, Vec<&Definition>> = HashMap::new();
        for (from, to) in &self.loops {
            targets.entry(from).or_default().push(to);
        }
        let mut endless = Vec::new();
        let mut settled = HashSet::new();
        for (start, _) in &self.loops {
            if !settled.contains(start) && reaches(start, &targets, &mut settled) {
                endless.push(start.0.clone());
            }
        }
        for pointer in endless {
            self.faults.push(Loss::refused(
                &pointer,
                "$ref",
                "the reference leads back to itself without describing a value",
                "let it pass through a property or an item, or remove it",
            ));
        }
    }

    fn check_scopes(&mut self) {
        if self.scopes.is_full {
            self.faults.push(Loss::refused(
                "",
                "$dynamicRef",
                format!("dynamic references have more than {SCOPES_MAX} combinations of targets"),
                "use `$ref` instead",
            ));
        }
    }

    fn fault(&mut self, place: &Place<'_>, keyword: &str, what: &str, fix: &str) {
        let mut pointer = place.from();
        if !keyword.is_empty() {
            push_segment(&mut pointer, keyword);
        }
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Loss::refused(&pointer, keyword, what, fix));
        }
    }

    fn fault_once(
        &mut self,
        place: &Place<'_>,
        keyword: &str,
        what: &str,
        fix: impl Fn() -> String,
    ) {
        if !self.faults.iter().any(|fault| fault.what == what) {
            self.fault(place, keyword, what, &fix());
        }
    }
}

/// Whether a walk along same-value references from `start` reaches one of them again.
/// Iterative, because a chain of references can be as long as the schema.
fn reaches<'a>(
    start: &'a Definition,
    targets: &HashMap<&'a Definition, Vec<&'a Definition>>,
    settled: &mut HashSet<&'a Definition>,
) -> bool {
    let mut open = HashSet::from([start]);
    let mut path = vec![(start, 0usize)];
    while let Some((node, next)) = path.last_mut() {
        let target = targets.get(node).and_then(|list| list.get(*next)).copied();
        *next += 1;
        match target {
            None => {
                open.remove(*node);
                settled.insert(*node);
                path.pop();
            }
            Some(target) if open.contains(target) => return true,
            Some(target) if settled.contains(target) => {}
            Some(target) => {
                open.insert(target);
                path.push((target, 0));
            }
        }
    }
    false
}

/// A definition's name without characters that a reference would have to escape.
fn plain_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    match text.chars().map(plain).collect::<String>() {
        name if name.is_empty() => "schema".to_owned(),
        name => name,
    }
}

#[cfg(test)]
mod tests;
