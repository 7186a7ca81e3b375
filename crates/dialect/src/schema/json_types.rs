//! A set of JSON types, with integers distinguished from fractions.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::schema::equality::as_integer;

/// Which kinds of JSON value are possible. `number` is [`Types::INTEGER`] and
/// [`Types::FRACTION`] together, so that sets can be intersected and united.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Types = Types(0);
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const INTEGER: Types = Types(4);
    pub(crate) const FRACTION: Types = Types(8);
    pub(crate) const NUMBER: Types = Types(12);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const ARRAY: Types = Types(32);
    pub(crate) const OBJECT: Types = Types(64);
    pub(crate) const ANY: Types = Types(127);

    pub(crate) fn named(name: &str) -> Types {
        match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => Types::NONE,
        }
    }

    pub(crate) fn of(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(number) if as_integer(number).is_some() => Types::INTEGER,
            Value::Number(_) => Types::FRACTION,
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }

    /// What a `type` keyword allows.
    pub(crate) fn declared(keyword: &Value) -> Types {
        match keyword {
            Value::String(name) => Types::named(name),
            Value::Array(names) => names
                .iter()
                .filter_map(Value::as_str)
                .fold(Types::NONE, |types, name| types.or(Types::named(name))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Types::ANY,
        }
    }

    pub(crate) fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    pub(crate) fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The sets of one kind each, as a `type` keyword can name them, in a fixed order.
    pub(crate) fn kinds(self) -> Vec<Types> {
        let all = [
            Types::STRING,
            Types::NUMBER,
            Types::BOOLEAN,
            Types::ARRAY,
            Types::OBJECT,
            Types::NULL,
        ];
        all.into_iter().map(|kind| self.and(kind)).filter(|kind| !kind.is_empty()).collect()
    }

    /// The name of a set of one kind.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Types::NULL => "null",
            Types::BOOLEAN => "boolean",
            Types::INTEGER => "integer",
            Types::STRING => "string",
            Types::ARRAY => "array",
            Types::OBJECT => "object",
            _ => "number",
        }
    }

    /// As a `type` keyword.
    pub(crate) fn keyword(self) -> Value {
        match self.kinds().as_slice() {
            [kind] => json!(kind.name()),
            kinds => kinds.iter().map(|kind| kind.name()).collect(),
        }
    }
}

impl std::fmt::Debug for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.kinds().iter().map(|kind| kind.name()).collect();
        write!(f, "{}", names.join("|"))
    }
}

impl Serialize for Types {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.keyword().serialize(serializer)
    }
}
