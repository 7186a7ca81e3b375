//! Assembles the arguments, and finds what is missing.

use serde_json::{Map, Value};

use crate::arguments::check::Doubt;
use crate::arguments::fields::Need;
use crate::arguments::fill::{Filled, Filler, Gap};

impl Filler<'_> {
    pub(crate) fn finish(self) -> Filled {
        let mut gaps = self.gaps();
        let mut args = Map::new();
        for (field, value) in self.tool.fields.all.iter().zip(&self.values) {
            if let Some(value) = value {
                insert(&mut args, &field.path, value.clone());
            }
        }
        if gaps.is_empty()
            && let Err(misfit) = self.tool.fields.check_all(&Value::Object(args.clone()))
            && misfit.doubt == Doubt::Wrong
        {
            let field = self.tool.fields.all.iter().position(|field| field.name() == misfit.at);
            let given =
                field.and_then(|field| self.values.get(field)?.as_ref()).map(Value::to_string);
            gaps.push(Gap { field: field.unwrap_or(NOWHERE), given });
        }
        Filled { args, gaps }
    }

    fn gaps(&self) -> Vec<Gap> {
        let missing = |index: usize| match self.tool.fields.all.get(index).map(|field| field.need) {
            Some(Need::Required) => true,
            Some(Need::WithSiblings) => self.has_sibling(index),
            Some(Need::Optional) | None => false,
        };
        let mut gaps = Vec::new();
        for (index, (value, wrong)) in self.values.iter().zip(&self.wrong).enumerate() {
            if value.is_none() && (wrong.is_some() || missing(index)) {
                gaps.push(Gap { field: index, given: wrong.clone() });
            }
        }
        gaps
    }

    /// Whether another field of the same object has a value.
    fn has_sibling(&self, index: usize) -> bool {
        let Some((_, parent)) = self.field(index).and_then(|field| field.path.split_last()) else {
            return false;
        };
        let others = self.tool.fields.all.iter().zip(&self.values);
        others.into_iter().any(|(other, value)| value.is_some() && other.path.starts_with(parent))
    }
}

/// The index of a misfit that belongs to no single field.
pub(crate) const NOWHERE: usize = usize::MAX;

fn insert(map: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [name] => {
            map.insert((*name).to_owned(), value);
        }
        [name, rest @ ..] => {
            let inner = map.entry((*name).to_owned()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}
