//! The page's modules in three files instead of forty: few requests make a quick start.
//!
//! Each module becomes a function of its own, so names stay apart; what it exports is kept
//! in one object, `parts`, under its file's name. Modules are written in a plain way that can
//! be read line by line: an import or an export begins a line, and an import is one line.
//!
//! The first file has what the first page needs, the second what a conversation needs, the
//! third everything else. Which module is where follows from the imports.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A file that is made of modules.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub name: &'static str,
    pub text: String,
}

const FIRST: &str = "pad.js";
const TALK: &str = "pad-talk.js";
const MORE: &str = "pad-more.js";

/// Where the page starts, and where a conversation does.
const START: &[&str] = &["app.js"];
const TALK_START: &[&str] = &["chat.js", "send.js"];

/// The files of the page, made of its modules.
pub(crate) fn bundles(modules: &BTreeMap<&str, &str>) -> Vec<Bundle> {
    let mut plan = Plan { modules, places: BTreeMap::new(), order: Vec::new() };
    START.iter().for_each(|name| plan.put(name, FIRST));
    TALK_START.iter().for_each(|name| plan.put(name, TALK));
    // What is put may ask for further modules.
    let mut at = 0;
    while let Some((name, _)) = plan.order.get(at) {
        let text = modules.get(name.as_str()).copied().unwrap_or_default();
        for later in fetched_later(text) {
            plan.put(&later, MORE);
        }
        at += 1;
    }
    [(FIRST, None), (TALK, Some(FIRST)), (MORE, Some(TALK))]
        .map(|(name, before)| Bundle { name, text: plan.bundle(name, before) })
        .into()
}

struct Plan<'a> {
    modules: &'a BTreeMap<&'a str, &'a str>,
    /// In which file a module is.
    places: BTreeMap<String, &'static str>,
    /// Each module stands behind those that it imports.
    order: Vec<(String, &'static str)>,
}

impl Plan<'_> {
    fn put(&mut self, name: &str, place: &'static str) {
        let Some(text) = self.modules.get(name) else { return };
        if self.places.contains_key(name) {
            return;
        }
        self.places.insert(name.to_owned(), place);
        for import in text.lines().filter_map(Import::read) {
            self.put(import.from, place);
        }
        self.order.push((name.to_owned(), place));
    }

    fn bundle(&self, name: &str, before: Option<&str>) -> String {
        let mut text = match before {
            Some(before) => format!("import {{ parts }} from \"./{before}\";\n"),
            None => "const parts = {};\n".to_owned(),
        };
        text.push_str("export { parts };\n");
        for (module, _) in self.order.iter().filter(|(_, place)| *place == name) {
            self.wrap(module, &mut text);
        }
        text
    }

    /// A module as a function that gives what it exports.
    fn wrap(&self, name: &str, out: &mut String) {
        let module = self.modules.get(name).copied().unwrap_or_default();
        let mut exports = Vec::new();
        // Writing to a text cannot fail.
        let _ = writeln!(out, "\nparts[\"{name}\"] = (() => {{");
        for line in module.lines() {
            if let Some(Import { names, from }) = Import::read(line) {
                let _ = writeln!(out, "const {names} = parts[\"{from}\"];");
                continue;
            }
            let bare = line.strip_prefix("export ");
            exports.extend(bare.and_then(exported));
            let _ = writeln!(out, "{}", self.with_places(bare.unwrap_or(line)));
        }
        let _ = writeln!(out, "return {{ {} }};\n}})();", exports.join(", "));
    }

    /// A module that is fetched later comes with its file.
    fn with_places(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for name in fetched_later(&line) {
            if let Some(place) = self.places.get(&name) {
                let whole =
                    format!("import(\"./{place}\").then(({{ parts }}) => parts[\"{name}\"])");
                line = line.replace(&format!("import(\"./{name}\")"), &whole);
            }
        }
        line
    }
}

/// `import { a, b as c } from "./x.js";` or `import * as x from "./x.js";`
struct Import<'a> {
    names: String,
    from: &'a str,
}

impl<'a> Import<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (names, from) = line.strip_prefix("import ")?.split_once(" from \"./")?;
        let names = names.strip_prefix("* as ").unwrap_or(names).replace(" as ", ": ");
        Some(Self { names, from: from.strip_suffix("\";")? })
    }
}

fn fetched_later(text: &str) -> Vec<String> {
    let calls = text.split("import(\"./").skip(1);
    calls.filter_map(|call| call.split_once("\")")).map(|(name, _)| name.to_owned()).collect()
}

/// The name that `const a = …`, `function a(…`, `async function a(…` or `class A …` gives.
fn exported(line: &str) -> Option<&str> {
    let kinds = ["const ", "function ", "async function ", "class "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).next()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{bundles, exported};
    use crate::assets::static_files::modules;

    #[test]
    fn modules_become_functions_that_stand_behind_what_they_import() {
        let modules = BTreeMap::from([
            ("app.js", "import { a as b } from \"./a.js\";\nb(import(\"./later.js\"));\n"),
            ("a.js", "export function a() {}\nexport const c = 1;\n"),
            ("chat.js", "import * as all from \"./a.js\";\nexport class D {}\n"),
            ("later.js", "import { D } from \"./chat.js\";\nexport async function e() {}\n"),
        ]);
        let made = bundles(&modules);
        let texts: Vec<_> = made.iter().map(|bundle| bundle.text.as_str()).collect();
        let first = "const parts = {};\nexport { parts };\n\n\
            parts[\"a.js\"] = (() => {\nfunction a() {}\nconst c = 1;\nreturn { a, c };\n})();\n\n\
            parts[\"app.js\"] = (() => {\nconst { a: b } = parts[\"a.js\"];\n\
            b(import(\"./pad-more.js\").then(({ parts }) => parts[\"later.js\"]));\n\
            return {  };\n})();\n";
        assert_eq!(texts[0], first);
        assert!(texts[1].starts_with("import { parts } from \"./pad.js\";\n"));
        assert!(texts[1].contains("const all = parts[\"a.js\"];\nclass D {}\nreturn { D };"));
        assert!(texts[2].starts_with("import { parts } from \"./pad-talk.js\";\n"));
        assert!(texts[2].contains("const { D } = parts[\"chat.js\"];\nasync function e() {}\n"));
    }

    /// Every module of the page is read as it is meant.
    #[test]
    fn the_page_itself_is_written_in_the_plain_way() {
        let modules = modules();
        for (name, text) in &modules {
            for line in text.lines().filter_map(|line| line.strip_prefix("export ")) {
                assert!(exported(line).is_some(), "{name}: export {line}");
            }
        }
        let made = bundles(&modules);
        for bundle in &made {
            for (at, line) in bundle.text.lines().enumerate().skip(2) {
                let left = line.starts_with("export ") || line.starts_with("import ");
                assert!(!left, "{}:{at} {line}", bundle.name);
            }
            let mut known = Vec::new();
            for other in &made {
                known.extend(other.text.lines().filter_map(|line| {
                    line.strip_prefix("parts[\"")?.split_once("\"] = ").map(|(name, _)| name)
                }));
                if other.name == bundle.name {
                    break;
                }
            }
            for line in bundle.text.lines().filter(|line| line.starts_with("const ")) {
                if let Some((_, from)) = line.split_once(" = parts[\"") {
                    let from = from.trim_end_matches("\"];");
                    assert!(known.contains(&from), "{} lacks {from}", bundle.name);
                }
            }
        }
        let all: String = made.iter().map(|bundle| bundle.text.as_str()).collect();
        for name in modules.keys().filter(|name| **name != "theme.js") {
            let count = all.matches(&format!("\nparts[\"{name}\"] = ")).count();
            assert_eq!(count, 1, "{name}");
        }
    }
}
