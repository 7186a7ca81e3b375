//! The facts about the value at one location.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::LazyLock;

use serde_json::{Number, Value};

use crate::schema::json_types::Types;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) usize);

/// An edge to a node, with the rules at the location itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Value>,
}

/// All facts about one value. Rules for a type apply only if the value has that type.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Locations in the normalised schema that together describe this value.
    pub(crate) sources: Vec<Source>,
    pub(crate) types: Types,
    pub(crate) typing: Typing,
    /// The allowed values, if they are listed.
    pub(crate) values: Option<Vec<Value>>,
    pub(crate) number: Part<NumberFacts>,
    pub(crate) string: Part<StringFacts>,
    pub(crate) array: Part<ArrayFacts>,
    pub(crate) object: Part<ObjectFacts>,
    /// If present, the value is one of these, and each has the facts above too.
    pub(crate) alternatives: Option<Alternatives>,
    /// Rules that only a full validator can check.
    pub(crate) validator_only: Vec<ValidatorOnlyRule>,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Value>,
    /// The name of its definition, if it is referenced.
    pub(crate) name: Option<String>,
    /// Whether the value can contain another value of the same node.
    pub(crate) recursion: Recursion,
    /// How many edges lead here.
    pub(crate) arrivals: usize,
}

/// Where the types of a node come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Typing {
    #[default]
    Said,
    /// From keywords for one type only, such as `properties`.
    Inferred,
}

/// Facts that most nodes do not have: nothing is allocated until something is known.
#[derive(Debug)]
pub(crate) struct Part<T>(Option<Box<T>>);

/// The facts of a node if nothing is known.
pub(crate) trait Blank: Default + 'static {
    fn blank() -> &'static Self;
}

macro_rules! blank {
    ($($facts:ty),*) => {$(
        impl Blank for $facts {
            fn blank() -> &'static Self {
                static BLANK: LazyLock<$facts> = LazyLock::new(<$facts>::default);
                &BLANK
            }
        }
    )*};
}

blank!(NumberFacts, StringFacts, ArrayFacts, ObjectFacts);

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Blank> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(facts) => facts,
            None => T::blank(),
        }
    }
}

impl<T: Blank> DerefMut for Part<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

/// A location, and its keywords that the other sources of the node represent.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) at: Arc<str>,
    pub(crate) without: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Recursion {
    #[default]
    Flat,
    Recursive,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: Number,
    pub(crate) edge: BoundEdge,
    pub(crate) keyword: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundEdge {
    Inclusive,
    Exclusive,
}

#[derive(Debug, Default)]
pub(crate) struct NumberFacts {
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) multiples: Vec<Number>,
    pub(crate) formats: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct StringFacts {
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) patterns: Vec<String>,
    pub(crate) formats: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct ArrayFacts {
    pub(crate) prefix: Vec<Edge>,
    pub(crate) rest: ArrayRest,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) enum ArrayRest {
    /// Unspecified: any item.
    #[default]
    Any,
    Closed,
    Each(Edge),
}

#[derive(Debug, Default)]
pub(crate) struct ObjectFacts {
    pub(crate) fields: Vec<Field>,
    pub(crate) patterns: Vec<(String, Edge)>,
    pub(crate) rest: Rest,
    pub(crate) key_pattern: Option<String>,
    pub(crate) key_values: Option<Vec<String>>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) edge: Edge,
    pub(crate) presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// What unnamed keys may contain.
#[derive(Debug, Clone, Default)]
pub(crate) enum Rest {
    /// Unspecified. Beside named properties that means none, because a call with unknown
    /// arguments is refused. Without named properties it means a free object.
    #[default]
    Unspecified,
    Closed,
    Open(Edge),
}

#[derive(Debug, Clone)]
pub(crate) struct Alternatives {
    pub(crate) kind: UnionKind,
    pub(crate) branches: Vec<Edge>,
    /// The location of the union in the normalised schema.
    pub(crate) pointer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnionKind {
    AnyOf,
    OneOf,
}

impl UnionKind {
    pub(crate) fn keyword(self) -> &'static str {
        match self {
            UnionKind::AnyOf => "anyOf",
            UnionKind::OneOf => "oneOf",
        }
    }
}

/// A rule that only a full validator can enforce, with its note for the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValidatorOnlyRule {
    pub(crate) keyword: &'static str,
    /// Its location in the normalised schema.
    pub(crate) pointer: String,
    pub(crate) note: String,
}

impl Default for Types {
    fn default() -> Self {
        Types::ANY
    }
}

impl Node {
    pub(crate) fn pointer(&self) -> &str {
        self.sources.first().map_or("", |source| &source.at)
    }
}
