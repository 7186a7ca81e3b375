//! The check before a call is made: the contract's own, of one field or of all arguments.
//!
//! In: the fields of a tool and values. Out: the first place that does not fit. Must hold: what
//! passes here passes the contract's check; a schema that does not compile and a format that
//! the contract does not assert give [`Doubt::Unchecked`].

use std::cell::OnceCell;

use dialect::{Arguments, Complaint, UnknownArguments};
use serde_json::{Value, json};

use crate::arguments::fields::{Field, Fields};

/// The dotted name of what does not fit; empty for the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub at: String,
    pub doubt: Doubt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    Wrong,
    /// The schema has something that is not checked here.
    Unchecked,
}

/// The formats that a check decides; any text passes for another one.
const FORMATS: [&str; 10] =
    ["date", "time", "date-time", "duration", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"];

/// The compiled schema of a tool: most tools are read for their words and never checked.
#[derive(Default)]
pub(crate) struct Check(OnceCell<Option<Arguments>>);

impl Check {
    fn of(&self, root: &Value) -> Option<&Arguments> {
        self.0.get_or_init(|| Arguments::compile(root).ok()).as_ref()
    }
}

impl Fields<'_> {
    /// Checks that a value fits its field. Other fields may be missing.
    pub(crate) fn check_field(&self, field: &Field<'_>, value: &Value) -> Result<(), Doubt> {
        self.check_at(field, field.schema, "", value.clone())
    }

    /// Checks that a value fits the items of a list.
    pub(crate) fn check_item(
        &self,
        field: &Field<'_>,
        item: &Value,
        value: &Value,
    ) -> Result<(), Doubt> {
        self.check_at(field, item, "/0", json!([value]))
    }

    fn check_at(
        &self,
        field: &Field<'_>,
        schema: &Value,
        below: &str,
        value: Value,
    ) -> Result<(), Doubt> {
        let arguments = self.check.of(self.root).ok_or(Doubt::Unchecked)?;
        let format = schema.get("format").and_then(Value::as_str);
        if format.is_some_and(|format| !FORMATS.contains(&format)) {
            return Err(Doubt::Unchecked);
        }
        let pointer: String = field.path.iter().map(|name| segment(name)).collect();
        let pointer = pointer + below;
        let args = field.path.iter().rev().fold(value, |value, name| json!({ *name: value }));
        let is_here = |complaint: &Complaint| {
            let rest = complaint.pointer.strip_prefix(&pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match arguments.complaints(&args).iter().any(is_here) {
            true => Err(Doubt::Wrong),
            false => Ok(()),
        }
    }

    /// Checks that these arguments fit, with defaults filled in.
    pub(crate) fn check_all(&self, args: &Value) -> Result<(), Misfit> {
        let Some(arguments) = self.check.of(self.root) else {
            return Err(Misfit { at: String::new(), doubt: Doubt::Unchecked });
        };
        match arguments.check(args.clone(), UnknownArguments::Refuse) {
            Ok(_) => Ok(()),
            Err(rejection) => {
                let pointer = rejection.0.first().map_or("", |first| first.pointer.as_str());
                Err(Misfit { at: dotted(args, pointer), doubt: Doubt::Wrong })
            }
        }
    }
}

/// A name as one step of a JSON pointer.
fn segment(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A JSON pointer as a dotted name. A place inside a list is the list.
fn dotted(args: &Value, pointer: &str) -> String {
    let mut names = Vec::new();
    let mut around = Some(args);
    for step in pointer.split('/').skip(1) {
        if around.is_some_and(Value::is_array) {
            break;
        }
        let name = step.replace("~1", "/").replace("~0", "~");
        around = around.and_then(|value| value.get(&name));
        names.push(name);
    }
    names.join(".")
}
