//! Grows the graph from the root, one set of schemas at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::cycles::settle;
use super::facts::{Edge, Node, NodeId, Source, Typing, UnionKind};
use super::{Graph, NODES_MAX, TooLarge};
use crate::schema::json_types::Types;
use crate::schema::subschemas::{describes, push_segment};

/// Arguments are always an object, even if the schema's root does not say so.
static OBJECT_ONLY: LazyLock<Value> = LazyLock::new(|| json!({ "type": "object" }));

/// What the root of a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootKind {
    Arguments,
    AnyValue,
}

/// Reads a normalised schema.
pub(crate) fn build(schema: &Value, kind: RootKind) -> Result<Graph, TooLarge> {
    let mut builder = Builder {
        document: schema,
        nodes: Vec::new(),
        single: HashMap::new(),
        known: HashMap::new(),
        waiting: VecDeque::new(),
    };
    let mut seeds = vec![Seed { schema, at: Arc::from("") }];
    if kind == RootKind::Arguments {
        seeds.push(Seed { schema: &OBJECT_ONLY, at: Arc::from("") });
    }
    let root = builder.node(seeds, Vec::new());
    while let Some((id, seeds, skips)) = builder.waiting.pop_front() {
        let node = builder.facts(&seeds, &skips);
        builder.nodes[id.0] = Node {
            name: builder.nodes[id.0].name.take(),
            sources: std::mem::take(&mut builder.nodes[id.0].sources),
            ..node
        };
        if builder.nodes.len() > NODES_MAX {
            return Err(TooLarge);
        }
    }
    let mut graph = Graph { nodes: builder.nodes, root };
    settle(&mut graph);
    Ok(graph)
}

/// One schema and its location in the document.
#[derive(Clone)]
pub(super) struct Seed<'d> {
    pub(super) schema: &'d Value,
    pub(super) at: Arc<str>,
}

impl<'d> Seed<'d> {
    pub(super) fn map(&self) -> Option<&'d Map<String, Value>> {
        self.schema.as_object()
    }

    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self.schema).addr()
    }

    pub(super) fn inner(&self, schema: &'d Value, path: &[&str]) -> Self {
        let mut at = self.at.to_string();
        for segment in path {
            push_segment(&mut at, segment);
        }
        Self { schema, at: Arc::from(at) }
    }
}

/// A union that is already split into branches: the schema and the keyword.
pub(super) type Skip = (usize, UnionKindKey);
/// [`UnionKind`] as part of a node's key.
pub(super) type UnionKindKey = u8;

pub(super) fn skip(seed: &Seed<'_>, kind: UnionKind) -> Skip {
    let kind = match kind {
        UnionKind::AnyOf => 0,
        UnionKind::OneOf => 1,
    };
    (seed.address(), kind)
}

type Key = (Vec<usize>, Vec<Skip>);

pub(super) struct Builder<'d> {
    pub(super) document: &'d Value,
    nodes: Vec<Node>,
    /// Nodes of one schema, by its address; nodes of several schemas are in `known`.
    single: HashMap<usize, NodeId>,
    known: HashMap<Key, NodeId>,
    waiting: VecDeque<(NodeId, Vec<Seed<'d>>, Vec<Skip>)>,
}

impl<'d> Builder<'d> {
    /// The node for a set of schemas; a new one is queued for its facts.
    pub(super) fn node(&mut self, seeds: Vec<Seed<'d>>, mut skips: Vec<Skip>) -> NodeId {
        let id = NodeId(self.nodes.len());
        let known = match seeds.as_slice() {
            [seed] if skips.is_empty() => *self.single.entry(seed.address()).or_insert(id),
            _ => {
                let mut addresses: Vec<usize> = seeds.iter().map(Seed::address).collect();
                addresses.sort_unstable();
                addresses.dedup();
                skips.sort_unstable();
                skips.dedup();
                *self.known.entry((addresses, skips.clone())).or_insert(id)
            }
        };
        if known != id {
            return known;
        }
        self.nodes.push(Node {
            sources: self.sources(&seeds, &skips),
            name: definition_name(&seeds),
            ..Node::default()
        });
        self.waiting.push_back((id, seeds, skips));
        id
    }

    /// The sources of a node. A branch of a union is described by the schema around the union
    /// without the union itself.
    fn sources(&self, seeds: &[Seed<'d>], skips: &[Skip]) -> Vec<Source> {
        if skips.is_empty() {
            let plain = |seed: &Seed<'d>| Source { at: seed.at.clone(), without: Vec::new() };
            return seeds.iter().map(plain).collect();
        }
        let apart = |seed: Seed<'d>| {
            let mut without = vec!["$ref", "allOf"];
            for kind in [UnionKind::AnyOf, UnionKind::OneOf] {
                if skips.contains(&skip(&seed, kind)) {
                    without.push(kind.keyword());
                }
            }
            Source { at: seed.at, without }
        };
        self.closure(seeds).into_iter().map(apart).collect()
    }

    /// The edge to a value: a single reference is followed, and descriptive keywords beside it
    /// stay with the edge.
    pub(super) fn edge(&mut self, mut seeds: Vec<Seed<'d>>) -> Edge {
        let mut description = None;
        let mut default = None;
        while let [seed] = seeds.as_slice() {
            let Some(map) = seed.map() else { break };
            let Some(target) = map.get("$ref").and_then(Value::as_str) else { break };
            let lone = map.keys().all(|key| key == "$ref" || key == "$defs" || describes(key));
            let Some(target) = self.target(target).filter(|_| lone) else { break };
            let text = map.get("description").and_then(Value::as_str);
            description = description.or(text.map(str::to_owned));
            default = default.or(map.get("default").cloned());
            seeds = vec![target];
        }
        Edge { to: self.node(seeds, Vec::new()), description, default }
    }

    pub(super) fn branch(&mut self, seeds: Vec<Seed<'d>>, skips: Vec<Skip>) -> Edge {
        if skips.is_empty() {
            return self.edge(seeds);
        }
        Edge { to: self.node(seeds, skips), description: None, default: None }
    }

    /// The schema that a normalised reference names.
    pub(super) fn target(&self, reference: &str) -> Option<Seed<'d>> {
        let pointer = reference.strip_prefix('#')?;
        let schema = self.document.pointer(pointer)?;
        Some(Seed { schema, at: Arc::from(pointer) })
    }

    /// The schemas of a set with everything their `$ref` and `allOf` add.
    pub(super) fn closure(&self, seeds: &[Seed<'d>]) -> Vec<Seed<'d>> {
        let refers =
            |map: &Map<String, Value>| map.contains_key("$ref") || map.contains_key("allOf");
        if !seeds.iter().filter_map(Seed::map).any(refers) {
            return seeds.to_vec();
        }
        let mut members: Vec<Seed<'d>> = Vec::with_capacity(seeds.len());
        let mut waiting: VecDeque<Seed<'d>> = seeds.iter().cloned().collect();
        while let Some(seed) = waiting.pop_front() {
            if members.iter().any(|known| std::ptr::eq(known.schema, seed.schema)) {
                continue;
            }
            if let Some(map) = seed.map() {
                let target = map.get("$ref").and_then(Value::as_str);
                waiting.extend(target.and_then(|target| self.target(target)));
                let parts = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
                for (index, part) in parts.enumerate() {
                    waiting.push_back(seed.inner(part, &["allOf", &index.to_string()]));
                }
            }
            members.push(seed);
        }
        members
    }

    pub(super) fn facts(&mut self, seeds: &[Seed<'d>], skips: &[Skip]) -> Node {
        let members = self.closure(seeds);
        let (mut node, topics) = self.merged(&members);
        if topics.object() {
            self.add_object(&mut node, &members, skips);
        }
        if topics.union() {
            self.add_unions(&mut node, seeds, &members, skips);
        }
        infer_type(&mut node, &members);
        node
    }
}

/// A schema with properties or items and no type means objects or arrays.
fn infer_type(node: &mut Node, members: &[Seed<'_>]) {
    let open = node.types == Types::ANY && node.values.is_none() && node.alternatives.is_none();
    if !open {
        return;
    }
    let says = |keywords: &[&str]| {
        members
            .iter()
            .filter_map(Seed::map)
            .any(|map| keywords.iter().any(|keyword| map.contains_key(*keyword)))
    };
    if says(&["properties", "required", "patternProperties", "additionalProperties"]) {
        node.types = Types::OBJECT;
        node.typing = Typing::Inferred;
    } else if says(&["items", "prefixItems"]) {
        node.types = Types::ARRAY;
        node.typing = Typing::Inferred;
    }
}

fn definition_name(seeds: &[Seed<'_>]) -> Option<String> {
    match seeds {
        [seed] => {
            seed.at.strip_prefix("/$defs/").filter(|name| !name.contains('/')).map(str::to_owned)
        }
        _ => None,
    }
}
