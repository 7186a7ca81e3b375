//! Checks the shape of `fixtures.json`, so that a typo is reported before the cases run.
//!
//! A tool's directory has a list of cases. A module has `NAME.fixtures.json` next to `NAME.py`,
//! with a list for each of its tools. Values are checked when the cases run.

use std::collections::BTreeSet;
use std::path::Path;

use contract::nearest;

use super::read_json;
use crate::fault::Faults;
use crate::source::json::{Kind, Node};
use crate::source::read_text;
use crate::source::text::Text;

pub(crate) const FILE: &str = "fixtures.json";
const BYTES_MAX: u64 = 4 << 20;
const FIELDS: [&str; 12] = [
    "name",
    "args",
    "mode",
    "session",
    "kv",
    "files",
    "secrets",
    "fetch",
    "expect",
    "kv_after",
    "files_after",
    "intents",
];

/// Checks the cases of a directory, if it has any.
pub(super) fn check(folder: &Path, shown: &str, faults: &mut Faults) {
    let Some((text, root)) = read(&folder.join(FILE), format!("{shown}/{FILE}"), faults) else {
        return;
    };
    check_cases(&text, &root, faults);
}

/// Checks the cases of a module, whose tools have these names.
pub(crate) fn check_module(module: &Path, shown: &str, tools: &[&str], faults: &mut Faults) {
    let shown = format!("{}.{FILE}", shown.strip_suffix(".py").unwrap_or(shown));
    let path = module.with_extension(FILE);
    let Some((text, root)) = read(&path, shown, faults) else { return };
    if !matches!(root.kind, Kind::Object(_)) {
        let what = format!("the file contains {}, but must contain an object", root.kind_name());
        let fix = "write {\"tool_name\": [cases]}, with a list for each tool of the module";
        return faults.bad_fixture(text.place(root.span), what, fix);
    }
    for entry in root.entries() {
        if !tools.contains(&entry.key.as_str()) {
            let what = format!("`{}` is not a tool of the module", entry.key);
            let near = nearest(&entry.key, tools.iter().copied());
            let fix = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write the `name` of a tool's schema".to_owned(),
            };
            faults.bad_fixture(text.place(entry.key_span.clone()), what, &fix);
        }
        check_cases(&text, &entry.value, faults);
    }
}

fn read(path: &Path, shown: String, faults: &mut Faults) -> Option<(Text, Node)> {
    let raw = match read_text(path, BYTES_MAX) {
        Ok(raw) => raw?,
        Err(fault) => {
            faults.not_read(&shown, BYTES_MAX, &fault);
            return None;
        }
    };
    let text = Text::new(shown, &raw);
    let root = read_json(&text, faults)?;
    Some((text, root))
}

fn check_cases(text: &Text, cases: &Node, faults: &mut Faults) {
    if !matches!(cases.kind, Kind::List(_)) {
        let what = format!("the cases are {}, but must be a list", cases.kind_name());
        let fix = "write [{\"name\": …, \"args\": {…}, \"expect\": {\"data\": …}}]";
        return faults.bad_fixture(text.place(cases.span.clone()), what, fix);
    }
    let mut names = BTreeSet::new();
    for case in cases.items() {
        check_case(text, case, faults);
        if let Some(name) = case.get("name")
            && let Some(word) = name.as_text()
            && !names.insert(word)
        {
            let what = format!("two cases are named `{word}`");
            let fix = "give each case its own name";
            faults.bad_fixture(text.place(name.span.clone()), what, fix);
        }
    }
}

fn check_case(text: &Text, case: &Node, faults: &mut Faults) {
    if !matches!(case.kind, Kind::Object(_)) {
        let what = format!("a case is {}, but must be an object", case.kind_name());
        let fix = "write {\"name\": …, \"args\": {…}, \"expect\": {\"data\": …}}";
        return faults.bad_fixture(text.place(case.span.clone()), what, fix);
    }
    for entry in case.entries() {
        if !FIELDS.contains(&entry.key.as_str()) {
            let fix = match nearest(&entry.key, FIELDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("delete it; a case may have {}", FIELDS.join(", ")),
            };
            let what = format!("a case has no field `{}`", entry.key);
            faults.bad_fixture(text.place(entry.key_span.clone()), what, &fix);
        }
    }
    let open = case.span.start..case.span.start + 1;
    if case.get("name").and_then(Node::as_text).is_none() {
        let what = "a case has no `name`";
        faults.bad_fixture(text.place(open.clone()), what, "say in a few words what it shows");
    }
    if let Some(args) = case.get("args").filter(|args| !matches!(args.kind, Kind::Object(_))) {
        let what = format!("`args` is {}, but must be an object", args.kind_name());
        faults.bad_fixture(text.place(args.span.clone()), what, "write the arguments by name");
    }
    let fix = "write {\"data\": …} or {\"error\": {\"type\": …}}";
    match case.get("expect") {
        None => faults.bad_fixture(text.place(open), "a case has no `expect`", fix),
        Some(expect) => {
            let keys: Vec<_> = expect.entries().iter().map(|entry| entry.key.as_str()).collect();
            if !matches!(keys.as_slice(), ["data"] | ["error"]) {
                let what = "`expect` must have either `data` or `error`";
                faults.bad_fixture(text.place(expect.span.clone()), what, fix);
            }
        }
    }
}
