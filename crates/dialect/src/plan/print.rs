//! Prints a plan for people: one line per location that changes.

use std::fmt;

use super::Plan;
use super::step::{Absence, FieldStep, RestStep, Step};
use crate::schema::subschemas::push_segment;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        walk(&self.lower.root, "", &mut lines);
        for (index, step) in self.lower.shared.iter().enumerate() {
            walk(step, &format!("#{index}"), &mut lines);
        }
        if lines.is_empty() {
            return write!(f, "the arguments are sent unchanged");
        }
        write!(f, "{}", lines.join("\n"))
    }
}

fn walk(step: &Step, path: &str, lines: &mut Vec<String>) {
    let mut say = |what: String| {
        let place = if path.is_empty() { "/" } else { path };
        lines.push(format!("{place}: {what}"));
    };
    match step {
        Step::Same => {}
        Step::JsonText => say("JSON in a string".to_owned()),
        Step::Labels(labels) => say(format!("a string for each of {} values", labels.len())),
        Step::Shared(index) => say(format!("as #{index}")),
        Step::AnyCase(_) => say("one of the strings, in any case".to_owned()),
        Step::Container { inner, .. } => walk(inner, path, lines),
        Step::Items(inner) => walk(inner, &format!("{path}/*"), lines),
        Step::Nullable(inner) => walk(inner, path, lines),
        Step::Pairs(inner) => {
            say("object as a list of key and value".to_owned());
            walk(inner, &format!("{path}/*"), lines);
        }
        Step::Wrapped { key, inner } => {
            say(format!("wrapped in `{key}`"));
            walk(inner, path, lines);
        }
        Step::Tuple { fields, rest } => {
            say("list as an object".to_owned());
            walk_fields(fields, path, lines);
            if let Some((name, step)) = rest {
                walk(step, &format!("{path}/{name}"), lines);
            }
        }
        Step::Object { fields, rest } => {
            walk_fields(fields, path, lines);
            match rest {
                RestStep::Beside(step) => walk(step, &format!("{path}/*"), lines),
                RestStep::Field { wire, step } => {
                    let place = format!("{path}/*");
                    lines.push(format!("{place}: other keys under `{wire}`"));
                    walk(step, &place, lines);
                }
            }
        }
        Step::Union(branches) => {
            for (index, branch) in branches.iter().enumerate() {
                let place = format!("{path}|{index}");
                if let Some(tag) = &branch.tag {
                    lines.push(format!("{place}: under `{tag}`"));
                }
                walk(&branch.step, &place, lines);
            }
        }
    }
}

fn walk_fields(fields: &[FieldStep], path: &str, lines: &mut Vec<String>) {
    for field in fields {
        let mut place = path.to_owned();
        push_segment(&mut place, &field.contract);
        if field.wire != field.contract {
            lines.push(format!("{place}: named `{}`", field.wire));
        }
        match &field.absence {
            Absence::Omitted => {}
            Absence::Null { explicit: None } => lines.push(format!("{place}: absent is null")),
            Absence::Null { explicit: Some(key) } => {
                lines.push(format!("{place}: absent is null, null is {{{key}: true}}"));
            }
        }
        walk(&field.step, &place, lines);
    }
}
