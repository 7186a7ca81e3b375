//! Parses JSON and keeps the location of every value, so that a fault can point at it.
//!
//! In: text. Out: a [`Node`] tree with byte spans, or the first [`SyntaxFault`]. Must
//! hold: strict RFC 8259, a depth limit instead of a stack overflow, no key is lost (a
//! duplicate key is kept, for the checks to find).

mod reader;

use std::ops::Range;

use contract::Pointer;
use serde_json::{Map, Number, Value};

pub(crate) use reader::{SyntaxFault, parse};

/// Byte range in the source text.
pub(crate) type Span = Range<usize>;

/// One JSON value with its location.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number(Exactness, Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// Whether a number is represented exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    Exact,
    /// It does not fit into 64 bits; the parsed value is only close.
    Rounded,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    /// The entry of an object; the first one if the key appears twice.
    pub(crate) fn entry(&self, key: &str) -> Option<&Member> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entries of an object; empty for anything else.
    pub(crate) fn entries(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(entries) => entries,
            Kind::Null | Kind::Bool(_) | Kind::Number(..) | Kind::Text(_) | Kind::List(_) => &[],
        }
    }

    /// The items of a list; empty for anything else.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::List(items) => items,
            Kind::Null | Kind::Bool(_) | Kind::Number(..) | Kind::Text(_) | Kind::Object(_) => &[],
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Null | Kind::Bool(_) | Kind::Number(..) | Kind::List(_) | Kind::Object(_) => None,
        }
    }

    /// The node at a pointer, or the nearest existing one around it.
    pub(crate) fn nearest(&self, pointer: &Pointer) -> &Node {
        let mut node = self;
        for step in pointer.steps() {
            let next = match &node.kind {
                Kind::Object(_) => node.get(step),
                Kind::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
                Kind::Null | Kind::Bool(_) | Kind::Number(..) | Kind::Text(_) => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The location of the key at this pointer, for faults about the key itself.
    pub(crate) fn key_span(&self, pointer: &Pointer) -> Option<Span> {
        let around = self.nearest(&pointer.parent()?);
        around.entry(pointer.last()?).map(|entry| entry.key_span.clone())
    }

    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(_, number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Kind::Object(entries) => Value::Object(
                entries.iter().map(|e| (e.key.clone(), e.value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The name of this kind of value.
    pub(crate) fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(..) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }
}

#[cfg(test)]
mod tests;
