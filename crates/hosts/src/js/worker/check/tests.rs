//! Faults found by compiling, without running anything.

use super::*;

/// Modules by name; specifiers are names.
struct ModuleLoader(Vec<(&'static str, &'static str)>);

impl ModuleSource for ModuleLoader {
    fn import(&self, base: &str, specifier: &str) -> Result<(String, Option<String>), String> {
        let found = self.0.iter().find(|(name, _)| *name == specifier);
        match found {
            Some((name, source)) => Ok(((*name).to_owned(), Some((*source).to_owned()))),
            None => Err(format!("{base} imports `{specifier}`, but there is no file {specifier}")),
        }
    }
}

#[track_caller]
fn found(modules: &[(&'static str, &'static str)], expected: &[(CodeFaultKind, &str, &str)]) {
    let faults = check("h.js", Box::new(ModuleLoader(modules.to_vec()))).unwrap();
    let reported: Vec<_> =
        faults.iter().map(|fault| (fault.kind, fault.file.as_str(), fault.name.as_str())).collect();
    assert_eq!(reported, expected, "{faults:?}");
}

#[test]
fn a_good_handler_has_no_faults_and_does_not_run() {
    let endless = "for (;;) {} export async function execute() {}";
    found(&[("h.js", endless)], &[]);
    found(&[("h.js", "await 1; throw 2; export const execute = async () => 1;")], &[]);
    found(&[("h.js", "export * from 'a.js'"), ("a.js", "export function execute() {}")], &[]);
    let fire_timers = ("a.js", "import { execute } from 'h.js'; export const b = () => execute();");
    found(
        &[("h.js", "import * as a from 'a.js'; export function execute() { a }"), fire_timers],
        &[],
    );
}

#[test]
fn every_unresolved_import_is_reported() {
    use CodeFaultKind::{MissingFile, MissingName, MissingPackage, NoExecute, Syntax};
    found(&[("h.js", "export default function execute() {}")], &[(NoExecute, "h.js", "execute")]);
    let two = "import './a.js'; import b from 'b'; export function execute() {}";
    found(&[("h.js", two)], &[(MissingFile, "h.js", "./a.js"), (MissingPackage, "h.js", "b")]);
    let named = "import { x } from 'a.js'; export function execute() { x }";
    found(&[("h.js", named), ("a.js", "export const y = 1;")], &[(MissingName, "a.js", "x")]);
    found(&[("h.js", "import 'a.js';"), ("a.js", "let = ;")], &[(Syntax, "a.js", "")]);
}
