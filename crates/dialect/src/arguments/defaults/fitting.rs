//! Chooses the defaults of a call.
//!
//! In: a schema, its validator and a value. Out: the value with the defaults that fit.
//! Must hold: a default never adds a fault, so a valid call stays valid and no caller is
//! blamed for a default; the same call gets the same defaults; the number of validations has a
//! limit, and a default that could not be tried within it is left out.

use std::collections::HashSet;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::{Lack, NESTED_MAX, fill_all, lacks};
use crate::arguments::complaint::complain;

/// How often one call is validated in search of the defaults that fit.
const TRIES_MAX: usize = 60;
/// With this many faults, a call is invalid whatever is filled in.
const FAULTS_MAX: usize = 100;

/// A fault of a value: its location, and the keyword of the schema.
type Fault = (String, String);

/// Fills in the defaults with which the whole still fits. Nearly always all of them do; otherwise
/// they are added one after the other, in the order of the schema.
pub(crate) fn fill_fitting(schema: &Value, validator: &Validator, value: Value) -> Value {
    let mut all = value.clone();
    if !fill_all(schema, schema, &mut all) || validator.is_valid(&all) {
        return all;
    }
    let known = faults(validator, &value);
    if known.contains(&too_many()) {
        return value;
    }
    let mut search = Search { schema, validator, known, left_out: HashSet::new(), tries: 0 };
    search.filled(value)
}

struct Search<'s> {
    schema: &'s Value,
    validator: &'s Validator,
    /// The faults of the current value; they only become fewer.
    known: HashSet<Fault>,
    /// Defaults that do not fit: where, and which.
    left_out: HashSet<(String, String)>,
    tries: usize,
}

impl<'s> Search<'s> {
    fn filled(&mut self, mut value: Value) -> Value {
        // A default that was added may itself lack defaults.
        for _ in 0..NESTED_MAX {
            let mut open = lacks(self.schema, self.schema, &value);
            open.retain(|lack| !self.left_out.contains(&key(lack)));
            if open.is_empty() {
                break;
            }
            let open: Vec<&Lack<'s>> = open.iter().collect();
            self.add(&mut value, &open);
        }
        value
    }

    /// Inserts as many of these as fit: all at once, otherwise each half separately.
    fn add(&mut self, value: &mut Value, lacks: &[&Lack<'s>]) {
        let mut tried = value.clone();
        for lack in lacks {
            lack.put(&mut tried, lack.whole(self.schema));
        }
        let Some(new) = self.new_faults(&tried) else {
            self.left_out.extend(lacks.iter().map(|lack| key(lack)));
            return;
        };
        if new.is_empty() {
            self.take(value, tried);
            return;
        }
        if let [lack] = lacks {
            self.add_plain(value, lack);
            return;
        }
        let (bad, good): (Vec<&Lack<'s>>, Vec<&Lack<'s>>) =
            lacks.iter().partition(|lack| lies_in(&new, &lack.pointer()));
        if bad.is_empty() {
            let (first, second) = lacks.split_at(lacks.len() / 2);
            self.add(value, first);
            self.add(value, second);
            return;
        }
        for lack in bad {
            self.add_plain(value, lack);
        }
        if !good.is_empty() {
            self.add(value, &good);
        }
    }

    /// One default without the defaults inside it; those are looked for afterwards.
    fn add_plain(&mut self, value: &mut Value, lack: &Lack<'s>) {
        let container = lack.default.is_object() || lack.default.is_array();
        if container && *lack.default != lack.whole(self.schema) {
            let mut tried = value.clone();
            lack.put(&mut tried, lack.default.clone());
            if self.new_faults(&tried).is_some_and(|new| new.is_empty()) {
                self.take(value, tried);
                return;
            }
        }
        self.left_out.insert(key(lack));
    }

    /// Continues with a value that has no more faults than the one before.
    fn take(&mut self, value: &mut Value, better: Value) {
        *value = better;
        if !self.known.is_empty() {
            self.known = faults(self.validator, value);
        }
    }

    /// The faults of a value that are new; none if too many attempts were made.
    fn new_faults(&mut self, value: &Value) -> Option<HashSet<Fault>> {
        self.tries += 1;
        if self.tries > TRIES_MAX {
            return None;
        }
        if self.validator.is_valid(value) {
            return Some(HashSet::new());
        }
        Some(faults(self.validator, value).difference(&self.known).cloned().collect())
    }
}

fn key(lack: &Lack<'_>) -> (String, String) {
    (lack.pointer(), lack.default.to_string())
}

/// Whether one of these faults is at a place or inside it.
fn lies_in(faults: &HashSet<Fault>, place: &str) -> bool {
    let inside = |rest: &str| rest.is_empty() || rest.starts_with('/');
    faults.iter().any(|(pointer, _)| pointer.strip_prefix(place).is_some_and(inside))
}

fn faults(validator: &Validator, value: &Value) -> HashSet<Fault> {
    let mut found = HashSet::new();
    for (index, error) in validator.iter_errors(value).enumerate() {
        if index == FAULTS_MAX {
            found.insert(too_many());
            break;
        }
        let mut keyword = error.schema_path().to_string();
        // One form too many is another fault than none at all.
        if matches!(error.kind(), ValidationErrorKind::OneOfMultipleValid { .. }) {
            keyword.push('+');
        }
        for complaint in complain(&error, &Value::Null) {
            found.insert((complaint.pointer, keyword.clone()));
        }
    }
    found
}

/// Represents the faults that were not counted.
fn too_many() -> Fault {
    (String::new(), String::new())
}
